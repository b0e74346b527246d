// y = A x in SELL-C-sigma: slices of C rows, each as wide as its longest row; rows are sorted among sigma.
#include "sparse.h"

enum { C = 20, SIGMA = 40, SLICES = ROWS / C };
static uint32_t order[ROWS], slices[SLICES + 1], sell_columns[ROOM];
static float sell_values[ROOM], y[ROWS];

KERNEL void kernel(const uint32_t *slices, const uint32_t *order, const uint32_t *columns,
                   const float *values, const float *x, float *y) {
  for (int slice = 0; slice < SLICES; slice++, order += C)
    for (size_t row = 0, vl; row < C; row += vl) {
      vl = __riscv_vsetvl_e32m2(C - row);
      vfloat32m2_t sums = __riscv_vfmv_v_f_f32m2(0, vl);
      for (size_t k = slices[slice] + row; k < slices[slice + 1]; k += C) {
        vuint32m2_t offsets = __riscv_vsll_vx_u32m2(__riscv_vle32_v_u32m2(columns + k, vl), 2, vl);
        vfloat32m2_t gathered = __riscv_vluxei32_v_f32m2(x, offsets, vl);
        sums = __riscv_vfmacc_vv_f32m2(sums, __riscv_vle32_v_f32m2(values + k, vl), gathered, vl);
      }
      vuint32m2_t places = __riscv_vsll_vx_u32m2(__riscv_vle32_v_u32m2(order + row, vl), 2, vl);
      __riscv_vsuxei32_v_f32m2(y, places, sums, vl);
    }
}

int main(void) {
  make_matrix();
  for (int first = 0; first < ROWS; first += SIGMA) sort_rows(first, first + SIGMA, order + first);
  for (int slice = 0; slice < SLICES; slice++) {
    const uint32_t *rows = order + slice * C, begin = slices[slice];
    slices[slice + 1] = begin + C * length(rows[0]);
    for (int i = 0; i < C; i++)
      PLAIN for (uint32_t k = 0; k < length(rows[i]); k++) {
        sell_columns[begin + k * C + i] = columns[starts[rows[i]] + k];
        sell_values[begin + k * C + i] = values[starts[rows[i]] + k];
      }
  }
  kernel(slices, order, sell_columns, sell_values, x, y);
  return first_wrong(y);
}
