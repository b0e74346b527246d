// Two steps of Jacobi's method in plain C: all neighbours are loaded, and the end of a row is under a mask.
#include "kernel.h"

enum { N = 34, STEPS = 2 };
WORK(STEPS *(N - 2) * (N - 2));
static double a[N][N], b[N][N], c[N][N], d[N][N];

KERNEL void kernel(const double from[restrict N][N], double to[restrict N][N]) {
  for (int i = 1; i < N - 1; i++)
    MASKED for (int j = 1; j < N - 1; j++) to[i][j] =
        0.2 * (from[i][j] + from[i][j - 1] + from[i][j + 1] + from[i + 1][j] + from[i - 1][j]);
}

static void scalar(double from[N][N], double to[N][N]) {
  for (int i = 1; i < N - 1; i++)
    PLAIN for (int j = 1; j < N - 1; j++) to[i][j] =
        0.2 * (from[i][j] + from[i][j - 1] + from[i][j + 1] + from[i + 1][j] + from[i - 1][j]);
}

int main(void) {
  for (int i = 0; i < N; i++)
    PLAIN for (int j = 0; j < N; j++) a[i][j] = b[i][j] = c[i][j] = d[i][j] = small();
  kernel(a, b), kernel(b, a);
  scalar(c, d), scalar(d, c);
  for (int i = 0; i < N; i++)
    PLAIN for (int j = 0; j < N; j++) if (a[i][j] != c[i][j] || b[i][j] != d[i][j]) return i * N + j + 1;
  return 0;
}
