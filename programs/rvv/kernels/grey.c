// Grey values of red, green and blue: a segment load takes them apart, sums are 16 bits wide, and a clip rounds.
#include "kernel.h"

enum { N = 2200, RED = 77, GREEN = 150, BLUE = 29 };
WORK(N);
static uint8_t colours[3 * N], greys[N];

KERNEL void kernel(size_t n, const uint8_t *colours, uint8_t *greys) {
  for (size_t vl; n > 0; n -= vl, colours += 3 * vl, greys += vl) {
    vl = __riscv_vsetvl_e8m2(n);
    vuint8m2x3_t pixel = __riscv_vlseg3e8_v_u8m2x3(colours, vl);
    vuint16m4_t sum = __riscv_vwmulu_vx_u16m4(__riscv_vget_v_u8m2x3_u8m2(pixel, 0), RED, vl);
    sum = __riscv_vwmaccu_vx_u16m4(sum, GREEN, __riscv_vget_v_u8m2x3_u8m2(pixel, 1), vl);
    sum = __riscv_vwmaccu_vx_u16m4(sum, BLUE, __riscv_vget_v_u8m2x3_u8m2(pixel, 2), vl);
    __riscv_vse8_v_u8m2(greys, __riscv_vnclipu_wx_u8m2(sum, 8, __RISCV_VXRM_RNU, vl), vl);
  }
}

int main(void) {
  PLAIN for (int i = 0; i < 3 * N; i++) colours[i] = drawn(256);
  kernel(N, colours, greys);
  PLAIN for (int i = 0; i < N; i++) {
    const uint8_t *pixel = colours + 3 * i;
    int right = (RED * pixel[0] + GREEN * pixel[1] + BLUE * pixel[2] + 128) / 256;
    if (greys[i] != (right > 255 ? 255 : right)) return i + 1;
  }
  return 0;
}
