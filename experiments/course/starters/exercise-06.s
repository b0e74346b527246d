# Exercise 6: find the fault (30 minutes)
#
# z[k] = table[index[k]] for N elements: a gather.
#
# Given are N, TABLE (floats), INDEX (N words) and Z (N floats). The text below ends in a fault, or with wrong elements. Let
# `vecsim debug` run it (or `vecsim grade` say where it stops), look at the addresses, read `vecsim isa lvi.w`, and mend it.

start:
        li      x4, TABLE
        li      x3, INDEX
        li      x5, Z
        li      x6, N
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        addvv.w v1, v1, v1          # bytes: four times the index
        addvv.w v1, v1, v1
        lvi.w   v2, (x4), v1
        sv.w    v2, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        halt
