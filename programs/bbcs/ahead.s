# y = A x with A in block based compression storage (BBCS), with the next section loaded ahead: between the
# textbook loop, plain.s, and the one that overlaps the gathers of sections as well, pipelined.s.
#
# The matrix is cut into block columns as wide as a section. The s elements of x that belong to a block
# column are loaded once. The non-zeros of the block column are read row-wise in sections: LDS loads one
# and finds the rows that it touches, those elements of y are gathered, MIPA adds the products to them,
# and they are scattered back. A row that goes on in the next section is gathered again there.
#
# What overlaps: sections alternate between two sets of registers, so that the next section is in flight, also
# across the end of a block column, while this one is multiplied. The next section's gather comes after this
# one's scatter: they may touch the same rows.
#
# y begins with zeros, or with ACCUMULATE = 1 (option accumulate) with what it holds: y += A x.
#
# Symbols from the loader: ROWS, BLOCKS, BLOCKPTR, BLOCKLEN, X, Y, VALUE_SHIFT, SECTION_BITS (log2 of s).

.default ACCUMULATE, 0

.reg blocks,   x3       # block columns left
.reg blockptr, x4       # address of the block column's entry of BLOCKPTR
.reg blocklen_, x5      # address of its entry of BLOCKLEN
.reg entry,    x6       # address of the next entry
.reg left,     x7       # entries of the block column that are left
.reg ybase,    x8
.reg xseg,     x9       # address of the segment of x of the block column that LDS reads from
.reg entries,  x10      # entries of this section
.reg rows,     x11      # rows that they touch
.reg s,        x12      # section size
.reg next,     x13      # entries of the next section, 0: none
.reg fresh,    x14      # 1: the next section begins a block column
.reg xbytes,   x15      # bytes of a segment of x

.reg value0,   v0       # sections 0, 2, ...
.reg position0, v1
.reg row0,     v2
.reg y0,       v3
.reg x,        v4       # multiplicand: s elements of x
.reg value1,   v5       # sections 1, 3, ...
.reg position1, v6
.reg row1,     v7
.reg y1,       v8

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
    setvl   rows, left
    sv.f    y0, (ybase)
    sub     left, left, rows
    add     ybase, ybase, xbytes
    bnez    left, clear
.endif
    li      blocks, BLOCKS
    li      blockptr, BLOCKPTR
    li      blocklen_, BLOCKLEN
    li      ybase, Y
    li      xseg, X
    sub     xseg, xseg, xbytes

    call    ahead
    beqz    left, done
    lds.f   value0, position0, row0, (entry)
    mfs     next, vl
    setvl   s
    lv.f    x, (xseg)

section0:
    mv      entries, next
    mfs     rows, rowcount          # known when the whole section has arrived
    setvl   rows
    lvi.f   y0, (ybase), row0       # y of the rows touched: a gather
    mfs     left, blocklen          # what LDS left of the block column
    li      fresh, 0
    bnez    left, fetch0
    call    ahead
fetch0:
    li      next, 0
    beqz    left, multiply0         # this is the last section
    lds.f   value1, position1, row1, (entry) # the next section, while this one's y comes in
    mfs     next, vl
multiply0:
    setvl   entries
    mipa.f  y0, x, value0, position0 # x is in a register; products add to their rows
    setvl   rows
    svi.f   y0, (ybase), row0       # y goes back: a scatter
    beqz    next, done
    beqz    fresh, section1         # the same block column: x stays
    setvl   s
    lv.f    x, (xseg)

section1:
    mv      entries, next
    mfs     rows, rowcount          # known when the whole section has arrived
    setvl   rows
    lvi.f   y1, (ybase), row1       # y of the rows touched: a gather
    mfs     left, blocklen          # what LDS left of the block column
    li      fresh, 0
    bnez    left, fetch1
    call    ahead
fetch1:
    li      next, 0
    beqz    left, multiply1         # this is the last section
    lds.f   value0, position0, row0, (entry) # the next section, while this one's y comes in
    mfs     next, vl
multiply1:
    setvl   entries
    mipa.f  y1, x, value1, position1 # x is in a register; products add to their rows
    setvl   rows
    svi.f   y1, (ybase), row1       # y goes back: a scatter
    beqz    next, done
    beqz    fresh, section0         # the same block column: x stays
    setvl   s
    lv.f    x, (xseg)
    j       section0

# Go to the next block column that is not empty: entry, left, xseg and what LDS counts; left = 0 if none is.
ahead:
    li      left, 0
    beqz    blocks, found
    addi    blocks, blocks, -1
    lw      entry, (blockptr)
    lw      left, (blocklen_)
    addi    blockptr, blockptr, 4
    addi    blocklen_, blocklen_, 4
    add     xseg, xseg, xbytes
    beqz    left, ahead
    li      fresh, 1
    mts     blocklen, left
    mts     rowptr, zero
found:
    ret

done:
    halt
