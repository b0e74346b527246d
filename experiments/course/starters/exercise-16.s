# Exercise 16: the largest element, and where it is (60 minutes)
#
# M = the largest of N elements, and K = the number of the first element that is as large, from 0 on.
#
# Given are N, X (N floats), M (a float) and K (a word). The text below is right, element by element. One way out: maxvv keeps the
# largest of every place of a strip in a vector register, and maxv comes once, after the loop. Then look for it: seqvs sets the
# mask where a strip has it, and firstm says where first.

start:
        li      x3, X
        li      x6, N
        fl.w    f1, (x3)
        li      x10, 0              # where the largest is
        li      x9, 0
element:
        fl.w    f2, (x3)
        fblt.s  f1, f2, larger
        j       next
larger:
        fl.w    f1, (x3)
        mv      x10, x9
next:
        addi    x3, x3, 4
        addi    x9, x9, 1
        addi    x6, x6, -1
        bnez    x6, element
        li      x7, M
        fs.w    f1, (x7)
        li      x7, K
        sw      x10, (x7)
        halt
