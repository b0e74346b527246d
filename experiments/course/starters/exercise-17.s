# Exercise 17: define an instruction (45 minutes)
#
# z = the distance of x and y, at most L: z[k] = min(|x[k] - y[k]|, L) for N elements.
#
# Given are N, L (a float), X, Y and Z (N floats each). The text below is right, and waits for the add unit: three instructions
# in turn take each element through it. Declare one instruction that does all three, and use it. A directive does it:
#
#     .instruction "NAME.s vd=, va, vb", "va - 2 * vb"
#
# has a vector vd as its result, written vd+ if the rule reads it, too. Operands are vectors (va, vb, ...) and scalar floats
# (fa, fb, ...), three in addition to the result. The rule of an element has operands, numbers, + - * /, abs(a), min(a, b),
# max(a, b) and a if b < c else d. Its hardware costs 1 for each + - abs min max if, 3 for a *, and 10 for a /. Here it
# may cost 3. Its name ends with .s and is none that there is.

start:
        li      x3, X
        li      x4, Y
        li      x5, Z
        li      x6, N
        li      x7, L
        fl.w    f1, (x7)
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        lv.w    v2, (x4)
        subvv.s v3, v1, v2
        absv.s  v3, v3
        minvs.s v3, v3, f1
        sv.w    v3, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x4, x4, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        halt
