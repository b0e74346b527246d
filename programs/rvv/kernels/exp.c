// y = e^x: a power of 2 put together from bits, and a polynomial for the rest.
#include "kernel.h"

enum { N = 1000 };
WORK(N);
static float x[N], y[N];

KERNEL void kernel(size_t n, const float *x, float *y) {
  for (size_t vl; n > 0; n -= vl, x += vl, y += vl) {
    vl = __riscv_vsetvl_e32m4(n);
    vfloat32m4_t v = __riscv_vfmin_vf_f32m4(__riscv_vle32_v_f32m4(x, vl), 88, vl);
    v = __riscv_vfmax_vf_f32m4(v, -87, vl);
    vint32m4_t power = __riscv_vfcvt_x_f_v_i32m4(__riscv_vfmul_vf_f32m4(v, 1.44269504f, vl), vl);
    vfloat32m4_t whole = __riscv_vfcvt_f_x_v_f32m4(power, vl);
    v = __riscv_vfnmsac_vf_f32m4(v, 0.693359375f, whole, vl); // the logarithm of 2 in two parts
    v = __riscv_vfnmsac_vf_f32m4(v, -2.12194440e-4f, whole, vl);
    static const float factors[] = {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                                    1.6666665459e-1f, 0.5f,             1,
                                    1};
    vfloat32m4_t sum = __riscv_vfmv_v_f_f32m4(1.9875691500e-4f, vl);
    PLAIN for (int k = 0; k < 7; k++)
      sum = __riscv_vfmadd_vv_f32m4(sum, v, __riscv_vfmv_v_f_f32m4(factors[k], vl), vl);
    vint32m4_t bits = __riscv_vreinterpret_v_f32m4_i32m4(sum);
    bits = __riscv_vadd_vv_i32m4(bits, __riscv_vsll_vx_i32m4(power, 23, vl), vl);
    __riscv_vse32_v_f32m4(y, __riscv_vreinterpret_v_i32m4_f32m4(bits), vl);
  }
}

int main(void) {
  PLAIN for (int i = 0; i < N; i++) x[i] = ((int)drawn(160001) - 80000) / 1024.0f;
  kernel(N, x, y);
  PLAIN for (int i = 0; i < N; i++) {
    double right = scalar_exp(x[i]);
    if (!(distance(y[i], right) <= 1e-6 * right)) return i + 1;
  }
  return 0;
}
