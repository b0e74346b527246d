# Exercise 11: running sums (90 minutes)
#
# z[k] = x[0] + x[1] + ... + x[k] for N elements; N is a multiple of 64.
#
# Given are N, X and Z (N floats each), and SCRATCH (16384 bytes for whatever you like). The text below is right, element by
# element, and each waits for the one before. One way out: cut x into 64 pieces of N / 64 elements. The sums of all pieces can run
# side by side, one in each element of a vector register. What is left is to add to each piece what is before it.

start:
        li      x3, X
        li      x5, Z
        li      x6, N
        mxf     f1, zero
element:
        fl.w    f2, (x3)
        fadd.s  f1, f1, f2
        fs.w    f1, (x5)
        addi    x3, x3, 4
        addi    x5, x5, 4
        addi    x6, x6, -1
        bnez    x6, element
        halt
