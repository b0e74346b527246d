# Exercise 20: argue for an instruction: a solution.
#
# An element goes through the add unit 11 times without it. |x - p| costs 2: 7 times. Adding that to the sum costs 3: 4 times, and
# once to begin with 0. Two places at once would cost 5 and leave 3 times. A multiplication never helps.

        .instruction "farv.s vd+, va, fa", "vd + abs(va - fa)"
        .equ    LANES4, 49
        .equ    PORTS2, 0

start:
        li      x3, X
        li      x5, Z
        li      x6, N
        li      x7, P
        fl.w    f1, (x7)
        fl.w    f2, 4(x7)
        fl.w    f3, 8(x7)
        fl.w    f4, 12(x7)
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        movvx   v2, zero
        farv.s  v2, v1, f1
        farv.s  v2, v1, f2
        farv.s  v2, v1, f3
        farv.s  v2, v1, f4
        sv.w    v2, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        halt
