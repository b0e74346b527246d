# y = A x with A in block based compression storage (BBCS), pipelined: as a hand-written loop keeps the
# memory port busy. The textbook loop is plain.s.
#
# The matrix is cut into block columns as wide as a section. The s elements of x that belong to a block
# column are loaded once. The non-zeros of the block column are read row-wise in sections: LDS loads one
# and finds the rows that it touches, those elements of y are gathered, MIPA adds the products to them,
# and they are scattered back.
#
# What overlaps: three sections are in flight, each with its own registers. While the products of a section are
# added, the elements of y of the next section are gathered, and the section after that is loaded. A gather
# before the scatter of the section before may read elements of y that this scatter is about to write:
#   - In a block column, this is only a row that continues in the next section. Its sum goes from the register
#     of the one section into that of the other, by way of a scalar register.
#   - Where a block column begins, sections may touch the same rows. If the rows of the new section are
#     not all above or all below those of the section before, it is gathered after the scatter.
# The loop is written three times, so that its usual branches are not taken. The pointers of the next block column
# are loaded a column ahead, because a scalar load waits for the scatters in flight.
#
# y begins with zeros, or with ACCUMULATE = 1 (option accumulate) with what it holds: y += A x.
#
# Symbols from the loader: ROWS, BLOCKS, BLOCKPTR, BLOCKLEN, X, Y, VALUE_SHIFT, SECTION_BITS (log2 of s).

.default ACCUMULATE, 0

.reg blocks,   x3       # block columns left
.reg blockptr, x4       # address of the entry of BLOCKPTR of the next one
.reg blocklen_, x5      # address of its entry of BLOCKLEN
.reg entry,    x6       # address of the next entry
.reg left,     x7       # entries of the block column that are left
.reg ybase,    x8
.reg s,        x9       # section size
.reg xbytes,   x10      # bytes of a segment of x
.reg nextentry, x11     # of the next block column that is not empty: address of its first entry,
.reg nextleft, x12      # its entries, 0: there is no such block column,
.reg nextx,    x13      # and the address of its segment of x

.reg entries0, x14      # entries of sections 0, 3, ...; 0: none
.reg rows0,    x15      # rows that they touch
.reg end0,     x16      # place of the last of these in its register
.reg first0,   x17      # the first of these rows
.reg final0,   x18      # the last of these rows
.reg at0,      x19      # 0, or where a block column begins the address of its segment of x
.reg entries1, x20      # entries of sections 1, 4, ...; 0: none
.reg rows1,    x21
.reg end1,     x22
.reg first1,   x23
.reg final1,   x24
.reg at1,      x25
.reg entries2, x26      # entries of sections 2, 5, ...; 0: none
.reg rows2,    x27
.reg end2,     x28
.reg first2,   x29
.reg final2,   x30
.reg at2,      x31

.reg value0,   v0       # sections 0, 3, ...
.reg position0, v1
.reg row0,     v2
.reg y0,       v3
.reg value1,   v4       # sections 1, 4, ...
.reg position1, v5
.reg row1,     v6
.reg y1,       v7
.reg value2,   v8       # sections 2, 5, ...
.reg position2, v9
.reg row2,     v10
.reg y2,       v11
.reg x,        v12      # multiplicand: s elements of x

start:
    li      s, 1 << SECTION_BITS
    slli    xbytes, s, VALUE_SHIFT
.if ACCUMULATE
.else
    li      left, ROWS
    li      ybase, Y
    setvl   left
    movvx   y0, zero
clear:                              # y = 0
    setvl   rows0, left
    sv.f    y0, (ybase)
    sub     left, left, rows0
    add     ybase, ybase, xbytes
    bnez    left, clear
.endif
    li      blocks, BLOCKS
    li      blockptr, BLOCKPTR
    li      blocklen_, BLOCKLEN
    li      ybase, Y
    li      nextx, X
    sub     nextx, nextx, xbytes
    li      entries0, 0
    li      entries2, 0             # as if there were an empty section before the first,
    li      rows2, 0                # one that its only row continues in
    li      first2, -1
    li      final1, -1
    li      final2, -1
begin:                              # the first block column that is not empty
    beqz    blocks, stage2
    lw      entry, (blockptr)
    lw      left, (blocklen_)
    addi    blocks, blocks, -1
    addi    blockptr, blockptr, 4
    addi    blocklen_, blocklen_, 4
    add     nextx, nextx, xbytes
    beqz    left, begin
    mts     blocklen, left
    mts     rowptr, zero
    lds.f   value0, position0, row0, (entry)
    mfs     entries0, vl
    mfs     left, blocklen          # what LDS left of the block column
    setvl   s
    lv.f    x, (nextx)
    li      at0, 0
    li      nextleft, 0
    beqz    blocks, stage2
    call    prefetch
    j       stage2

stage0:                             # products of section 0; 1 is being loaded, 2 comes after it
    beqz    entries1, last0
    mfs     rows1, rowcount         # known when the whole section has arrived
    li      at2, 0
    beqz    left, ahead0
load0:
    lds.f   value2, position2, row2, (entry)
    mfs     entries2, vl
    mfs     left, blocklen          # what LDS left of the block column
loaded0:
    extx    first1, row1, zero
    addi    end1, rows1, -1
    extx    final1, row1, end1
    setvl   rows1
    blt     first1, final0, begins0 # only where a block column begins
gather0:
    lvi.f   y1, (ybase), row1       # before the scatter of this section
    bne     first0, final2, multiply0# no row continues
    extf    f1, y2, end2
    insf    y0, f1, zero
multiply0:
    setvl   entries0
    mipa.f  y0, x, value0, position0# x is in a register; products add to their rows
    bnez    at1, column0
store0:
    bnez    at2, look0
