// A fast Fourier transform, radix 2, of constant geometry (Pease): every stage reads z[k] and z[k + N/2] and
// writes pairs side by side. Segments hold real and imaginary parts; the last step reverses the bits of places.
#include "kernel.h"

enum { BITS = 8, N = 1 << BITS };
WORK(BITS *N / 2);
typedef struct {
  float re, im;
} Complex;
static Complex z[N], one[N], other[N], roots[N / 2], result[N];
static uint32_t offsets[N]; // in bytes, of places with reversed bits

static inline __attribute__((always_inline)) void stage(const Complex *from, Complex *to, const Complex *roots, int step) {
  for (size_t k = 0, vl; k < N / 2; k += vl) {
    vl = __riscv_vsetvl_e32m2(N / 2 - k);
    vuint32m2_t number = __riscv_vadd_vx_u32m2(__riscv_vid_v_u32m2(vl), k, vl);
    vuint32m2_t place = __riscv_vsll_vx_u32m2(__riscv_vsrl_vx_u32m2(number, step, vl), step + 3, vl);
    vfloat32m2x2_t w = __riscv_vluxseg2ei32_v_f32m2x2(&roots->re, place, vl);
    vfloat32m2x2_t a = __riscv_vlseg2e32_v_f32m2x2(&from[k].re, vl);
    vfloat32m2x2_t b = __riscv_vlseg2e32_v_f32m2x2(&from[k + N / 2].re, vl);
    vfloat32m2_t ar = __riscv_vget_v_f32m2x2_f32m2(a, 0), ai = __riscv_vget_v_f32m2x2_f32m2(a, 1);
    vfloat32m2_t br = __riscv_vget_v_f32m2x2_f32m2(b, 0), bi = __riscv_vget_v_f32m2x2_f32m2(b, 1);
    vfloat32m2_t wr = __riscv_vget_v_f32m2x2_f32m2(w, 0), wi = __riscv_vget_v_f32m2x2_f32m2(w, 1);
    vfloat32m2_t dr = __riscv_vfsub_vv_f32m2(ar, br, vl), di = __riscv_vfsub_vv_f32m2(ai, bi, vl);
    vfloat32m2_t pr = __riscv_vfnmsac_vv_f32m2(__riscv_vfmul_vv_f32m2(dr, wr, vl), di, wi, vl);
    vfloat32m2_t pi = __riscv_vfmacc_vv_f32m2(__riscv_vfmul_vv_f32m2(dr, wi, vl), di, wr, vl);
    vfloat32m2_t sr = __riscv_vfadd_vv_f32m2(ar, br, vl), si = __riscv_vfadd_vv_f32m2(ai, bi, vl);
    __riscv_vsseg4e32_v_f32m2x4(&to[2 * k].re, __riscv_vcreate_v_f32m2x4(sr, si, pr, pi), vl);
  }
}

KERNEL void kernel(const Complex *z, const Complex *roots, const uint32_t *offsets, Complex *result) {
  const Complex *from = z;
  for (int step = 0; step < BITS; step++) {
    Complex *to = step % 2 ? other : one;
    stage(from, to, roots, step);
    from = to;
  }
  for (size_t k = 0, vl; k < N; k += vl) {
    vl = __riscv_vsetvl_e32m4(N - k);
    vfloat32m4x2_t part = __riscv_vluxseg2ei32_v_f32m4x2(&from->re, __riscv_vle32_v_u32m4(offsets + k, vl), vl);
    __riscv_vsseg2e32_v_f32m4x2(&result[k].re, part, vl);
  }
}

// The other way round: bits are reversed first, and butterflies grow. In place, in double precision.
static void scalar(double *re, double *im, const double *cosines, const double *sines) {
  PLAIN for (int half = 1; half < N; half *= 2)
    for (int begin = 0; begin < N; begin += 2 * half)
      PLAIN for (int k = begin; k < begin + half; k++) {
        int root = (k - begin) * (N / 2 / half);
        double wr = cosines[root], wi = -sines[root];
        double pr = re[k + half] * wr - im[k + half] * wi, pi = re[k + half] * wi + im[k + half] * wr;
        re[k + half] = re[k] - pr, im[k + half] = im[k] - pi;
        re[k] += pr, im[k] += pi;
      }
}

int main(void) {
  static double cosines[N / 2], sines[N / 2]; // of 2 pi k / N, each from the one before
  static double re[N], im[N];
  const double c = 0.99969881869620425, s = 0.024541228522912288;
  cosines[0] = 1;
  PLAIN for (int k = 1; k < N / 2; k++) {
    cosines[k] = cosines[k - 1] * c - sines[k - 1] * s;
    sines[k] = sines[k - 1] * c + cosines[k - 1] * s;
  }
  PLAIN for (int k = 0; k < N; k++) {
    uint32_t reversed = 0;
    PLAIN for (int bit = 0; bit < BITS; bit++) reversed |= (k >> bit & 1) << (BITS - 1 - bit);
    offsets[k] = reversed * sizeof(Complex);
    z[k] = (Complex){small(), small()};
    re[reversed] = z[k].re, im[reversed] = z[k].im;
    if (k < N / 2) roots[k] = (Complex){cosines[k], -sines[k]};
  }
  kernel(z, roots, offsets, result);
  scalar(re, im, cosines, sines);
  PLAIN for (int f = 0; f < N; f++)
    if (!(distance(re[f], result[f].re) < 1e-4 && distance(im[f], result[f].im) < 1e-4)) return f + 1;
  return 0;
}
