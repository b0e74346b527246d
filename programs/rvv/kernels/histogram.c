// counts[x[i]] += 1: elements of a vector may share a counter, so each lane counts for itself; then they are added.
#include "kernel.h"

enum { N = 4000, BINS = 48, LANES = 32 };
WORK(N);
static uint8_t x[N];
static uint32_t lanes[BINS][LANES], counts[BINS], right[BINS];

KERNEL void kernel(size_t n, const uint8_t *x, uint32_t lanes[BINS][LANES], uint32_t *counts) {
  for (size_t vl; n > 0; n -= vl, x += vl) {
    vl = __riscv_vsetvl_e32m1(n < LANES ? n : LANES);
    vuint16mf2_t wider = __riscv_vwcvtu_x_x_v_u16mf2(__riscv_vle8_v_u8mf4(x, vl), vl);
    vuint32m1_t bins = __riscv_vwcvtu_x_x_v_u32m1(wider, vl);
    vuint32m1_t offsets = __riscv_vsll_vx_u32m1(__riscv_vid_v_u32m1(vl), 2, vl);
    offsets = __riscv_vmacc_vx_u32m1(offsets, sizeof lanes[0], bins, vl);
    vuint32m1_t counted = __riscv_vluxei32_v_u32m1(lanes[0], offsets, vl);
    __riscv_vsuxei32_v_u32m1(lanes[0], offsets, __riscv_vadd_vx_u32m1(counted, 1, vl), vl);
  }
  for (int bin = 0; bin < BINS; bin++) {
    vuint32m1_t sum = __riscv_vmv_s_x_u32m1(0, 1);
    for (size_t lane = 0, vl; lane < LANES; lane += vl) {
      vl = __riscv_vsetvl_e32m8(LANES - lane);
      sum = __riscv_vredsum_vs_u32m8_u32m1(__riscv_vle32_v_u32m8(&lanes[bin][lane], vl), sum, vl);
    }
    counts[bin] = __riscv_vmv_x_s_u32m1_u32(sum);
  }
}

int main(void) {
  PLAIN for (int i = 0; i < N; i++) {
    x[i] = drawn(BINS);
    right[x[i]]++;
  }
  kernel(N, x, lanes, counts);
  PLAIN for (int bin = 0; bin < BINS; bin++)
    if (counts[bin] != right[bin]) return bin + 1;
  return 0;
}
