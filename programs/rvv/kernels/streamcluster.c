// The nearest of some centres for each point, in plain C: squared distances, each a sum over the dimensions.
#include "kernel.h"

enum { POINTS = 60, DIMENSIONS = 40, CENTRES = 6 };
WORK(POINTS *CENTRES *DIMENSIONS);
static float points[POINTS][DIMENSIONS], centres[CENTRES][DIMENSIONS];
static int nearest[POINTS];

KERNEL void kernel(const float points[POINTS][DIMENSIONS], const float centres[CENTRES][DIMENSIONS],
                   int *restrict nearest) {
#pragma clang fp reassociate(on)
  for (int i = 0; i < POINTS; i++) {
    float best = __builtin_inff();
    PLAIN for (int k = 0; k < CENTRES; k++) {
      float sum = 0;
      VECTORISED for (int d = 0; d < DIMENSIONS; d++) {
        float along = points[i][d] - centres[k][d];
        sum += along * along;
      }
      if (sum < best) best = sum, nearest[i] = k;
    }
  }
}

int main(void) {
  for (int k = 0; k < CENTRES; k++)
    PLAIN for (int d = 0; d < DIMENSIONS; d++) centres[k][d] = small();
  for (int i = 0; i < POINTS; i++) PLAIN for (int d = 0; d < DIMENSIONS; d++) points[i][d] = small();
  kernel(points, centres, nearest);
  for (int i = 0; i < POINTS; i++) {
    int right = 0;
    float best = __builtin_inff();
    for (int k = 0; k < CENTRES; k++) {
      float sum = 0;
      PLAIN for (int d = 0; d < DIMENSIONS; d++) {
        float along = points[i][d] - centres[k][d];
        sum += along * along;
      }
      if (sum < best) best = sum, right = k;
    }
    if (nearest[i] != right) return i + 1;
  }
  return 0;
}
