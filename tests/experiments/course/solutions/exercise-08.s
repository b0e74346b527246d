# Exercise 8: long vectors by sorting rows: a solution.

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
        beqz    x4, scatter
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

scatter:                            # b less the sums, at the places of their rows
        li      x8, ROWS
        li      x12, WORK
        li      x14, PERM
        li      x15, Y
        li      x16, B
back:
        setvl   x9, x8
        lv.f    v4, (x12)
        lv.w    v5, (x14)
        lvi.f   v6, (x16), v5
        subvv.f v4, v6, v4
        svi.f   v4, (x15), v5
        slli    x13, x9, VALUE_SHIFT
        add     x12, x12, x13
        slli    x13, x9, 2
        add     x14, x14, x13
        sub     x8, x8, x9
        bnez    x8, back
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
