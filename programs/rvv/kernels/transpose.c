// B = A^T: columns of A by strided loads, rows of B by contiguous stores.
#include "kernel.h"

enum { ROWS = 60, COLUMNS = 50 };
WORK(ROWS *COLUMNS);
static int64_t a[ROWS][COLUMNS], b[COLUMNS][ROWS];

KERNEL void kernel(const int64_t a[ROWS][COLUMNS], int64_t b[COLUMNS][ROWS]) {
  for (size_t i = 0, vl; i < ROWS; i += vl) {
    vl = __riscv_vsetvl_e64m8(ROWS - i);
    for (size_t j = 0; j < COLUMNS; j++)
      __riscv_vse64_v_i64m8(&b[j][i], __riscv_vlse64_v_i64m8(&a[i][j], sizeof a[0], vl), vl);
  }
}

int main(void) {
  for (int i = 0; i < ROWS; i++) PLAIN for (int j = 0; j < COLUMNS; j++) a[i][j] = drawn(1 << 20);
  kernel(a, b);
  for (int j = 0; j < COLUMNS; j++)
    PLAIN for (int i = 0; i < ROWS; i++) if (b[j][i] != a[i][j]) return j * ROWS + i + 1;
  return 0;
}
