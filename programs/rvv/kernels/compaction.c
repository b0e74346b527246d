// Copy the elements above a limit, in their order: a comparison, vcompress, and a count of the mask.
#include "kernel.h"

enum { N = 3000, LIMIT = 600 };
WORK(N);
static int32_t x[N], y[N];

KERNEL size_t kernel(size_t n, int32_t limit, const int32_t *x, int32_t *y) {
  int32_t *begin = y;
  for (size_t vl; n > 0; n -= vl, x += vl) {
    vl = __riscv_vsetvl_e32m4(n);
    vint32m4_t v = __riscv_vle32_v_i32m4(x, vl);
    vbool8_t above = __riscv_vmsgt_vx_i32m4_b8(v, limit, vl);
    size_t count = __riscv_vcpop_m_b8(above, vl);
    __riscv_vse32_v_i32m4(y, __riscv_vcompress_vm_i32m4(v, above, vl), count);
    y += count;
  }
  return y - begin;
}

int main(void) {
  PLAIN for (int i = 0; i < N; i++) x[i] = drawn(1000);
  size_t count = kernel(N, LIMIT, x, y), k = 0;
  PLAIN for (int i = 0; i < N; i++)
    if (x[i] > LIMIT && y[k++] != x[i]) return k;
  return k == count ? 0 : k + 1;
}
