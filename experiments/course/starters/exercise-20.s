# Exercise 20: argue for an instruction (90 minutes)
#
# z = |x - P[0]| + |x - P[1]| + |x - P[2]| + |x - P[3]| for N elements: how far each is from four places.
#
# Given are N, P (4 floats), X and Z (N floats each). The text below is right. There is hardware for one instruction of cost 4
# (exercise 17 says how to declare one): not enough for all of it, nor for two places at once. Which one shortens the run most?
# Write down in comments which ones you compared, what each costs, how often each element then goes through the add unit, and
# what you choose. Then say what else would help, as whole numbers of percent of the cycles of the last case:
#
#     .equ LANES4, ...    saved by lanes=4, where vs2003 has lanes=2
#     .equ PORTS2, ...    saved by memory_ports=2, where vs2003 has memory_ports=1
#
# Exercise 19 says how to measure them; each may be off by 5. Your text passes if every element goes through your instruction
# and it takes few more cycles than with the best choice.

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
        subvs.s v2, v1, f1
        absv.s  v2, v2
        subvs.s v3, v1, f2
        absv.s  v3, v3
        addvv.s v2, v2, v3
        subvs.s v3, v1, f3
        absv.s  v3, v3
        addvv.s v2, v2, v3
        subvs.s v3, v1, f4
        absv.s  v3, v3
        addvv.s v2, v2, v3
        sv.w    v2, (x5)
        slli    x9, x8, 2
        add     x3, x3, x9
        add     x5, x5, x9
        sub     x6, x6, x8
        bnez    x6, strip
        halt
