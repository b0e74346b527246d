# Exercise 18: implement a kernel with it: a solution.

        .instruction "sadv.s vd+, va, vb", "vd + abs(va - vb)"

start:
        li      x3, X
        li      x4, Y
        li      x6, N
        li      x7, 64
        setvl   x7
        movvx   v3, zero            # partial sums
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        lv.w    v2, (x4)
        sadv.s  v3, v1, v2
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x4, x4, x9
        sub     x6, x6, x8
        bnez    x6, strip
        setvl   x7                  # all of them, whatever the last strip had
        sumv.s  f1, v3
        li      x5, R
        fs.w    f1, (x5)
        halt
