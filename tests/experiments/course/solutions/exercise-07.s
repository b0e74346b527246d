# Exercise 7: a sparse matrix, row by row: a solution.

start:
        li      x3, ROWPTR
        li      x4, ROWS            # rows left
        li      x5, VALUES
        li      x6, COLIDX
        li      x7, X
        li      x8, Y
        li      x16, B
        lw      x9, (x3)            # where the row begins
row:
        lw      x10, 4(x3)          # where it ends
        addi    x3, x3, 4
        sub     x11, x10, x9        # entries left
        mv      x9, x10
        mv      x14, x8
        fl.f    f4, (x16)
        addi    x16, x16, VALUE_BYTES
        addi    x8, x8, VALUE_BYTES
        addi    x4, x4, -1
        beqz    x11, empty
        setvl   x12, x11
        mv      x15, x12            # of the first strip, the longest
        lv.f    v1, (x5)
        lv.w    v2, (x6)
        lvi.f   v3, (x7), v2
        mulvv.f v4, v1, v3
more:
        slli    x13, x12, VALUE_SHIFT
        add     x5, x5, x13
        slli    x13, x12, 2
        add     x6, x6, x13
        sub     x11, x11, x12
        beqz    x11, sum
        setvl   x12, x11
        lv.f    v1, (x5)
        lv.w    v2, (x6)
        lvi.f   v3, (x7), v2
        maddvv.f v4, v1, v3
        j       more
sum:
        setvl   x15
        sumv.f  f1, v4
        fsub.f  f1, f4, f1
        fs.f    f1, (x14)
        bnez    x4, row
        halt
empty:
        fs.f    f4, (x14)
        bnez    x4, row
        halt
