// y = A x in plain C: sums keep the order of the source, which an ordered reduction does.
#include "kernel.h"

enum { ROWS = 60, COLUMNS = 100 };
WORK(ROWS * COLUMNS);
static double a[ROWS * COLUMNS], x[COLUMNS], y[ROWS];

KERNEL void kernel(size_t rows, size_t columns, const double *a, const double *x, double *restrict y) {
  for (size_t i = 0; i < rows; i++, a += columns) {
    double sum = 0;
    VECTORISED for (size_t j = 0; j < columns; j++) sum += a[j] * x[j];
    y[i] = sum;
  }
}

int main(void) {
  PLAIN for (int i = 0; i < ROWS * COLUMNS; i++) a[i] = small();
  PLAIN for (int j = 0; j < COLUMNS; j++) x[j] = small();
  kernel(ROWS, COLUMNS, a, x, y);
  for (int i = 0; i < ROWS; i++) {
    double right = 0;
    PLAIN for (int j = 0; j < COLUMNS; j++) right += a[i * COLUMNS + j] * x[j];
    if (y[i] != right) return i + 1;
  }
  return 0;
}
