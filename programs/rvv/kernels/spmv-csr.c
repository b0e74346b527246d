// y = A x in compressed rows: a gather and a sum of each row.
#include "sparse.h"

static float y[ROWS];

KERNEL void kernel(int rows, const uint32_t *starts, const uint32_t *columns, const float *values,
                   const float *x, float *y) {
  for (int i = 0; i < rows; i++) {
    size_t most = __riscv_vsetvlmax_e32m4();
    vfloat32m4_t sums = __riscv_vfmv_v_f_f32m4(0, most);
    for (size_t k = starts[i], vl; k < starts[i + 1]; k += vl) {
      vl = __riscv_vsetvl_e32m4(starts[i + 1] - k);
      vuint32m4_t offsets = __riscv_vsll_vx_u32m4(__riscv_vle32_v_u32m4(columns + k, vl), 2, vl);
      vfloat32m4_t gathered = __riscv_vluxei32_v_f32m4(x, offsets, vl);
      sums = __riscv_vfmacc_vv_f32m4_tu(sums, __riscv_vle32_v_f32m4(values + k, vl), gathered, vl);
    }
    vfloat32m1_t sum = __riscv_vfmv_s_f_f32m1(0, 1);
    y[i] = __riscv_vfmv_f_s_f32m1_f32(__riscv_vfredusum_vs_f32m4_f32m1(sums, sum, most));
  }
}

int main(void) {
  make_matrix();
  kernel(ROWS, starts, columns, values, x, y);
  return first_wrong(y);
}
