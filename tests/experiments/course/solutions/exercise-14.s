# Exercise 14: a matrix times a vector: a solution.

start:
        li      x3, MATRIX
        li      x5, Y
        li      x6, ROWS
        li      x8, 64
        setvl   x8
        li      x4, X
        lv.w    v1, (x4)
        addi    x6, x6, -1
        lv.w    v2, (x3)
        mulvv.s v3, v1, v2
        sumv.s  f1, v3
        beqz    x6, last
row:
        addi    x3, x3, 256
        lv.w    v2, (x3)
        mulvv.s v3, v1, v2
        sumv.s  f2, v3
        fs.w    f1, (x5)            # of the row before
        addi    x5, x5, 4
        addi    x6, x6, -1
        beqz    x6, even
        addi    x3, x3, 256
        lv.w    v4, (x3)
        mulvv.s v5, v1, v4
        sumv.s  f1, v5
        fs.w    f2, (x5)
        addi    x5, x5, 4
        addi    x6, x6, -1
        bnez    x6, row
last:
        fs.w    f1, (x5)
        halt
even:
        fs.w    f2, (x5)
        halt
