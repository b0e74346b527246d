# Exercise 19: measure what it takes (60 minutes)
#
# z = x + T (y - x) for N elements: what lies between x and y, in place T.
#
# Given are N, T (a float), X, Y and Z (N floats each). The text below is right. Declare one instruction for all of it, of cost 5
# at most (exercise 17 says how), and use it. Then measure, and write three whole numbers into the text:
#
#     .equ RATE, ...      cycles that 100 more elements take: vecsim grade prints the cycles of each case
#     .equ PORT, ...      cycles in which the memory port moves at least what 100 elements need: 4 words a cycle
#     .equ LANES4, ...    percent of the cycles of the last case that lanes=4 saves, where vs2003 has lanes=2
#
# For LANES4, put .equ N, 1000 and arrays into a copy of your text (.data, then X: .space 4 * N and so on), and compare
# vecsim exec copy.s with vecsim exec copy.s --set lanes=4. RATE and LANES4 may be off by 6, PORT by 1. Compare RATE with PORT:
# what limits your text, and what would a still larger instruction save?

start:
        li      x3, X
        li      x4, Y
        li      x5, Z
        li      x6, N
        li      x7, T
        fl.w    f1, (x7)
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        lv.w    v2, (x4)
        subvv.s v3, v2, v1
        mulvs.s v3, v3, f1
        addvv.s v3, v1, v3
        sv.w    v3, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x4, x4, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        halt
