// What the kernels share: numbers, what a loop is to become, and scalar functions to check with.
#include <riscv_vector.h>
#include <stddef.h>
#include <stdint.h>

// The function that is measured. It is not inlined, so that its instructions are told from those of main.
#define KERNEL __attribute__((noinline))

// Elements, bytes, pixels or operations of a run; `vecsim course rvv` divides cycles by it.
#define WORK(count) unsigned long work = (count)

// A loop that the compiler vectorises. It leaves all others alone: -fno-vectorize. What remains after the last
// whole strip is done element by element, and so is all of a loop that is shorter than a strip.
#define VECTORISED _Pragma("clang loop vectorize(enable) interleave(disable)")

// The same, but the last strip is under a mask.
#define MASKED _Pragma("clang loop vectorize(enable) interleave(disable) vectorize_predicate(enable)")

// A loop that stays a loop, so that files are small.
#define PLAIN _Pragma("clang loop unroll(disable)")

// The same numbers in every run.
static inline uint32_t drawn(uint32_t below) {
  static uint32_t state = 1;
  state = state * 1664525 + 1013904223;
  return (state >> 12) % below;
}

// A whole number from -8 to 8: sums of their products are exact, in any order.
static inline int small(void) { return (int)drawn(17) - 8; }

static inline double distance(double a, double b) { return a < b ? b - a : a - b; }

// e^x to 12 digits: a series for x / 1024, and the result squared ten times.
static inline double scalar_exp(double x) {
  double y = x / 1024, e = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5))));
  PLAIN for (int k = 0; k < 10; k++) e *= e;
  return e;
}

// The natural logarithm of a positive number: x = 2^n m, and a series for (m - 1) / (m + 1).
static inline double scalar_log(double x) {
  double n = 0;
  PLAIN for (; x > 1.5; x /= 2) n++;
  PLAIN for (; x < 0.75; x *= 2) n--;
  double z = (x - 1) / (x + 1), power = z, sum = 0;
  PLAIN for (int k = 1; k < 24; k += 2, power *= z * z) sum += power / k;
  return n * 0.69314718055994531 + 2 * sum;
}
