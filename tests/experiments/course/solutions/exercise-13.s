# Exercise 13: keep what is above a bound: a solution.

start:
        li      x3, X
        li      x5, Z
        li      x6, N
        li      x7, T
        fl.w    f1, (x7)
        li      x10, 0
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        sgtvs.s v1, f1
        compressv v2, v1
        popm    x11
        slli    x9, x8, 2
        add     x3, x3, x9
        sub     x6, x6, x8
        beqz    x11, none
        setvl   x12, x11
        sv.w    v2, (x5)
        slli    x9, x11, 2
        add     x5, x5, x9
        add     x10, x10, x11
none:
        bnez    x6, strip
        li      x7, K
        sw      x10, (x7)
        halt
