// C = A B: four rows of C in registers, so that a load of B feeds four multiply-adds.
#include "kernel.h"

enum { ROWS = 24, INNER = 24, COLUMNS = 40 };
WORK(ROWS *INNER *COLUMNS);
static float a[ROWS * INNER], b[INNER * COLUMNS], c[ROWS * COLUMNS];

KERNEL void kernel(const float *a, const float *b, float *c) {
  for (size_t j = 0, vl; j < COLUMNS; j += vl) {
    vl = __riscv_vsetvl_e32m4(COLUMNS - j);
    PLAIN for (size_t i = 0; i < ROWS; i += 4) {
      const float *row = a + i * INNER;
      vfloat32m4_t c0 = __riscv_vfmv_v_f_f32m4(0, vl), c1 = c0, c2 = c0, c3 = c0;
      PLAIN for (size_t k = 0; k < INNER; k++, row++) {
        vfloat32m4_t line = __riscv_vle32_v_f32m4(b + k * COLUMNS + j, vl);
        c0 = __riscv_vfmacc_vf_f32m4(c0, row[0], line, vl);
        c1 = __riscv_vfmacc_vf_f32m4(c1, row[INNER], line, vl);
        c2 = __riscv_vfmacc_vf_f32m4(c2, row[2 * INNER], line, vl);
        c3 = __riscv_vfmacc_vf_f32m4(c3, row[3 * INNER], line, vl);
      }
      float *to = c + i * COLUMNS + j;
      __riscv_vse32_v_f32m4(to, c0, vl);
      __riscv_vse32_v_f32m4(to + COLUMNS, c1, vl);
      __riscv_vse32_v_f32m4(to + 2 * COLUMNS, c2, vl);
      __riscv_vse32_v_f32m4(to + 3 * COLUMNS, c3, vl);
    }
  }
}

int main(void) {
  PLAIN for (int i = 0; i < ROWS * INNER; i++) a[i] = small();
  PLAIN for (int i = 0; i < INNER * COLUMNS; i++) b[i] = small();
  kernel(a, b, c);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      float right = 0;
      PLAIN for (int k = 0; k < INNER; k++) right += a[i * INNER + k] * b[k * COLUMNS + j];
      if (c[i * COLUMNS + j] != right) return i * COLUMNS + j + 1;
    }
  return 0;
}
