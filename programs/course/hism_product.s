# multiply: Q = A P with A in the hierarchical sparse matrix format (HiSM), the product of programs/hism/plain.s as a
# routine. It uses x3 to x22 and v0 to v6.
#
# Symbols: LEVELS, ROOT, ROOT_LENGTH, POSITION_BYTES, ROWS, P, Q, VALUE_SHIFT, SECTION_BITS (log2 of s).

.include "hism/registers.s"

# lastrow and lastcol are those of the segments of y and x that are in their registers.

multiply:
    li      s, 1 << SECTION_BITS
    li      array, ROOT
    li      length, ROOT_LENGTH
.if LEVELS - 1
    li      yseg, Q
    li      t, Q + ((ROWS + (1 << SECTION_BITS) - 1 >> SECTION_BITS) << SECTION_BITS + VALUE_SHIFT)
    li      n, 1 << SECTION_BITS + VALUE_SHIFT
    setvl   s
    movvx   y, zero
clear:                              # y = 0, in whole segments
    sv.f    y, (yseg)
    add     yseg, yseg, n
    bne     yseg, t, clear
    li      frame, FRAME_VECTORS + 3 * VECTOR_BYTES
    li      low, 0xffff
    li      lastrow, -1
    li      lastcol, -1
    li      row, 0
    li      col, 0
    li      level, LEVELS - 1
    addi    sp, sp, -16
    sw      ra, 0(sp)
    call    node
    bltz    lastrow, multiplied
    setvl   s
    sv.f    y, (yseg)               # the last segment of y
multiplied:
    lw      ra, 0(sp)
    addi    sp, sp, 16
    ret

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
    li      t, P
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
    li      t, Q
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

# A matrix of up to s x s has one level, a block array of values: there is nothing to exchange.
    li      xseg, P
    li      yseg, Q
    setvl   s
    lv.f    x, (xseg)
    movvx   y, zero
    beqz    length, store
values:
    ldb.f   value, position, (array), length, POSITION_BYTES
    bmipa.f y, x, value, position
    bnez    length, values
store:
    setvl   s
    sv.f    y, (yseg)
    ret

.endif
