// Iterations of z = z^2 + c until |z| > 2: a mask of the points that are still within, and how many they are.
#include "kernel.h"

enum { WIDTH = 50, HEIGHT = 14, MOST = 40 };
WORK(WIDTH *HEIGHT);
static int32_t counts[HEIGHT][WIDTH];
static const float LEFT = -2, TOP = -1.1875f, STEP_X = 0.0625f, STEP_Y = 0.15625f;

KERNEL void kernel(int32_t counts[HEIGHT][WIDTH]) {
  for (int row = 0; row < HEIGHT; row++)
    for (size_t column = 0, vl; column < WIDTH; column += vl) {
      vl = __riscv_vsetvl_e32m2(WIDTH - column);
      vuint32m2_t place = __riscv_vadd_vx_u32m2(__riscv_vid_v_u32m2(vl), column, vl);
      vfloat32m2_t re = __riscv_vfmul_vf_f32m2(__riscv_vfcvt_f_xu_v_f32m2(place, vl), STEP_X, vl);
      re = __riscv_vfadd_vf_f32m2(re, LEFT, vl);
      const float im = TOP + row * STEP_Y;
      vfloat32m2_t x = __riscv_vfmv_v_f_f32m2(0, vl), y = x;
      vint32m2_t count = __riscv_vmv_v_x_i32m2(0, vl);
      for (int step = 0; step < MOST; step++) {
        vfloat32m2_t xx = __riscv_vfmul_vv_f32m2(x, x, vl), yy = __riscv_vfmul_vv_f32m2(y, y, vl);
        vbool16_t within = __riscv_vmfle_vf_f32m2_b16(__riscv_vfadd_vv_f32m2(xx, yy, vl), 4, vl);
        if (__riscv_vcpop_m_b16(within, vl) == 0) break;
        count = __riscv_vadd_vx_i32m2_mu(within, count, count, 1, vl);
        vfloat32m2_t xy = __riscv_vfmul_vv_f32m2(x, y, vl);
        x = __riscv_vfadd_vv_f32m2(__riscv_vfsub_vv_f32m2(xx, yy, vl), re, vl);
        y = __riscv_vfadd_vf_f32m2(__riscv_vfadd_vv_f32m2(xy, xy, vl), im, vl);
      }
      __riscv_vse32_v_i32m2(&counts[row][column], count, vl);
    }
}

static int scalar(float re, float im) {
#pragma clang fp contract(off)
  float x = 0, y = 0;
  int count = 0;
  PLAIN for (; count < MOST; count++) {
    float xx = x * x, yy = y * y, xy = x * y;
    if (!(xx + yy <= 4)) break;
    x = xx - yy + re;
    y = xy + xy + im;
  }
  return count;
}

int main(void) {
  kernel(counts);
  for (int row = 0; row < HEIGHT; row++)
    PLAIN for (int column = 0; column < WIDTH; column++) {
      int right = scalar(LEFT + column * STEP_X, TOP + row * STEP_Y);
      if (counts[row][column] != right) return row * WIDTH + column + 1;
    }
  return 0;
}
