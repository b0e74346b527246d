# Exercise 14: a matrix times a vector (45 minutes)
#
# y = A x for a matrix of ROWS rows and 64 columns, stored row by row.
#
# Given are ROWS, MATRIX (ROWS x 64 floats), X (64 floats) and Y (ROWS floats). The text below is right. Count what passes the
# memory port for each row, and what of it is always the same. And what does each row wait for at its end? Look at
# `vecsim exec` with --timeline: the next row can begin before the sum of this one is there.

start:
        li      x3, MATRIX
        li      x5, Y
        li      x6, ROWS
        li      x8, 64
        setvl   x8
row:
        li      x4, X
        lv.w    v1, (x4)
        lv.w    v2, (x3)
        mulvv.s v3, v1, v2
        sumv.s  f1, v3
        fs.w    f1, (x5)
        addi    x3, x3, 256
        addi    x5, x5, 4
        addi    x6, x6, -1
        bnez    x6, row
        halt
