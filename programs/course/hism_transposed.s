# y = A^T x with A in the hierarchical sparse matrix format (HiSM): the recursion of programs/hism/plain.s with the
# parts of rows and columns exchanged.
#
# The position of an entry names its row and its column alike, so the same entries serve both products: BMIPA expects
# the row in the upper half of a position and the column in the lower, and three instructions turn a section of
# positions round. A segment of x belongs to a block row now and a segment of y to a block column. At level 1
# entries stand column by column, so that the segment of y, which must be stored and loaded, changes less often than in
# A x, and that of x more often.
#
# Symbols: LEVELS, ROOT, ROOT_LENGTH, POSITION_BYTES, COLS, X, Y (zeros), VALUE_SHIFT, SECTION_BITS (log2 of s).

.include "hism/registers.s"

.reg half,     x23      # 16: half of a position
.reg lower,    v7       # halves of positions
.reg turned,   v8       # positions with row and column exchanged

# lastrow and lastcol are those of the segments of x and y that are in their registers.

start:
    li      s, 1 << SECTION_BITS
    li      half, 16
    li      array, ROOT
    li      length, ROOT_LENGTH
.if LEVELS - 1
    li      frame, FRAME_VECTORS + 3 * VECTOR_BYTES
    li      low, 0xffff
    li      lastrow, -1
    li      lastcol, -1
    li      row, 0
    li      col, 0
    li      level, LEVELS - 1
    call    node
    bltz    lastcol, done
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

    beq     childrow, lastrow, same_row # the same block row: x stays
    mv      lastrow, childrow
    slli    xseg, childrow, SECTION_BITS + VALUE_SHIFT
    li      t, X
    add     xseg, xseg, t
    setvl   s
    lv.f    x, (xseg)               # s elements of x, contiguous
same_row:
    beq     childcol, lastcol, values # the same block column: y stays
    setvl   s
    bltz    lastcol, load_y         # the first block: there is none to store
    sv.f    y, (yseg)
load_y:                             # the last block column's segment of y went out, this one's comes in
    mv      lastcol, childcol
    slli    yseg, childcol, SECTION_BITS + VALUE_SHIFT
    li      t, Y
    add     yseg, yseg, t
    lv.f    y, (yseg)

values:
    ldb.f   value, position, (child), childlen, POSITION_BYTES # a section; childlen: what is left
    srlvs.w lower, position, half   # the row comes down ...
    sllvs.w turned, position, half  # ... and the column goes up
    orvv.w  turned, turned, lower
    bmipa.f y, x, value, turned
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
