// A sparse matrix with rows of 0 to 15 non-zeros in compressed rows, a vector, and their product.
#include "kernel.h"

enum { ROWS = 200, MOST = 15, ROOM = ROWS * MOST };
unsigned long work; // non-zeros
static uint32_t starts[ROWS + 1], columns[ROOM];
static float values[ROOM], x[ROWS], right[ROWS];

static inline uint32_t length(int row) { return starts[row + 1] - starts[row]; }

static inline void make_matrix(void) {
  PLAIN for (int i = 0; i < ROWS; i++) x[i] = small();
  for (int i = 0; i < ROWS; i++) {
    uint32_t end = starts[i] + drawn(MOST + 1);
    PLAIN for (uint32_t k = starts[i]; k < end; k++) {
      columns[k] = drawn(ROWS), values[k] = small();
      right[i] += values[k] * x[columns[k]];
    }
    starts[i + 1] = end;
  }
  work = starts[ROWS];
}

// Put the rows from first to last, without last, in the order of their lengths, the longest first.
static inline void sort_rows(int first, int last, uint32_t *order) {
  for (int wanted = MOST; wanted >= 0; wanted--)
    PLAIN for (int i = first; i < last; i++) if (length(i) == (uint32_t)wanted) *order++ = i;
}

static inline int first_wrong(const float *y) {
  PLAIN for (int i = 0; i < ROWS; i++)
    if (y[i] != right[i]) return i + 1;
  return 0;
}
