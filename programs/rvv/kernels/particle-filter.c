// Resampling of a particle filter: for each number u, the first place where the cumulative weight reaches it.
// Lanes that have found theirs leave the mask; the loop ends when none is left. Then positions are gathered.
#include "kernel.h"

enum { N = 150 };
WORK(N);
static float cumulative[N], u[N], x[N], y[N], new_x[N], new_y[N];

KERNEL void kernel(size_t n, const float *u, const float *x, const float *y, float *new_x, float *new_y) {
  for (size_t i = 0, vl; i < n; i += vl) {
    vl = __riscv_vsetvl_e32m2(n - i);
    vfloat32m2_t wanted = __riscv_vle32_v_f32m2(u + i, vl);
    vuint32m2_t place = __riscv_vmv_v_x_u32m2(n - 1, vl);
    vbool16_t searching = __riscv_vmset_m_b16(vl);
    for (size_t k = 0; k < n && __riscv_vfirst_m_b16(searching, vl) >= 0; k++) {
      vbool16_t reached = __riscv_vmfle_vf_f32m2_b16_m(searching, wanted, cumulative[k], vl);
      reached = __riscv_vmand_mm_b16(reached, searching, vl);
      place = __riscv_vmerge_vxm_u32m2(place, k, reached, vl);
      searching = __riscv_vmandn_mm_b16(searching, reached, vl);
    }
    vuint32m2_t offsets = __riscv_vsll_vx_u32m2(place, 2, vl);
    __riscv_vse32_v_f32m2(new_x + i, __riscv_vluxei32_v_f32m2(x, offsets, vl), vl);
    __riscv_vse32_v_f32m2(new_y + i, __riscv_vluxei32_v_f32m2(y, offsets, vl), vl);
  }
}

int main(void) {
  float sum = 0;
  PLAIN for (int i = 0; i < N; i++) {
    x[i] = small(), y[i] = small();
    cumulative[i] = sum += drawn(100);
  }
  float first = drawn(100) / 100.0f * sum / N;
  PLAIN for (int i = 0; i < N; i++) {
    cumulative[i] /= sum;
    u[i] = (first + i * sum / N) / sum;
  }
  kernel(N, u, x, y, new_x, new_y);
  for (int i = 0; i < N; i++) {
    int k = 0;
    PLAIN while (k < N - 1 && cumulative[k] < u[i]) k++;
    if (new_x[i] != x[k] || new_y[i] != y[k]) return i + 1;
  }
  return 0;
}
