// y = a x + y: strips of up to eight registers, as long as the machine allows.
#include "kernel.h"

enum { N = 4096 };
WORK(N);
static float x[N], y[N], right[N];

KERNEL void kernel(size_t n, float a, const float *x, float *y) {
  for (size_t vl; n > 0; n -= vl, x += vl, y += vl) {
    vl = __riscv_vsetvl_e32m8(n);
    vfloat32m8_t vx = __riscv_vle32_v_f32m8(x, vl), vy = __riscv_vle32_v_f32m8(y, vl);
    __riscv_vse32_v_f32m8(y, __riscv_vfmacc_vf_f32m8(vy, a, vx, vl), vl);
  }
}

int main(void) {
  PLAIN for (int i = 0; i < N; i++) {
    x[i] = small(), y[i] = small();
    right[i] = 3 * x[i] + y[i];
  }
  kernel(N, 3, x, y);
  PLAIN for (int i = 0; i < N; i++)
    if (y[i] != right[i]) return i + 1;
  return 0;
}
