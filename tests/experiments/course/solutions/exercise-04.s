# Exercise 4: why does chaining matter?: a solution.

start:
        li      x7, C
        fl.w    f0, (x7)
        fl.w    f1, 4(x7)
        fl.w    f2, 8(x7)
        fl.w    f3, 12(x7)
        li      x3, X
        li      x5, Z
        li      x6, N
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        mulvs.s v2, v1, f3
        addvs.s v3, v2, f2
        mulvv.s v4, v3, v1
        addvs.s v5, v4, f1
        mulvv.s v6, v5, v1
        addvs.s v7, v6, f0
        sv.w    v7, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        halt
