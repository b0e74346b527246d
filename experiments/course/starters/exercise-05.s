# Exercise 5: find the bank conflict (45 minutes)
#
# s[j] = a[0][j] + a[1][j] + ... : the sums of the columns of a matrix of ROWS rows and 64 columns, stored row by row.
#
# Given are ROWS, MATRIX (ROWS x 64 floats) and S (64 floats). The text below is right: for each column it loads the
# elements, 64 words apart, and sums them up. Memory has 16 banks. Look at the banks in the extended view of
# `vecsim debug` (or at the causes that `vecsim exec` shows), and find an order in which to add that has no conflict.
# When it is fast enough you are told the cycles on a machine with 61 banks, too.

start:
        li      x3, MATRIX          # the top of a column
        li      x5, S
        li      x10, 64             # columns left
        li      x11, 256            # bytes of a row
column:
        mv      x4, x3
        li      x6, ROWS
        mxf     f1, zero
strip:
        setvl   x8, x6
        lvws.w  v1, (x4), x11
        sumv.s  f2, v1
        fadd.s  f1, f1, f2
        slli    x9, x8, 8
        add     x4, x4, x9
        sub     x6, x6, x8
        bnez    x6, strip
        fs.w    f1, (x5)
        addi    x5, x5, 4
        addi    x3, x3, 4
        addi    x10, x10, -1
        bnez    x10, column
        halt
