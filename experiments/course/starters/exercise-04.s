# Exercise 4: why does chaining matter? (45 minutes)
#
# z = ((c3 x + c2) x + c1) x + c0 for N elements (Horner's rule).
#
# Given are N, C (four floats: c0, c1, c2, c3), X and Z (N floats each). The text below is right: it goes over all elements
# three times, and keeps what it has in memory. Go over them once, with what you have in registers: then one operation
# takes up the elements of another as they come, which is chaining. When it is fast enough you are told the cycles of a
# machine without chaining, too. Before you look: what do you expect, and why is the difference not larger?

start:
        li      x7, C
        fl.w    f0, 12(x7)          # c3 x + c2 first
        li      x10, X
        li      x3, X
        li      x5, Z
        li      x6, N
        fl.w    f1, 8(x7)
first:
        setvl   x8, x6
        lv.w    v1, (x3)
        mulvs.s v2, v1, f0
        addvs.s v2, v2, f1
        sv.w    v2, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, first
        fl.w    f1, 4(x7)
        call    again
        fl.w    f1, (x7)
        call    again
        halt

again:                              # z = z x + f1
        li      x3, X
        li      x5, Z
        li      x6, N
next:
        setvl   x8, x6
        lv.w    v1, (x3)
        lv.w    v2, (x5)
        mulvv.s v2, v2, v1
        addvs.s v2, v2, f1
        sv.w    v2, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, next
        ret
