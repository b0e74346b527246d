# y = a x + y: the first program of most vector machines, LINPACK's inner loop.
#
# The arrays are strip-mined in sections of s elements. The two loads of a strip share the memory port; the
# multiply-add chains to the second and the store to the multiply-add. The strip behind uses registers of its own, so
# that its loads need not wait until this one's are free (a WAR hazard): the port is never idle, and three words for
# each element are what the program takes.
#
# Symbols: N; the addresses A, X, Y; VALUE_SHIFT (log2 of the bytes of a value).

.reg x,     x3          # address of the strip's elements of x
.reg y,     x4
.reg left,  x5          # elements left
.reg n,     x6          # elements of this strip
.reg bytes, x7
.reg a,     f1

start:
    li      x, A
    fl.f    a, (x)
    li      x, X
    li      y, Y
    li      left, N
    beqz    left, done
even:
    setvl   n, left                 # n = min(left, s)
    lv.f    v0, (x)
    lv.f    v1, (y)
    maddvs.f v1, v0, a              # v1 = v1 + v0 a, element by element as they arrive
    slli    bytes, n, VALUE_SHIFT
    add     x, x, bytes
    sv.f    v1, (y)
    add     y, y, bytes
    sub     left, left, n
    beqz    left, done
odd:                                # the same in other registers
    setvl   n, left
    lv.f    v2, (x)
    lv.f    v3, (y)
    maddvs.f v3, v2, a
    slli    bytes, n, VALUE_SHIFT
    add     x, x, bytes
    sv.f    v3, (y)
    add     y, y, bytes
    sub     left, left, n
    bnez    left, even
done:
    halt
