// A filter of 16 taps in fixed point: products of 16 bits are added in 32, then rounded and clipped.
#include "kernel.h"

enum { N = 900, TAPS = 16 };
WORK(N *TAPS);
static int16_t x[N + TAPS], taps[TAPS], y[N];

KERNEL void kernel(size_t n, const int16_t *x, const int16_t *taps, int16_t *y) {
  for (size_t vl; n > 0; n -= vl, x += vl, y += vl) {
    vl = __riscv_vsetvl_e16m2(n);
    vint32m4_t sum = __riscv_vmv_v_x_i32m4(0, vl);
    PLAIN for (int k = 0; k < TAPS; k++)
      sum = __riscv_vwmacc_vx_i32m4(sum, taps[k], __riscv_vle16_v_i16m2(x + k, vl), vl);
    __riscv_vse16_v_i16m2(y, __riscv_vnclip_wx_i16m2(sum, 15, __RISCV_VXRM_RNU, vl), vl);
  }
}

int main(void) {
  PLAIN for (int k = 0; k < TAPS; k++) taps[k] = 1000 + drawn(3000);
  PLAIN for (int i = 0; i < N + TAPS; i++) {
    int size = 16384 + drawn(16384);
    x[i] = i / 24 % 2 ? -size : size;
  }
  kernel(N, x, taps, y);
  for (int i = 0; i < N; i++) {
    int32_t sum = 0; // below 2^31 in size: 16 taps of at most 4,000
    PLAIN for (int k = 0; k < TAPS; k++) sum += taps[k] * x[i + k];
    sum = (sum >> 15) + (sum >> 14 & 1);
    if (y[i] != (sum > INT16_MAX ? INT16_MAX : sum < INT16_MIN ? INT16_MIN : sum)) return i + 1;
  }
  return 0;
}
