# r = x . y, the sum of the products of two arrays.
#
# A sum over all elements would be added one after the other. Here element k of a register collects the products of
# elements k, k + s, k + 2s, ...: s sums side by side, which one reduction adds at the end. The last strip may be
# shorter; then the elements behind keep what they have.
#
# Symbols: N; the addresses X, Y, R; VALUE_SHIFT (log2 of the bytes of a value), SECTION_BITS (log2 of s).

.reg x,     x3
.reg y,     x4
.reg left,  x5          # elements left
.reg n,     x6          # elements of this strip
.reg bytes, x7
.reg s,     x8
.reg r,     x9
.reg sums,  v4

start:
    li      x, X
    li      y, Y
    li      r, R
    li      left, N
    li      s, 1 << SECTION_BITS
    setvl   s
    movvx   sums, zero              # s sums of nothing
    beqz    left, total
even:
    setvl   n, left
    lv.f    v0, (x)
    lv.f    v1, (y)
    maddvv.f sums, v0, v1
    slli    bytes, n, VALUE_SHIFT
    add     x, x, bytes
    add     y, y, bytes
    sub     left, left, n
    beqz    left, total
odd:                                # in other registers: its loads do not wait for the multiply-add above
    setvl   n, left
    lv.f    v2, (x)
    lv.f    v3, (y)
    maddvv.f sums, v2, v3
    slli    bytes, n, VALUE_SHIFT
    add     x, x, bytes
    add     y, y, bytes
    sub     left, left, n
    bnez    left, even
total:
    setvl   s
    sumv.f  f1, sums                # a tree of log2(s) levels
    fs.f    f1, (r)
    halt