scatter0:
    setvl   rows0
    svi.f   y0, (ybase), row0

stage1:                             # products of section 1; 2 is being loaded, 0 comes after it
    beqz    entries2, last1
    mfs     rows2, rowcount
    li      at0, 0
    beqz    left, ahead1
load1:
    lds.f   value0, position0, row0, (entry)
    mfs     entries0, vl
    mfs     left, blocklen
loaded1:
    extx    first2, row2, zero
    addi    end2, rows2, -1
    extx    final2, row2, end2
    setvl   rows2
    blt     first2, final1, begins1
gather1:
    lvi.f   y2, (ybase), row2
    bne     first1, final0, multiply1
    extf    f1, y0, end0
    insf    y1, f1, zero
multiply1:
    setvl   entries1
    mipa.f  y1, x, value1, position1
    bnez    at2, column1
store1:
    bnez    at0, look1
scatter1:
    setvl   rows1
    svi.f   y1, (ybase), row1

stage2:                             # products of section 2; 0 is being loaded, 1 comes after it
    beqz    entries0, last2
    mfs     rows0, rowcount
    li      at1, 0
    beqz    left, ahead2
load2:
    lds.f   value1, position1, row1, (entry)
    mfs     entries1, vl
    mfs     left, blocklen
loaded2:
    extx    first0, row0, zero
    addi    end0, rows0, -1
    extx    final0, row0, end0
    setvl   rows0
    blt     first0, final2, begins2
gather2:
    lvi.f   y0, (ybase), row0
    bne     first2, final1, multiply2
    extf    f1, y1, end1
    insf    y2, f1, zero
multiply2:
    setvl   entries2
    mipa.f  y2, x, value2, position2
    bnez    at0, column2
store2:
    bnez    at1, look2
scatter2:
    setvl   rows2
    svi.f   y2, (ybase), row2
    j       stage0

ahead0:                             # the next section begins a block column
    li      entries2, 0
    beqz    nextleft, loaded0
    mv      entry, nextentry
    mv      at2, nextx
    mts     blocklen, nextleft
    mts     rowptr, zero
    j       load0
begins0:                            # rows of a block column next to those of the one before
    blt     final1, first0, gather0
    bne     first0, final2, apart0  # they may be the same: gather after the scatter
    extf    f1, y2, end2
    insf    y0, f1, zero
apart0:
    setvl   entries0
    mipa.f  y0, x, value0, position0
    setvl   s
    lv.f    x, (at1)
    setvl   rows0
    svi.f   y0, (ybase), row0
    setvl   rows1
    lvi.f   y1, (ybase), row1
    beqz    at2, stage1
    call    prefetch
    j       stage1
column0:                            # x of the block column that begins
    setvl   s
    lv.f    x, (at1)
    j       store0
look0:
    call    prefetch
    j       scatter0
last0:                              # no section follows
    bne     first0, final2, end_0
    extf    f1, y2, end2
    insf    y0, f1, zero
end_0:
    setvl   entries0
    mipa.f  y0, x, value0, position0
    setvl   rows0
    svi.f   y0, (ybase), row0
    halt

ahead1:
    li      entries0, 0
    beqz    nextleft, loaded1
    mv      entry, nextentry
    mv      at0, nextx
    mts     blocklen, nextleft
    mts     rowptr, zero
    j       load1
begins1:
    blt     final2, first1, gather1
    bne     first1, final0, apart1
    extf    f1, y0, end0
    insf    y1, f1, zero
apart1:
    setvl   entries1
    mipa.f  y1, x, value1, position1
    setvl   s
    lv.f    x, (at2)
    setvl   rows1
    svi.f   y1, (ybase), row1
    setvl   rows2
    lvi.f   y2, (ybase), row2
    beqz    at0, stage2
    call    prefetch
    j       stage2
column1:
    setvl   s
    lv.f    x, (at2)
    j       store1
look1:
    call    prefetch
    j       scatter1
last1:
    bne     first1, final0, end_1
    extf    f1, y0, end0
    insf    y1, f1, zero
end_1:
    setvl   entries1
    mipa.f  y1, x, value1, position1
    setvl   rows1
    svi.f   y1, (ybase), row1
    halt

ahead2:
    li      entries1, 0
    beqz    nextleft, loaded2
    mv      entry, nextentry
    mv      at1, nextx
    mts     blocklen, nextleft
    mts     rowptr, zero
    j       load2
begins2:
    blt     final0, first2, gather2
    bne     first2, final1, apart2
    extf    f1, y1, end1
    insf    y2, f1, zero
apart2:
    setvl   entries2
    mipa.f  y2, x, value2, position2
    setvl   s
    lv.f    x, (at0)
    setvl   rows2
    svi.f   y2, (ybase), row2
    setvl   rows0
    lvi.f   y0, (ybase), row0
    beqz    at1, stage0
    call    prefetch
    j       stage0
column2:
    setvl   s
    lv.f    x, (at0)
    j       store2
look2:
    call    prefetch
    j       scatter2
last2:
    bne     first2, final1, end_2
    extf    f1, y1, end1
    insf    y2, f1, zero
end_2:
    setvl   entries2
    mipa.f  y2, x, value2, position2
    setvl   rows2
    svi.f   y2, (ybase), row2
    halt

# Find the next block column that is not empty: nextentry, nextleft, nextx; nextleft = 0 if there is none.
prefetch:
    li      nextleft, 0
    beqz    blocks, found
    addi    blocks, blocks, -1
    lw      nextentry, (blockptr)
    lw      nextleft, (blocklen_)
    addi    blockptr, blockptr, 4
    addi    blocklen_, blocklen_, 4
    add     nextx, nextx, xbytes
    beqz    nextleft, prefetch
found:
    ret
