# Exercise 12: beat CHiSM on small matrices: a solution.

.reg s,        x3
.reg records,  x4       # the block array of level 1
.reg left,     x5       # its entries left
.reg lengths,  x6       # of the arrays that it points to
.reg n,        x7       # entries of a section
.reg i,        x8
.reg array,    x9       # a block array of values
.reg length,   x10      # its entries
.reg row,      x11      # its block row, a slice of the cache
.reg t,        x12
.reg xseg,     x13
.reg slot,     x14
.reg all,      x15
.reg yseg,     x16

# A run begins with a cache of zeros, so y need not be loaded; and only the slices are stored that have rows.
.equ SLICES, (ROWS + 63) / 64

start:
        li      s, 64
        li      records, ROOT
        li      left, ROOT_LENGTH
.if LEVELS - 1
        li      lengths, ROOT + ROOT_LENGTH * (4 + 2 * POSITION_BYTES) + 15 & -16
section:
        ldb.w   v0, v1, (records), left, POSITION_BYTES
        lv.w    v2, (lengths)
        mfs     n, vl
        slli    t, n, 2
        add     lengths, lengths, t
        li      i, 0
child:
        extx    array, v0, i
        extx    t, v1, i
        extx    length, v2, i
        srli    row, t, 16
        andi    t, t, 63
        slli    t, t, 8
        li      xseg, X
        add     xseg, xseg, t
        setvl   s
        lv.f    v6, (xseg)
values:
        ldb.f   v3, v4, (array), length, POSITION_BYTES
        bmipac.f row, v6, v3, v4
        bnez    length, values
        addi    i, i, 1
        blt     i, n, child
        bnez    left, section
.else
        li      xseg, X
        li      row, 0
        setvl   s
        lv.f    v6, (xseg)
        beqz    left, store
values:
        ldb.f   v3, v4, (records), left, POSITION_BYTES
        bmipac.f row, v6, v3, v4
        bnez    left, values
store:
.endif
        li      slot, 0
        li      all, SLICES * 64
        li      yseg, Y
        stc.f   slot, (yseg), all
        li      t, B
        li      left, ROWS
subtract:                           # b less what the cache had
        setvl   n, left
        lv.f    v5, (t)
        lv.f    v6, (yseg)
        subvv.f v5, v5, v6
        sv.f    v5, (yseg)
        addi    t, t, 256
        addi    yseg, yseg, 256
        sub     left, left, n
        bnez    left, subtract
        halt
