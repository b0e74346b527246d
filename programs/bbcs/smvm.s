# y = A x with A in block based compression storage (BBCS).
#
# The matrix is cut into block columns as wide as a section. The s elements of x that belong to a block
# column are loaded once. The non-zeros of the block column are read row-wise in sections: LDS loads one
# and finds the rows that it touches, those elements of y are gathered, MIPA adds the products to them,
# and they are scattered back. A row that goes on in the next section is gathered again there.
#
# Symbols from the loader: BLOCKS, BLOCKPTR, BLOCKLEN, X, Y, VALUE_SHIFT, SECTION_BITS (log2 of s).

.reg blocks,   x3       # block columns left
.reg blockptr, x4       # address of the block column's entry of BLOCKPTR
.reg blocklen_, x5      # address of its entry of BLOCKLEN
.reg entry,    x6       # address of the next entry
.reg left,     x7       # entries of the block column that are left
.reg ybase,    x8
.reg xseg,     x9       # address of the segment of x
.reg entries,  x10      # entries of this section
.reg rows,     x11      # rows that they touch
.reg s,        x12      # section size

.reg value,    v0
.reg position, v1
.reg row,      v2
.reg y,        v3
.reg x,        v4       # multiplicand: s elements of x

start:
    li      blocks, BLOCKS
    li      blockptr, BLOCKPTR
    li      blocklen_, BLOCKLEN
    li      ybase, Y
    li      xseg, X
    li      s, 1 << SECTION_BITS

block:
    beqz    blocks, done
    addi    blocks, blocks, -1
    lw      entry, (blockptr)
    lw      left, (blocklen_)
    addi    blockptr, blockptr, 4
    addi    blocklen_, blocklen_, 4
    beqz    left, next_block
    mts     blocklen, left          # what LDS counts down,
    mts     rowptr, zero            # and the row that it stands in
    setvl   s
    lv.f    x, (xseg)

section:
    lds.f   value, position, row, (entry)
    mfs     entries, vl
    mfs     left, blocklen
    mfs     rows, rowcount          # known when the whole section has arrived
    setvl   rows
    lvi.f   y, (ybase), row
    setvl   entries
    mipa.f  y, x, value, position
    setvl   rows
    svi.f   y, (ybase), row
    bnez    left, section

next_block:
    slli    entry, s, VALUE_SHIFT
    add     xseg, xseg, entry
    j       block

done:
    halt
