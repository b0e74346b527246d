# y = A x with A in block based compression storage (BBCS), plain: section after section.
#
# The matrix is cut into block columns as wide as a section. The s elements of x that belong to a block
# column are loaded once. The non-zeros of the block column are read row-wise in sections: LDS loads one
# and finds the rows that it touches, those elements of y are gathered, MIPA adds the products to them,
# and they are scattered back. A row that goes on in the next section is gathered again there.
#
# The next section is loaded when the elements of y of the one before are stored; see pipelined.s.
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
.reg xbytes,   x15      # bytes of a segment of x

.reg value,    v0       # a section
.reg position, v1
.reg row,      v2
.reg y,        v3
.reg x,        v4       # multiplicand: s elements of x

start:
    li      s, 1 << SECTION_BITS
    slli    xbytes, s, VALUE_SHIFT
.if ACCUMULATE
.else
    li      left, ROWS
    li      ybase, Y
    setvl   left
    movvx   y, zero
clear:                              # y = 0
    setvl   rows, left
    sv.f    y, (ybase)
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

column:
    call    ahead
    beqz    left, done
    setvl   s
    lv.f    x, (xseg)
section:
    lds.f   value, position, row, (entry) # a section: values, columns and row ends; rows touched
    mfs     entries, vl             # LDS sets vl to its entries
    mfs     rows, rowcount          # known when the last entry has arrived
    setvl   rows
    lvi.f   y, (ybase), row         # y of the rows touched: a gather
    setvl   entries
    mipa.f  y, x, value, position   # x is in a register; products add to their rows
    setvl   rows
    svi.f   y, (ybase), row         # y goes back: a scatter
    mfs     left, blocklen          # what LDS left of the block column
    bnez    left, section
    j       column

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
    mts     blocklen, left
    mts     rowptr, zero
found:
    ret

done:
    halt

# In memory, for the matrix   1 . 2 .      in block columns of 2: an entry is a value and a descriptor, log2(s)
#                             . 3 . .      bits of column, a flag "ends its row", a flag "number of empty rows"
#                             . . . .      block column 0   1:0.   3:1.   (1 empty)   4:0.
#                             4 . . 5      block column 1   2:0.   (2 empty)   5:1.
# where 3:1. is the value 3 in column 1 of its block, and the point ends the row.
