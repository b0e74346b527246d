# Exercise 19: measure what it takes: a solution.

        .instruction "lerpv.s vd=, va, vb, fa", "va + fa * (vb - va)"
        .equ    RATE, 97
        .equ    PORT, 75            # 3 words an element, 4 a cycle
        .equ    LANES4, 18

start:
        li      x3, X
        li      x4, Y
        li      x5, Z
        li      x6, N
        li      x7, T
        fl.w    f1, (x7)
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        lv.w    v2, (x4)
        lerpv.s v3, v1, v2, f1
        sv.w    v3, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x4, x4, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        halt
