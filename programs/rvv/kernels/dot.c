// r = x . y in plain C: sums may be reordered, so each lane has its own until the end.
#include "kernel.h"

enum { N = 4096 };
WORK(N);
static double x[N], y[N];

KERNEL double kernel(size_t n, const double *x, const double *y) {
#pragma clang fp reassociate(on)
  double sum = 0;
  VECTORISED for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

int main(void) {
  double right = 0;
  PLAIN for (int i = 0; i < N; i++) {
    x[i] = small(), y[i] = small();
    right += x[i] * y[i];
  }
  return kernel(N, x, y) != right;
}
