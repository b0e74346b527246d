# Exercise 15: transpose without a bank conflict: a solution.

.equ PITCH, 4 * N + 4               # bytes of a row in SCRATCH: an odd number of words

start:
        li      x3, X
        li      x4, SCRATCH
        li      x6, N
        li      x8, N
        setvl   x8
row:
        lv.w    v1, (x3)
        sv.w    v1, (x4)
        addi    x3, x3, 4 * N
        addi    x4, x4, PITCH
        addi    x6, x6, -1
        bnez    x6, row
        li      x4, SCRATCH
        li      x5, Z
        li      x6, N
        li      x7, PITCH
column:
        lvws.w  v1, (x4), x7
        sv.w    v1, (x5)
        addi    x4, x4, 4
        addi    x5, x5, 4 * N
        addi    x6, x6, -1
        bnez    x6, column
        halt
