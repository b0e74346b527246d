// The cheapest way through a grid from top to bottom, row by row, in plain C: minima of three neighbours,
// the end of a row under a mask.
#include "kernel.h"

enum { ROWS = 30, COLUMNS = 100 };
WORK((ROWS - 1) * COLUMNS);
static int32_t wall[ROWS][COLUMNS], one[COLUMNS + 2], other[COLUMNS + 2], right[2][COLUMNS];

static inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static inline void step(const int32_t *restrict costs, const int32_t *restrict from, int32_t *restrict to) {
  MASKED for (int j = 1; j <= COLUMNS; j++) to[j] = costs[j - 1] + least(least(from[j - 1], from[j]), from[j + 1]);
}

// Ways have one element more on either side, which none takes.
KERNEL void kernel(const int32_t wall[ROWS][COLUMNS], int32_t *one, int32_t *other) {
  for (int row = 1; row < ROWS; row++) step(wall[row], row % 2 ? one : other, row % 2 ? other : one);
}

int main(void) {
  for (int i = 0; i < ROWS; i++) PLAIN for (int j = 0; j < COLUMNS; j++) wall[i][j] = drawn(10);
  one[0] = other[0] = one[COLUMNS + 1] = other[COLUMNS + 1] = INT32_MAX;
  PLAIN for (int j = 0; j < COLUMNS; j++) one[j + 1] = right[0][j] = wall[0][j];
  kernel(wall, one, other);
  for (int i = 1; i < ROWS; i++) {
    const int32_t *from = right[(i - 1) % 2];
    PLAIN for (int j = 0; j < COLUMNS; j++) {
      int32_t best = from[j];
      if (j > 0) best = least(best, from[j - 1]);
      if (j < COLUMNS - 1) best = least(best, from[j + 1]);
      right[i % 2][j] = wall[i][j] + best;
    }
  }
  const int32_t *found = (ROWS - 1) % 2 ? other : one;
  PLAIN for (int j = 0; j < COLUMNS; j++)
    if (found[j + 1] != right[(ROWS - 1) % 2][j]) return j + 1;
  return 0;
}
