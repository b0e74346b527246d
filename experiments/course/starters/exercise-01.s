# Exercise 1: strip-mine a loop (30 minutes)
#
# z = a x + y for N elements. N is any number from 1 on; a vector register has 64 elements.
#
# Given are the symbols N, and the addresses A (one float), X, Y and Z (N floats each).
# The text below does the first elements: setvl takes as many as there are, at most 64, and says how many. Make it
# do all of them, strip after strip. The last strip may be short.

start:
        li      x3, X
        li      x4, Y
        li      x5, Z
        li      x6, N               # elements left
        li      x7, A
        fl.w    f1, (x7)
        setvl   x8, x6              # elements of this strip
        lv.w    v1, (x3)
        lv.w    v2, (x4)
        maddvs.s v2, v1, f1
        sv.w    v2, (x5)
        halt
