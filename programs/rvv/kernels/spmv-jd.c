// y = A x in jagged diagonals: rows sorted by length, so that a diagonal is one long vector; offsets of 16 bits.
#include "sparse.h"

static uint32_t order[ROWS], diagonals[MOST + 1];
static uint16_t offsets[ROOM];
static float jd_values[ROOM], sums[ROWS], y[ROWS];

KERNEL void kernel(const uint32_t *diagonals, const uint32_t *order, const uint16_t *offsets,
                   const float *values, const float *x, float *sums, float *y) {
  for (int diagonal = 0; diagonal < MOST; diagonal++) {
    size_t begin = diagonals[diagonal], count = diagonals[diagonal + 1] - begin;
    for (size_t i = 0, vl; i < count; i += vl) {
      vl = __riscv_vsetvl_e32m8(count - i);
      vuint16m4_t places = __riscv_vle16_v_u16m4(offsets + begin + i, vl);
      vfloat32m8_t gathered = __riscv_vluxei16_v_f32m8(x, places, vl);
      vfloat32m8_t sum = __riscv_vle32_v_f32m8(sums + i, vl);
      sum = __riscv_vfmacc_vv_f32m8(sum, __riscv_vle32_v_f32m8(values + begin + i, vl), gathered, vl);
      __riscv_vse32_v_f32m8(sums + i, sum, vl);
    }
  }
  for (size_t i = 0, vl; i < ROWS; i += vl) {
    vl = __riscv_vsetvl_e32m8(ROWS - i);
    vuint32m8_t places = __riscv_vsll_vx_u32m8(__riscv_vle32_v_u32m8(order + i, vl), 2, vl);
    __riscv_vsuxei32_v_f32m8(y, places, __riscv_vle32_v_f32m8(sums + i, vl), vl);
  }
}

int main(void) {
  make_matrix();
  sort_rows(0, ROWS, order);
  uint32_t end = 0;
  for (uint32_t k = 0; k < MOST; k++) {
    diagonals[k] = end;
    PLAIN for (int i = 0; i < ROWS && length(order[i]) > k; i++, end++) {
      offsets[end] = columns[starts[order[i]] + k] * sizeof(float);
      jd_values[end] = values[starts[order[i]] + k];
    }
  }
  diagonals[MOST] = end;
  kernel(diagonals, order, offsets, jd_values, x, sums, y);
  return first_wrong(y);
}
