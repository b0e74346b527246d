# Exercise 16: the largest element, and where it is: a solution.

start:
        li      x3, X
        li      x6, N
        setvl   x8, x6
        mv      x12, x8             # of the first strip, the longest
        lv.w    v1, (x3)            # the largest of every place
        j       counted
strip:
        setvl   x8, x6
        lv.w    v2, (x3)
        maxvv.s v1, v1, v2
counted:
        slli    x9, x8, 2
        add     x3, x3, x9
        sub     x6, x6, x8
        bnez    x6, strip
        setvl   x12
        maxv.s  f1, v1
        li      x7, M
        fs.w    f1, (x7)
        li      x3, X
        li      x6, N
        li      x10, 0              # number of the strip's first element
search:
        setvl   x8, x6
        lv.w    v1, (x3)
        seqvs.s v1, f1
        firstm  x11
        slli    x9, x8, 2
        add     x3, x3, x9
        sub     x6, x6, x8
        bge     x11, x0, found
        add     x10, x10, x8
        j       search
found:
        add     x10, x10, x11
        li      x7, K
        sw      x10, (x7)
        halt
