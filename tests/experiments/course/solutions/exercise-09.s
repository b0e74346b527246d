# Exercise 9: a block by LDB and BMIPA: a solution.

start:
        li      x3, ROOT
        li      x4, ROOT_LENGTH
        li      x5, X
        li      x6, Y
        li      x7, 64
        setvl   x7
        lv.f    v1, (x5)
        movvx   v2, zero            # A x
        beqz    x4, store
section:
        ldb.f   v3, v4, (x3), x4, POSITION_BYTES
        bmipa.f v2, v1, v3, v4
        bnez    x4, section
store:
        setvl   x7
        li      x12, B
        lv.f    v5, (x12)
        subvv.f v2, v5, v2
        sv.f    v2, (x6)
        halt
