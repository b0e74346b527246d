# Exercise 10: LDB's cousin (60 minutes)
#
# As exercise 9, without LDB: what would it take if the machine had no such instruction?
#
# A record of the block array has 8 bytes here: the value (a float), and then its column and its row in 16 bits each.
# BMIPA takes in each element of its last operand the row in the upper half and the column in the lower. Given are
# ROOT, ROOT_LENGTH, X, B and Y. The text below loads values and positions as if they stood one behind the other. You
# may take four times as long as with LDB; look at where the cycles go, and say what LDB buys.

start:
        li      x3, ROOT
        li      x4, ROOT_LENGTH
        li      x5, X
        li      x6, Y
        li      x7, 64
        setvl   x7
        lv.w    v1, (x5)
        movvx   v2, zero            # A x
        beqz    x4, store
        slli    x8, x4, 2
        add     x8, x8, x3          # behind all values?
section:
        setvl   x9, x4
        lv.w    v3, (x3)
        lv.w    v4, (x8)
        bmipa.s v2, v1, v3, v4
        slli    x10, x9, 2
        add     x3, x3, x10
        add     x8, x8, x10
        sub     x4, x4, x9
        bnez    x4, section
store:
        setvl   x7
        li      x12, B
        lv.w    v5, (x12)
        subvv.s v2, v5, v2
        sv.w    v2, (x6)
        halt
