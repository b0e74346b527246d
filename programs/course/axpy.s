# y = a x + y: the first program of most vector machines, LINPACK's inner loop.
#
# The arrays are strip-mined in sections of s elements. The multiply-add chains to the loads of its strip, but its
# results come as fast as the lanes make them, and the port takes accesses in the order of the program: a store right
# behind would hold up the loads of the next strip. So a strip is stored behind the loads of the next, which has
# registers of its own. The port then is never idle, and three words for each element are what the program takes.
#
# Symbols: N; the addresses A, X, Y; VALUE_SHIFT (log2 of the bytes of a value).

.reg x,     x3          # address of the strip's elements of x
.reg y,     x4
.reg left,  x5          # elements left
.reg n,     x6          # elements of this strip
.reg m,     x7          # elements of the strip before or behind
.reg bytes, x8
.reg put,   x9          # where the strip that is not yet stored belongs
.reg a,     f1

start:
    li      x, A
    fl.f    a, (x)
    li      x, X
    li      y, Y
    li      left, N
    beqz    left, done
    setvl   n, left                 # n = min(left, s)
    lv.f    v0, (x)
    lv.f    v1, (y)
    maddvs.f v1, v0, a              # v1 = v1 + v0 a, element by element as they arrive
even:
    sub     left, left, n
    slli    bytes, n, VALUE_SHIFT
    add     x, x, bytes
    mv      put, y
    add     y, y, bytes
    beqz    left, last_even
    setvl   m, left
    lv.f    v2, (x)
    lv.f    v3, (y)
    maddvs.f v3, v2, a
    setvl   n
    sv.f    v1, (put)               # the strip before
odd:                                # the same with the other registers
    sub     left, left, m
    slli    bytes, m, VALUE_SHIFT
    add     x, x, bytes
    mv      put, y
    add     y, y, bytes
    beqz    left, last_odd
    setvl   n, left
    lv.f    v0, (x)
    lv.f    v1, (y)
    maddvs.f v1, v0, a
    setvl   m
    sv.f    v3, (put)
    j       even
last_even:
    setvl   n
    sv.f    v1, (put)
    halt
last_odd:
    setvl   m
    sv.f    v3, (put)
done:
    halt
