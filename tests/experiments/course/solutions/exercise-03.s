# Exercise 3: choose by the mask: a solution.

start:
        li      x3, X
        li      x5, Z
        li      x6, N
        li      x7, LOW
        fl.w    f1, (x7)
        li      x7, HIGH
        fl.w    f2, (x7)
        li      x7, 64
        setvl   x7
        movvf   v2, f1              # low and high, in every element
        movvf   v4, f2
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        sltvv.s v1, v2              # mask[k] = x[k] < low
        mergev  v3, v2, v1
        sltvv.s v4, v3              # mask[k] = high < x[k]
        mergev  v3, v4, v3
        sv.w    v3, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        halt
