# Exercise 1: strip-mine a loop: a solution.

start:
        li      x3, X
        li      x4, Y
        li      x5, Z
        li      x6, N               # elements left
        li      x7, A
        fl.w    f1, (x7)
strip:
        setvl   x8, x6              # elements of this strip
        lv.w    v1, (x3)
        lv.w    v2, (x4)
        maddvs.s v2, v1, f1
        sv.w    v2, (x5)
        slli    x9, x8, 2           # their bytes
        add     x3, x3, x9
        add     x4, x4, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        halt
