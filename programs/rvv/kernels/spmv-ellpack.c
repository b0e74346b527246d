// y = A x in ELLPACK, in plain C: all rows have the same length, and k-th elements of rows are neighbours.
#include "sparse.h"

static uint32_t padded_columns[MOST][ROWS];
static float padded_values[MOST][ROWS], y[ROWS];

KERNEL void kernel(const uint32_t columns[MOST][ROWS], const float values[MOST][ROWS], const float *x,
                   float *restrict y) {
  for (int k = 0; k < MOST; k++)
    VECTORISED for (int i = 0; i < ROWS; i++) y[i] += values[k][i] * x[columns[k][i]];
}

int main(void) {
  make_matrix();
  for (int i = 0; i < ROWS; i++)
    PLAIN for (uint32_t k = 0; k < length(i); k++) {
      padded_columns[k][i] = columns[starts[i] + k];
      padded_values[k][i] = values[starts[i] + k];
    }
  kernel(padded_columns, padded_values, x, y);
  return first_wrong(y);
}
