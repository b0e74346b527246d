# y = A x with A in the hierarchical sparse matrix format (HiSM), pipelined: the recursion of the paper (IPDPS
# 2003, section 3.1.1) as a hand-written loop keeps the memory port busy. The textbook loop is plain.s.
#
# Block arrays of level 0 hold values; those above hold pointers, and behind their entries the lengths of
# the arrays that they point to. LDB reads a section of a block array; BMIPA multiplies a section of values
# with s elements of x and adds to s elements of y. The segment of y (the intermediate result) is stored
# and the next one loaded when the block row changes; the segment of x is loaded when the block column
# changes. Nothing is gathered or scattered.
#
# What overlaps: blocks alternate between two sets of registers, and there are two segments of y. A block's values
# and its segment of y are loaded before the segment of the block before is stored, which waits for the last
# results of BMIPA. The loop is written out twice, so that its usual branches are not taken: a block of another
# row, in the same column, of no more than a section. The first segment of y is in its register from the
# beginning on.
#
# y begins with zeros, or with ACCUMULATE = 1 (option accumulate) with what it holds: y += A x.
#
# Symbols from the loader: LEVELS, ROOT, ROOT_LENGTH, POSITION_BYTES, ROWS, X, Y, VALUE_SHIFT, SECTION_BITS
# (log2 of s).

.default ACCUMULATE, 0

.include "hism/registers.s"

.reg m,        x23      # entries of the first section of a block
.reg current,  x24      # which of y0 and y1 is the current segment: 0 or 1
.reg xbase,    x25
.reg ybase,    x26

.reg value0,   v3       # a section of values and its positions
.reg position0, v4
.reg y0,       v5       # segment of y
.reg value1,   v7
.reg position1, v8
.reg y1,       v9

# lastrow and yseg are of the current segment of y, lastcol of the segment of x in its register.

start:
    li      s, 1 << SECTION_BITS
    li      array, ROOT
    li      length, ROOT_LENGTH
.if LEVELS - 1
    li      xbase, X
    li      ybase, Y
    setvl   s
.if ACCUMULATE
    lv.f    y0, (ybase)             # the first segment of y
.else
    movvx   y0, zero                # the first segment of y, which is stored in any case
    li      yseg, Y + (1 << SECTION_BITS + VALUE_SHIFT)
    li      t, Y + ((ROWS + (1 << SECTION_BITS) - 1 >> SECTION_BITS) << SECTION_BITS + VALUE_SHIFT)
    li      n, 1 << SECTION_BITS + VALUE_SHIFT
    beq     yseg, t, cleared
clear:                              # the others, y = 0
    sv.f    y0, (yseg)
    add     yseg, yseg, n
    bne     yseg, t, clear
cleared:
.endif
    mv      yseg, ybase
    li      frame, FRAME_VECTORS + 3 * VECTOR_BYTES
    li      low, 0xffff
    li      lastrow, 0
    li      lastcol, -1
    li      current, 0
    li      row, 0
    li      col, 0
    li      level, LEVELS - 1
    call    node
    setvl   s
    bnez    current, last1
    sv.f    y0, (yseg)              # the last segment of y
    halt
last1:
    sv.f    y1, (yseg)
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
    bnez    current, leaf1

leaf0:                              # y0 is the current segment
    extx    child, pointer, i       # the i-th pointer: address of a block array ...
    extx    t, place, i             # ... its position: row << 16 | column ...
    extx    childlen, size, i       # ... and how many entries it has
    srli    childrow, t, 16
    add     childrow, childrow, row # block row and column in the matrix
    and     childcol, t, low
    add     childcol, childcol, col
    ldb.f   value1, position1, (child), childlen, POSITION_BYTES # before anything that waits for y
    mfs     m, vl                   # entries of this section: vl changes below
    bne     childcol, lastcol, new_column0
same_column0:
    beq     childrow, lastrow, same_row0 # the same block row: y stays
    mv      lastrow, childrow
    mv      t, yseg                 # where the current segment belongs
    slli    yseg, childrow, SECTION_BITS + VALUE_SHIFT
    add     yseg, yseg, ybase
    setvl   s
    lv.f    y1, (yseg)              # the next segment comes in ...
    sv.f    y0, (t)                 # ... while this one waits for its last sums
    setvl   m
    bmipa.f y1, x, value1, position1 # x and y are addressed in the unit
    bnez    childlen, more1
next1:
    addi    i, i, 1
    bge     i, n, end1

leaf1:                              # y1 is the current segment
    extx    child, pointer, i       # the i-th pointer: address of a block array ...
    extx    t, place, i             # ... its position: row << 16 | column ...
    extx    childlen, size, i       # ... and how many entries it has
    srli    childrow, t, 16
    add     childrow, childrow, row # block row and column in the matrix
    and     childcol, t, low
    add     childcol, childcol, col
    ldb.f   value0, position0, (child), childlen, POSITION_BYTES # before anything that waits for y
    mfs     m, vl                   # entries of this section: vl changes below
    bne     childcol, lastcol, new_column1
same_column1:
    beq     childrow, lastrow, same_row1 # the same block row: y stays
    mv      lastrow, childrow
    mv      t, yseg                 # where the current segment belongs
    slli    yseg, childrow, SECTION_BITS + VALUE_SHIFT
    add     yseg, yseg, ybase
    setvl   s
    lv.f    y0, (yseg)              # the next segment comes in ...
    sv.f    y1, (t)                 # ... while this one waits for its last sums
    setvl   m
    bmipa.f y0, x, value0, position0 # x and y are addressed in the unit
    bnez    childlen, more0
next0:
    addi    i, i, 1
    blt     i, n, leaf0
    li      current, 0
    bnez    length, section
    ret
end1:
    li      current, 1
    bnez    length, section
    ret

new_column0:
    mv      lastcol, childcol
    slli    xseg, childcol, SECTION_BITS + VALUE_SHIFT
    add     xseg, xseg, xbase
    setvl   s
    lv.f    x, (xseg)
    j       same_column0
same_row0:
    setvl   m
    bmipa.f y0, x, value1, position1
    bnez    childlen, more0
    j       next0
more0:                              # more sections of the block: y0 stays
    ldb.f   value0, position0, (child), childlen, POSITION_BYTES
    bmipa.f y0, x, value0, position0
    beqz    childlen, next0
    ldb.f   value1, position1, (child), childlen, POSITION_BYTES
    bmipa.f y0, x, value1, position1
    bnez    childlen, more0
    j       next0

new_column1:
    mv      lastcol, childcol
    slli    xseg, childcol, SECTION_BITS + VALUE_SHIFT
    add     xseg, xseg, xbase
    setvl   s
    lv.f    x, (xseg)
    j       same_column1
same_row1:
    setvl   m
    bmipa.f y1, x, value0, position0
    bnez    childlen, more1
    j       next1
more1:                              # more sections of the block: y1 stays
    ldb.f   value0, position0, (child), childlen, POSITION_BYTES
    bmipa.f y1, x, value0, position0
    beqz    childlen, next1
    ldb.f   value1, position1, (child), childlen, POSITION_BYTES
    bmipa.f y1, x, value1, position1
    bnez    childlen, more1
    j       next1

.else

.include "hism/one_block.s"

.endif
