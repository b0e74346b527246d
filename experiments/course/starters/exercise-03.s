# Exercise 3: choose by the mask (30 minutes)
#
# z[k] = low if x[k] < low, high if x[k] > high, else x[k]: clip N elements to a range, without a branch for each.
#
# Given are N, LOW and HIGH (one float each), X and Z (N floats each). A compare such as sltvv writes the vector mask,
# mergev chooses by it. The text below takes care of one of the two ends.

start:
        li      x3, X
        li      x5, Z
        li      x6, N
        li      x7, LOW
        fl.w    f1, (x7)
        li      x7, 64
        setvl   x7
        movvf   v2, f1              # low, in every element
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        sltvv.s v1, v2              # mask[k] = x[k] < low
        mergev  v3, v2, v1
        sv.w    v3, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        halt
