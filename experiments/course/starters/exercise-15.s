# Exercise 15: transpose without a bank conflict (60 minutes)
#
# z = the transpose of a square matrix of N rows, stored row by row; N is 16, 32 or 48.
#
# Given are N, X and Z (N x N floats each), and SCRATCH (16384 bytes for whatever you like). The text below is right: it loads a row
# and stores it as a column. Elements of a column are N words apart, all in one of the 16 banks. Store the rows into SCRATCH first, with
# room between them, so that the elements of a column lie in different banks there; then load the columns.

start:
        li      x3, X
        li      x5, Z
        li      x6, N
        li      x7, 4 * N           # bytes from an element of a column to the next
        li      x8, N
        setvl   x8
row:
        lv.w    v1, (x3)
        svws.w  v1, (x5), x7
        add     x3, x3, x7
        addi    x5, x5, 4
        addi    x6, x6, -1
        bnez    x6, row
        halt
