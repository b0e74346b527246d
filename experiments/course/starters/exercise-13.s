# Exercise 13: keep what is above a bound (45 minutes)
#
# z = the elements of x that are greater than T, in their order, and K = how many they are.
#
# Given are N, T (a float), X (N floats), Z (room for the elements that are kept, and no more) and K (a word). The text below
# is right, element by element. Compare a strip at once: sgtvs sets the mask. compressv moves the elements of a strip whose bit
# is 1 together, popm counts them. Store as many as there are, and no more.

start:
        li      x3, X
        li      x5, Z
        li      x6, N
        li      x7, T
        fl.w    f1, (x7)
        li      x10, 0              # how many are kept
element:
        fl.w    f2, (x3)
        fblt.s  f1, f2, keep
        j       next
keep:
        fs.w    f2, (x5)
        addi    x5, x5, 4
        addi    x10, x10, 1
next:
        addi    x3, x3, 4
        addi    x6, x6, -1
        bnez    x6, element
        li      x7, K
        sw      x10, (x7)
        halt
