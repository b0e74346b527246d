# Exercise 5: find the bank conflict: a solution.

start:
        li      x3, MATRIX          # a row
        li      x5, S
        li      x6, ROWS
        li      x7, 64
        setvl   x7
        movvx   v2, zero            # the sums of all columns
row:
        lv.w    v1, (x3)
        addvv.s v2, v2, v1
        addi    x3, x3, 256
        addi    x6, x6, -1
        bnez    x6, row
        sv.w    v2, (x5)
        halt
