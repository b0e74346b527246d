# Exercise 10: LDB's cousin: a solution.

start:
        li      x3, ROOT            # the value of a record
        li      x4, ROOT_LENGTH
        li      x5, X
        li      x6, Y
        li      x7, 64
        li      x11, 8              # bytes of a record
        addi    x8, x3, 4           # its position
        setvl   x7
        lv.w    v1, (x5)
        movvx   v2, zero            # A x
        beqz    x4, store
section:
        setvl   x9, x4
        lvws.w  v3, (x3), x11
        lvws.w  v4, (x8), x11
        bmipa.s v2, v1, v3, v4
        slli    x10, x9, 3
        add     x3, x3, x10
        add     x8, x8, x10
        sub     x4, x4, x9
        bnez    x4, section
store:
        setvl   x7
        li      x12, B
        lv.w    v5, (x12)
        subvv.s v2, v5, v2
        sv.w    v2, (x6)
        halt
