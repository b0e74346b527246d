# Exercise 8: long vectors by sorting rows (90 minutes)
#
# y = b - A x with A in jagged diagonals (JD): rows sorted by their lengths, the longest first; the n-th entries of
# all rows that have so many are the n-th diagonal.
#
# Given are ROWS, DIAGONALS, DIAGPTR (DIAGONALS + 1 words: where each diagonal begins), COLIDX, VALUES, PERM (which
# row of A each sorted row is), X, B, Y and WORK (room for ROWS values); .f stands for the type of a value. The text
# below adds diagonal after diagonal to sums in WORK, in the order of the sorted rows, and subtracts them from b as if
# rows were in that order. What is left to do?

start:
        li      x5, X
        li      x12, WORK
        call    clear
        li      x3, DIAGPTR
        li      x4, DIAGONALS
        li      x10, VALUES
        li      x11, COLIDX
        lw      x6, (x3)
diagonal:
        beqz    x4, subtract
        addi    x4, x4, -1
        lw      x7, 4(x3)
        addi    x3, x3, 4
        sub     x8, x7, x6          # its entries
        mv      x6, x7
        li      x12, WORK
strip:
        setvl   x9, x8
        lv.f    v1, (x10)
        lv.w    v2, (x11)
        lvi.f   v3, (x5), v2
        lv.f    v4, (x12)
        maddvv.f v4, v1, v3
        sv.f    v4, (x12)
        slli    x13, x9, VALUE_SHIFT
        add     x10, x10, x13
        add     x12, x12, x13
        slli    x13, x9, 2
        add     x11, x11, x13
        sub     x8, x8, x9
        bnez    x8, strip
        j       diagonal

subtract:
        li      x8, ROWS
        li      x12, WORK
        li      x14, B
        li      x15, Y
rows:
        setvl   x9, x8
        lv.f    v4, (x12)
        lv.f    v5, (x14)
        subvv.f v4, v5, v4
        sv.f    v4, (x15)
        slli    x13, x9, VALUE_SHIFT
        add     x12, x12, x13
        add     x14, x14, x13
        add     x15, x15, x13
        sub     x8, x8, x9
        bnez    x8, rows
        halt

clear:                              # ROWS zeros from x12 on
        li      x8, ROWS
zeros:
        setvl   x9, x8
        movvx   v4, zero
        sv.f    v4, (x12)
        slli    x13, x9, VALUE_SHIFT
        add     x12, x12, x13
        sub     x8, x8, x9
        bnez    x8, zeros
        ret
