// clang-19 --target=riscv64-unknown-elf -march=rv64imac_zba_zbb -mabi=lp64 -mcmodel=medany -ffreestanding -nostdlib -O2 -g -fuse-ld=lld -o sieve.elf sieve.c
#define MOST 10000
int limit = 100, primes[MOST];
long count;
static char composite[MOST], text[100];

static long call(long number, long a, long b, long c) {
  register long a0 asm("a0") = a, a1 asm("a1") = b, a2 asm("a2") = c, a7 asm("a7") = number;
  asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
  return a0;
}

__attribute__((noinline)) void sieve(void) {
  for (int n = 2; n < limit; n++) {
    if (composite[n]) continue;
    primes[count++] = n;
    for (int m = 2 * n; m < limit; m += n) composite[m] = 1;
  }
}

int _start(int argc, char **argv) {
  char *end = text;
  for (int k = 1; k < argc; k++) {
    for (char *from = argv[k]; *from;) *end++ = *from++;
    *end++ = ' ';
  }
  sieve();
  for (long unit = 100; unit; unit /= 10) *end++ = '0' + count / unit % 10;
  *end++ = '\n';
  call(64, 1, (long)text, end - text);
  return argc;
}
