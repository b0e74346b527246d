# Exercise 9: a block by LDB and BMIPA (45 minutes)
#
# y = b - A x with A of at most 64 x 64 in the hierarchical sparse matrix format (HiSM): one block array of values.
#
# Given are ROOT (address of the array), ROOT_LENGTH (its entries, perhaps 0), POSITION_BYTES (bytes of a position),
# X, B and Y, which have room for 64 elements; .f stands for the type of a value. LDB loads a section of up to 64
# entries, values and positions, and moves address and length on; BMIPA multiplies it with x and adds to the rows of a
# register. The text below takes one section.

start:
        li      x3, ROOT
        li      x4, ROOT_LENGTH
        li      x5, X
        li      x6, Y
        li      x7, 64
        setvl   x7
        lv.f    v1, (x5)
        movvx   v2, zero            # A x
        ldb.f   v3, v4, (x3), x4, POSITION_BYTES
        bmipa.f v2, v1, v3, v4
        setvl   x7
        li      x12, B
        lv.f    v5, (x12)
        subvv.f v2, v5, v2
        sv.f    v2, (x6)
        halt
