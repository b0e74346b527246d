// A 5-point stencil: neighbours in the row come by slides, not by further loads.
#include "kernel.h"

enum { ROWS = 48, COLUMNS = 70 };
WORK((ROWS - 2) * (COLUMNS - 2));
static float from[ROWS][COLUMNS], to[ROWS][COLUMNS];

KERNEL void kernel(const float from[ROWS][COLUMNS], float to[ROWS][COLUMNS]) {
  for (size_t i = 1; i < ROWS - 1; i++)
    for (size_t j = 1, vl; j < COLUMNS - 1; j += vl) {
      vl = __riscv_vsetvl_e32m2(COLUMNS - 1 - j);
      vfloat32m2_t here = __riscv_vle32_v_f32m2(&from[i][j], vl);
      vfloat32m2_t left = __riscv_vfslide1up_vf_f32m2(here, from[i][j - 1], vl);
      vfloat32m2_t right = __riscv_vfslide1down_vf_f32m2(here, from[i][j + vl], vl);
      vfloat32m2_t above = __riscv_vle32_v_f32m2(&from[i - 1][j], vl);
      vfloat32m2_t below = __riscv_vle32_v_f32m2(&from[i + 1][j], vl);
      vfloat32m2_t sum = __riscv_vfadd_vv_f32m2(__riscv_vfadd_vv_f32m2(left, right, vl),
                                                __riscv_vfadd_vv_f32m2(above, below, vl), vl);
      __riscv_vse32_v_f32m2(&to[i][j], __riscv_vfnmsac_vf_f32m2(sum, 4, here, vl), vl);
    }
}

int main(void) {
  for (int i = 0; i < ROWS; i++) PLAIN for (int j = 0; j < COLUMNS; j++) from[i][j] = small();
  kernel(from, to);
  for (int i = 0; i < ROWS; i++)
    PLAIN for (int j = 0; j < COLUMNS; j++) {
      float right = 0;
      if (0 < i && i < ROWS - 1 && 0 < j && j < COLUMNS - 1)
        right = from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1] - 4 * from[i][j];
      if (to[i][j] != right) return i * COLUMNS + j + 1;
    }
  return 0;
}
