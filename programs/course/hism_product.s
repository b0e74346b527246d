# multiply: Q = A P with A in the hierarchical sparse matrix format (HiSM), the product of programs/hism/plain.s as a
# routine. It uses x3 to x22 and v0 to v6.
#
# Symbols: LEVELS, ROOT, ROOT_LENGTH, POSITION_BYTES, ROWS, P, Q, VALUE_SHIFT, SECTION_BITS (log2 of s).

.reg array,    x3       # argument: address of a block array
.reg length,   x4       # argument: its entries
.reg row,      x5       # argument: its block row among all blocks of its level
.reg col,      x6       # argument: its block column
.reg level,    x7       # argument: its level, 1 or more
.reg lengths,  x8       # address of the vector of lengths
.reg n,        x9       # entries of this section
.reg i,        x10      # number of the entry in the section
.reg child,    x11      # the array that the entry points to
.reg childlen, x12
.reg childrow, x13
.reg childcol, x14
.reg lastrow,  x15      # block row of the segment of y in its register, -1: none
.reg lastcol,  x16      # block column of the segment of x in its register, -1: none
.reg yseg,     x17      # address of the segment of y in its register
.reg xseg,     x18
.reg s,        x19
.reg t,        x20
.reg frame,    x21      # bytes of a stack frame
.reg low,      x22      # 0xffff

.reg pointer,  v0       # a section of pointers, its positions and lengths
.reg place,    v1
.reg size,     v2
.reg value,    v3       # a section of values and its positions
.reg position, v4
.reg y,        v5       # segment of y
.reg x,        v6       # segment of x

# A frame holds eight words of scalars and three vectors: pointers, positions, lengths.
.equ FRAME_VECTORS, 32
.equ VECTOR_BYTES, 4 << SECTION_BITS

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

# node(array, length, row, col, level): all that hangs below a block array of pointers.
node:
    beqz    length, leave
    slli    lengths, length, 2      # the lengths begin behind the entries, at a multiple of 16
    li      t, 2 * POSITION_BYTES
    mul     t, t, length
    add     lengths, lengths, t
    add     lengths, lengths, array
    addi    lengths, lengths, 15
    andi    lengths, lengths, -16
    slti    t, level, 2
    bnez    t, parents

# Above level 1 the section is kept on the stack while its children use the registers.
    sub     sp, sp, frame
    sw      ra, 0(sp)
node_section:
    ldb.w   pointer, place, (array), length, POSITION_BYTES
    lv.w    size, (lengths)
    addi    t, sp, FRAME_VECTORS
    sv.w    pointer, (t)
    li      i, VECTOR_BYTES
    add     t, t, i
    sv.w    place, (t)
    add     t, t, i
    sv.w    size, (t)
    mfs     n, vl
    slli    t, n, 2
    add     lengths, lengths, t
    sw      array, 4(sp)
    sw      length, 8(sp)
    sw      row, 12(sp)
    sw      col, 16(sp)
    sw      lengths, 20(sp)
    sw      n, 24(sp)
    li      i, 0
node_child:
    sw      i, 28(sp)
    slli    t, i, 2
    add     t, t, sp
    lw      array, FRAME_VECTORS(t)
    li      childrow, VECTOR_BYTES
    add     t, t, childrow
    lw      childcol, FRAME_VECTORS(t)
    add     t, t, childrow
    lw      length, FRAME_VECTORS(t)
    srli    t, childcol, 16         # position in the parent, times s, plus position in the block
    slli    row, row, SECTION_BITS
    add     row, row, t
    and     t, childcol, low
    slli    col, col, SECTION_BITS
    add     col, col, t
    addi    level, level, -1
    call    node
    addi    level, level, 1
    lw      row, 12(sp)
    lw      col, 16(sp)
    lw      n, 24(sp)
    lw      i, 28(sp)
    addi    i, i, 1
    blt     i, n, node_child
    lw      array, 4(sp)
    lw      length, 8(sp)
    lw      lengths, 20(sp)
    bnez    length, node_section
    lw      ra, 0(sp)
    add     sp, sp, frame
leave:
    ret

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
