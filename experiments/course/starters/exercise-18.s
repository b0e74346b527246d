# Exercise 18: implement a kernel with it (45 minutes)
#
# r = |x[0] - y[0]| + |x[1] - y[1]| + ... for N elements: how much two pieces of pictures differ.
#
# Given are N, X, Y (N floats each) and R (one float). The text below is right, and slow. Declare an instruction that takes an
# element of x and one of y, and adds what they differ by to a vector register of partial sums: vd+ is read and written
# (exercise 17 says how to declare one). It may cost 3. Sum the register up once, after the loop. N is at least 1; the last
# strip may be short, and the register of partial sums must then keep its other elements.

start:
        li      x3, X
        li      x4, Y
        li      x6, N
        mxf     f1, zero
strip:
        setvl   x8, x6
        lv.w    v1, (x3)
        lv.w    v2, (x4)
        subvv.s v3, v1, v2
        absv.s  v3, v3
        sumv.s  f2, v3
        fadd.s  f1, f1, f2
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x4, x4, x9
        sub     x6, x6, x8
        bnez    x6, strip
        li      x5, R
        fs.w    f1, (x5)
        halt
