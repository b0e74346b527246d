# Exercise 11: running sums: a solution.

.equ PIECE, N / 64                  # elements of a piece

start:
        li      x3, X
        li      x5, Z
        li      x6, PIECE
        li      x7, 4 * PIECE       # from an element of a piece to that of the next
        li      x8, 64
        setvl   x8
        movvx   v2, zero            # the running sums of all pieces
side_by_side:
        lvws.w  v1, (x3), x7
        addvv.s v2, v2, v1
        svws.w  v2, (x5), x7
        addi    x3, x3, 4
        addi    x5, x5, 4
        addi    x6, x6, -1
        bnez    x6, side_by_side
        li      x9, SCRATCH
        sv.w    v2, (x9)            # what each piece sums up to
        mxf     f1, zero            # what is before a piece
        li      x5, Z
        li      x10, 64
piece:
        li      x6, PIECE
strip:
        setvl   x8, x6
        lv.w    v1, (x5)
        addvs.s v1, v1, f1
        sv.w    v1, (x5)
        slli    x11, x8, 2
        add     x5, x5, x11
        sub     x6, x6, x8
        bnez    x6, strip
        fl.w    f2, (x9)
        fadd.s  f1, f1, f2
        addi    x9, x9, 4
        addi    x10, x10, -1
        bnez    x10, piece
        halt
