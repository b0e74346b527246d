# y = A^T x with A in the hierarchical sparse matrix format, with the vector cache (CHiSM): programs/chism/plain.s with
# the parts of rows and columns exchanged, as in hism_transposed.s.
#
# The cache holds the s x s elements of y that belong to the block column of a level-1 array; BMIPA adds to the slice of
# the cache that belongs to a block column of level 0, with the halves of positions exchanged. The segment of x is
# loaded when the block row changes: with each block of a column.
#
# Symbols: LEVELS, ROOT, ROOT_LENGTH, POSITION_BYTES, COLS, X, Y (zeros), VALUE_SHIFT, SECTION_BITS (log2 of s).

.include "hism/registers.s"

.reg slot,     x23      # 0: the first element of the cache
.reg half,     x24      # 16: half of a position
.reg all,      x25      # elements of the cache
.reg lower,    v7       # halves of positions
.reg turned,   v8       # positions with row and column exchanged

# lastrow is that of the segment of x in its register, lastcol the level-1 block column that the cache holds. y is used
# where there is no level 1.

start:
    li      s, 1 << SECTION_BITS
    li      half, 16
    li      array, ROOT
    li      length, ROOT_LENGTH
.if LEVELS - 1
    li      frame, FRAME_VECTORS + 3 * VECTOR_BYTES
    li      low, 0xffff
    li      lastrow, -1
    li      all, 1 << 2 * SECTION_BITS
    li      lastcol, -1
    li      slot, 0
    li      row, 0
    li      col, 0
    li      level, LEVELS - 1
    call    node
    bltz    lastcol, done
    stc.f   slot, (yseg), all       # the last elements of y
done:
    halt

.include "hism/walk.s"

# Level 1: the children are block arrays of values.
parents:
    slli    row, row, SECTION_BITS
    beq     col, lastcol, section
    bltz    lastcol, fill           # the first time there is nothing to store
    stc.f   slot, (yseg), all
fill:
    mv      lastcol, col
    slli    yseg, col, 2 * SECTION_BITS + VALUE_SHIFT
    li      t, Y
    add     yseg, yseg, t
    ldc.f   slot, (yseg), all
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
    and     childcol, t, low        # the slice of the cache
    srli    childrow, t, 16
    add     childrow, childrow, row # block row in the matrix

    beq     childrow, lastrow, values # the same block row: x stays
    mv      lastrow, childrow
    slli    xseg, childrow, SECTION_BITS + VALUE_SHIFT
    li      t, X
    add     xseg, xseg, t
    setvl   s
    lv.f    x, (xseg)               # s elements of x, contiguous
values:
    ldb.f   value, position, (child), childlen, POSITION_BYTES # a section; childlen: what is left
    srlvs.w lower, position, half   # the row comes down ...
    sllvs.w turned, position, half  # ... and the column goes up
    orvv.w  turned, turned, lower
    bmipac.f childcol, x, value, turned # adds to the slice of the cache: y needs no exchange
    bnez    childlen, values        # the block has more than a section

    addi    i, i, 1
    blt     i, n, leaf
    bnez    length, section
    ret

.else

# A matrix of up to s x s has one level, a block array of values: there is nothing to exchange.
    li      xseg, X
    li      yseg, Y
    setvl   s
    lv.f    x, (xseg)
    movvx   y, zero
    beqz    length, store
values:
    ldb.f   value, position, (array), length, POSITION_BYTES
    srlvs.w lower, position, half
    sllvs.w turned, position, half
    orvv.w  turned, turned, lower
    bmipa.f y, x, value, turned
    bnez    length, values
store:
    setvl   s
    sv.f    y, (yseg)
    halt

.endif
