// Bytes as hexadecimal digits: a register is the table of digits (vrgather), and a segment store joins them.
#include "kernel.h"

enum { N = 2500 };
WORK(N);
static const char digits[] = "0123456789abcdef";
static uint8_t x[N];
static char y[2 * N];

KERNEL void kernel(size_t n, const uint8_t *x, const char *digits, char *y) {
  vuint8m1_t table = __riscv_vle8_v_u8m1((const uint8_t *)digits, 16);
  for (size_t vl; n > 0; n -= vl, x += vl, y += 2 * vl) {
    vl = __riscv_vsetvl_e8m1(n);
    vuint8m1_t v = __riscv_vle8_v_u8m1(x, vl);
    vuint8m1_t high = __riscv_vrgather_vv_u8m1(table, __riscv_vsrl_vx_u8m1(v, 4, vl), vl);
    vuint8m1_t low = __riscv_vrgather_vv_u8m1(table, __riscv_vand_vx_u8m1(v, 15, vl), vl);
    __riscv_vsseg2e8_v_u8m1x2((uint8_t *)y, __riscv_vcreate_v_u8m1x2(high, low), vl);
  }
}

int main(void) {
  PLAIN for (int i = 0; i < N; i++) x[i] = drawn(256);
  kernel(N, x, digits, y);
  PLAIN for (int i = 0; i < N; i++)
    if (y[2 * i] != digits[x[i] / 16] || y[2 * i + 1] != digits[x[i] % 16]) return i + 1;
  return 0;
}
