# y = A x with A in the hierarchical sparse matrix format (HiSM), plain: the recursion of the paper (IPDPS 2003,
# section 3.1.1), block array by block array from the top.
#
# Block arrays of level 0 hold values; those above hold pointers, and behind their entries the lengths of
# the arrays that they point to. LDB reads a section of a block array; BMIPA multiplies a section of values
# with s elements of x and adds to s elements of y. The segment of y (the intermediate result) is stored
# and the next one loaded when the block row changes; the segment of x is loaded when the block column
# changes. Nothing is gathered or scattered. A segment of y is stored before the next block's values are
# loaded; see pipelined.s.
#
# y begins with zeros, or with ACCUMULATE = 1 (option accumulate) with what it holds: y += A x.
#
# Symbols from the loader: LEVELS, ROOT, ROOT_LENGTH, POSITION_BYTES, ROWS, X, Y, VALUE_SHIFT, SECTION_BITS
# (log2 of s).

.default ACCUMULATE, 0

.include "hism/registers.s"

# lastrow and lastcol are those of the segments of y and x that are in their registers.

start:
    li      s, 1 << SECTION_BITS
    li      array, ROOT
    li      length, ROOT_LENGTH
.if LEVELS - 1
.if ACCUMULATE
.else
    li      yseg, Y
    li      t, Y + ((ROWS + (1 << SECTION_BITS) - 1 >> SECTION_BITS) << SECTION_BITS + VALUE_SHIFT)
    li      n, 1 << SECTION_BITS + VALUE_SHIFT
    setvl   s
    movvx   y, zero
clear:                              # y = 0, in whole segments
    sv.f    y, (yseg)
    add     yseg, yseg, n
    bne     yseg, t, clear
.endif
    li      frame, FRAME_VECTORS + 3 * VECTOR_BYTES
    li      low, 0xffff
    li      lastrow, -1
    li      lastcol, -1
    li      row, 0
    li      col, 0
    li      level, LEVELS - 1
    call    node
    bltz    lastrow, done
    setvl   s
    sv.f    y, (yseg)               # the last segment of y
done:
    halt

.include "hism/walk.s"

# Level 1: the children are block arrays of values.
parents:
    slli    row, row, SECTION_BITS
    slli    col, col, SECTION_BITS
section:
    ldb.w   pointer, place, (array), length, POSITION_BYTES
    lv.w    size, (lengths)
    mfs     n, vl
    slli    t, n, 2
    add     lengths, lengths, t
    li      i, 0
leaf:
    extx    child, pointer, i       # the i-th pointer: address of a block array ...
    extx    t, place, i             # ... its position: row << 16 | column ...
    extx    childlen, size, i       # ... and how many entries it has
    srli    childrow, t, 16
    add     childrow, childrow, row # block row and column in the matrix
    and     childcol, t, low
    add     childcol, childcol, col

    beq     childcol, lastcol, same_column # the same block column: x stays
    mv      lastcol, childcol
    slli    xseg, childcol, SECTION_BITS + VALUE_SHIFT
    li      t, X
    add     xseg, xseg, t
    setvl   s
    lv.f    x, (xseg)               # s elements of x, contiguous
same_column:
    beq     childrow, lastrow, values # the same block row: y stays
    setvl   s
    bltz    lastrow, load_y         # the first block: there is none to store
    sv.f    y, (yseg)
load_y:                             # the last block row's segment of y went out, this one's comes in
    mv      lastrow, childrow
    slli    yseg, childrow, SECTION_BITS + VALUE_SHIFT
    li      t, Y
    add     yseg, yseg, t
    lv.f    y, (yseg)

values:                             # BMIPA chains to LDB; x and y are addressed in its unit
    ldb.f   value, position, (child), childlen, POSITION_BYTES # a section; childlen: what is left
    bmipa.f y, x, value, position
    bnez    childlen, values        # the block has more than a section

    addi    i, i, 1
    blt     i, n, leaf
    bnez    length, section
    ret

.else

.include "hism/one_block.s"

.endif

# In memory, for the matrix   1 . 2 .      in blocks of 2 x 2: an entry is a value, a column and a row in the block
#                             . 3 . .      a   1:0,0   3:1,1        upper left           level 0, by row
#                             . . . .      b   4:0,1                lower left
#                             4 . . 5      c   2:0,0                upper right
#                                          d   5:1,1                lower right
#   level 1, ROOT, by column               a:0,0   b:0,1   c:1,0   d:1,1   and behind it the lengths   2   1   1   1
