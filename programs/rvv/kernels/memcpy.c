// Copy bytes between addresses that no word divides: eight registers a time.
#include "kernel.h"

enum { N = 6001, ROOM = 16 };
WORK(N);
static uint8_t x[N + ROOM], y[N + ROOM];

KERNEL void *kernel(void *to, const void *from, size_t n) {
  uint8_t *target = to;
  const uint8_t *source = from;
  for (size_t vl; n > 0; n -= vl, source += vl, target += vl) {
    vl = __riscv_vsetvl_e8m8(n);
    __riscv_vse8_v_u8m8(target, __riscv_vle8_v_u8m8(source, vl), vl);
  }
  return to;
}

int main(void) {
  PLAIN for (int i = 0; i < N + ROOM; i++) x[i] = 1 + drawn(255);
  kernel(y + 3, x + 1, N);
  PLAIN for (int i = 0; i < N + ROOM; i++)
    if (y[i] != (3 <= i && i < N + 3 ? x[i - 2] : 0)) return i + 1;
  return 0;
}
