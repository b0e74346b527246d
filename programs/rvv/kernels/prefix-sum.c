// y[i] = x[0] + ... + x[i]: within a strip by slides of 1, 2, 4, ... places, then on from strip to strip.
#include "kernel.h"

enum { N = 3000 };
WORK(N);
static uint32_t x[N], y[N];

KERNEL void kernel(size_t n, const uint32_t *x, uint32_t *y) {
  uint32_t before = 0;
  for (size_t vl; n > 0; n -= vl, x += vl, y += vl) {
    vl = __riscv_vsetvl_e32m2(n);
    vuint32m2_t sums = __riscv_vle32_v_u32m2(x, vl), zero = __riscv_vmv_v_x_u32m2(0, vl);
    for (size_t places = 1; places < vl; places *= 2)
      sums = __riscv_vadd_vv_u32m2(sums, __riscv_vslideup_vx_u32m2(zero, sums, places, vl), vl);
    sums = __riscv_vadd_vx_u32m2(sums, before, vl);
    __riscv_vse32_v_u32m2(y, sums, vl);
    before = __riscv_vmv_x_s_u32m2_u32(__riscv_vslidedown_vx_u32m2(sums, vl - 1, vl));
  }
}

int main(void) {
  PLAIN for (int i = 0; i < N; i++) x[i] = drawn(1 << 20);
  kernel(N, x, y);
  uint32_t right = 0;
  PLAIN for (int i = 0; i < N; i++) {
    right += x[i];
    if (y[i] != right) return i + 1;
  }
  return 0;
}
