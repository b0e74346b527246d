// Prices of European options: logarithm, root, quotients, exponentials and the normal distribution by polynomials.
#include "kernel.h"

enum { N = 160 };
WORK(N);
static float spots[N], strikes[N], years[N], calls[N], puts[N];
static const float RATE = 0.02f, VOLATILITY = 0.3f;
typedef vfloat32m1_t Vector;

#define INLINE static inline __attribute__((always_inline))
#define CONSTANT(value) __riscv_vfmv_v_f_f32m1(value, vl)

INLINE Vector polynomial(Vector x, const float *factors, int count, size_t vl) {
  Vector sum = CONSTANT(factors[0]);
  PLAIN for (int k = 1; k < count; k++) sum = __riscv_vfmadd_vv_f32m1(sum, x, CONSTANT(factors[k]), vl);
  return sum;
}

INLINE Vector exponential(Vector x, size_t vl) {
  static const float factors[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                                  1.6666665459e-1f, 0.5f,             1,                1};
  vint32m1_t power = __riscv_vfcvt_x_f_v_i32m1(__riscv_vfmul_vf_f32m1(x, 1.44269504f, vl), vl);
  x = __riscv_vfnmsac_vf_f32m1(x, 0.69314718f, __riscv_vfcvt_f_x_v_f32m1(power, vl), vl);
  vint32m1_t bits = __riscv_vreinterpret_v_f32m1_i32m1(polynomial(x, factors, 8, vl));
  bits = __riscv_vadd_vv_i32m1(bits, __riscv_vsll_vx_i32m1(power, 23, vl), vl);
  return __riscv_vreinterpret_v_i32m1_f32m1(bits);
}

// x = 2^n m with m from 0.707 to 1.414; log m = 2 atanh((m - 1) / (m + 1)).
INLINE Vector logarithm(Vector x, size_t vl) {
  static const float factors[] = {2 / 9.0f, 2 / 7.0f, 2 / 5.0f, 2 / 3.0f, 2};
  vint32m1_t bits = __riscv_vadd_vx_i32m1(__riscv_vreinterpret_v_f32m1_i32m1(x), 0x3f800000 - 0x3f3504f3, vl);
  vint32m1_t power = __riscv_vsub_vx_i32m1(__riscv_vsra_vx_i32m1(bits, 23, vl), 127, vl);
  bits = __riscv_vadd_vx_i32m1(__riscv_vand_vx_i32m1(bits, 0x7fffff, vl), 0x3f3504f3, vl);
  Vector m = __riscv_vreinterpret_v_i32m1_f32m1(bits);
  Vector z = __riscv_vfdiv_vv_f32m1(__riscv_vfsub_vf_f32m1(m, 1, vl), __riscv_vfadd_vf_f32m1(m, 1, vl), vl);
  Vector sum = polynomial(__riscv_vfmul_vv_f32m1(z, z, vl), factors, 5, vl);
  sum = __riscv_vfmul_vv_f32m1(sum, z, vl);
  return __riscv_vfmacc_vf_f32m1(sum, 0.69314718f, __riscv_vfcvt_f_x_v_f32m1(power, vl), vl);
}

// Abramowitz and Stegun 26.2.17, for |x|; the other half by a mask.
INLINE Vector normal(Vector x, size_t vl) {
  static const float factors[] = {1.330274429f, -1.821255978f, 1.781477937f, -0.356563782f, 0.319381530f, 0};
  Vector size = __riscv_vfabs_v_f32m1(x, vl);
  Vector k = __riscv_vfmadd_vv_f32m1(size, CONSTANT(0.2316419f), CONSTANT(1), vl);
  k = __riscv_vfrdiv_vf_f32m1(k, 1, vl);
  Vector square = __riscv_vfmul_vf_f32m1(__riscv_vfmul_vv_f32m1(x, x, vl), -0.5f, vl);
  Vector density = __riscv_vfmul_vf_f32m1(exponential(square, vl), 0.39894228f, vl);
  Vector tail = __riscv_vfmul_vv_f32m1(density, polynomial(k, factors, 6, vl), vl);
  vbool32_t above = __riscv_vmfgt_vf_f32m1_b32(x, 0, vl);
  return __riscv_vfrsub_vf_f32m1_mu(above, tail, tail, 1, vl);
}

KERNEL void kernel(size_t n, const float *spots, const float *strikes, const float *years, float *calls,
                   float *puts) {
  for (size_t i = 0, vl; i < n; i += vl) {
    vl = __riscv_vsetvl_e32m1(n - i);
    Vector s = __riscv_vle32_v_f32m1(spots + i, vl), k = __riscv_vle32_v_f32m1(strikes + i, vl);
    Vector t = __riscv_vle32_v_f32m1(years + i, vl);
    Vector spread = __riscv_vfmul_vf_f32m1(__riscv_vfsqrt_v_f32m1(t, vl), VOLATILITY, vl);
    Vector d = logarithm(__riscv_vfdiv_vv_f32m1(s, k, vl), vl);
    d = __riscv_vfmacc_vf_f32m1(d, RATE + VOLATILITY * VOLATILITY / 2, t, vl);
    Vector d1 = __riscv_vfdiv_vv_f32m1(d, spread, vl), d2 = __riscv_vfsub_vv_f32m1(d1, spread, vl);
    Vector paid = __riscv_vfmul_vv_f32m1(k, exponential(__riscv_vfmul_vf_f32m1(t, -RATE, vl), vl), vl);
    Vector call = __riscv_vfmul_vv_f32m1(s, normal(d1, vl), vl);
    call = __riscv_vfnmsac_vv_f32m1(call, paid, normal(d2, vl), vl);
    __riscv_vse32_v_f32m1(calls + i, call, vl);
    __riscv_vse32_v_f32m1(puts + i, __riscv_vfadd_vv_f32m1(__riscv_vfsub_vv_f32m1(call, s, vl), paid, vl), vl);
  }
}

static double scalar_normal(double x) {
  double k = 1 / (1 + 0.2316419 * (x < 0 ? -x : x)), density = 0.3989422804 * scalar_exp(-x * x / 2);
  double tail = density * k *
                (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  return x < 0 ? tail : 1 - tail;
}

static double root(double x) {
  double result;
  asm("fsqrt.d %0, %1" : "=f"(result) : "f"(x));
  return result;
}

int main(void) {
  PLAIN for (int i = 0; i < N; i++) {
    spots[i] = 50 + drawn(100), strikes[i] = 60 + drawn(80);
    years[i] = (1 + drawn(32)) / 16.0f;
  }
  kernel(N, spots, strikes, years, calls, puts);
  for (int i = 0; i < N; i++) {
    double s = spots[i], k = strikes[i], t = years[i], spread = 0.3 * root(t);
    double d1 = (scalar_log(s / k) + (0.02 + 0.3 * 0.3 / 2) * t) / spread;
    double paid = k * scalar_exp(-0.02 * t);
    double call = s * scalar_normal(d1) - paid * scalar_normal(d1 - spread);
    if (!(distance(calls[i], call) < 1e-4 && distance(puts[i], call - s + paid) < 1e-4)) return i + 1;
  }
  return 0;
}
