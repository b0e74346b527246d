// Lengths of strings: a load that stops in front of memory that is not there (fault-only-first), and vfirst.
#include "kernel.h"

enum { STRINGS = 12, LONGEST = 3000 };
static const int lengths[STRINGS] = {0, 1, 2, 15, 16, 17, 100, 127, 128, 129, 1000, 2999};
WORK(4534);
static char text[LONGEST + 1];

KERNEL size_t kernel(const char *text) {
  const char *at = text;
  for (;;) {
    size_t vl = __riscv_vsetvlmax_e8m8();
    vuint8m8_t v = __riscv_vle8ff_v_u8m8((const uint8_t *)at, &vl, vl);
    long first = __riscv_vfirst_m_b1(__riscv_vmseq_vx_u8m8_b1(v, 0, vl), vl);
    if (first >= 0) return at + first - text;
    at += vl;
  }
}

int main(void) {
  PLAIN for (int i = 0; i < LONGEST; i++) text[i] = 1 + i % 127;
  for (int k = 0; k < STRINGS; k++) {
    char before = text[lengths[k]];
    text[lengths[k]] = 0;
    size_t right = 0;
    PLAIN while (text[right]) right++;
    if (kernel(text) != right) return k + 1;
    text[lengths[k]] = before;
  }
  return 0;
}
