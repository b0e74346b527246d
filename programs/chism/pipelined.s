# y = A x with A in the hierarchical sparse matrix format, with the vector cache (CHiSM), pipelined: the
# recursion of programs/hism/pipelined.s with one difference (IPDPS 2003, section 3.1.1). The intermediate result is not one
# segment of s elements in a register, exchanged at level 0, but s x s elements in the vector cache,
# exchanged at level 1; BMIPA adds to the slice of the cache that belongs to the block row. Without a level 1,
# for a matrix of up to s x s, there is nothing to exchange, and this is HiSM.
#
# Block arrays of level 0 hold values; those above hold pointers, and behind their entries the lengths of
# the arrays that they point to. LDB reads a section of a block array; BMIPA multiplies a section of values
# with s elements of x and adds to s elements of y. The segment of x is loaded when the block column
# changes, the s x s elements of y when the block row of the level-1 array changes. Option transfer: they move
# as one stream (ONE_STREAM = 1) or slice by slice, s accesses of s elements (ONE_STREAM = 0). Option cache says
# which of them move, where the matrix ends before they do and at the first time:
#   STORE_ROWS = 1   only slices that have rows of the matrix are stored, else all;
#   LOAD_ROWS = 1    only these are loaded, else all;
#   CLEARED = 1      the first load is left out: a run begins with a cache of zeros.
#
# What overlaps: blocks alternate between two sets of registers, and a block's values are loaded before the segment
# of x that a new block column needs. The loop is written out twice, so that its usual branches are not taken: a
# block in the same column, of no more than a section. Nothing else waits that could be moved: the cache forwards
# results from one BMIPA to the next, and is stored before it is loaded because there is one.
#
# y begins with zeros, or with ACCUMULATE = 1 (option accumulate) with what it holds: y += A x.
#
# Symbols from the loader: LEVELS, ROOT, ROOT_LENGTH, POSITION_BYTES, ROWS, X, Y, VALUE_SHIFT, SECTION_BITS
# (log2 of s).

.default ONE_STREAM, 1
.default CACHE, 0
.default ACCUMULATE, 0
.equ STORE_ROWS, CACHE & 1
.equ LOAD_ROWS, CACHE >> 1 & 1
.equ CLEARED, CACHE >> 2 & 1

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
.reg lastrow,  x15      # level-1 block row that the cache holds, -1: none
.reg lastcol,  x16      # block column of the segment of x in its register, -1: none
.reg yseg,     x17      # address of the elements of y that the cache holds
.reg xseg,     x18
.reg s,        x19
.reg t,        x20
.reg frame,    x21      # bytes of a stack frame
.reg low,      x22      # 0xffff
.reg slot,     x23      # first element of the cache to move
.reg count,    x24      # elements to move at once
.reg all,      x25      # elements of the cache
.reg bytes,    x26
.reg slots,    x27      # elements of the cache to move in all
.reg m,        x28      # entries of the first section of a block
.reg xbase,    x29

.reg pointer,  v0       # a section of pointers, its positions and lengths
.reg place,    v1
.reg size,     v2
.reg value0,   v3       # a section of values and its positions
.reg position0, v4
.reg y,        v5       # segment of y, where there is no level 1
.reg x,        v6       # segment of x
.reg value1,   v7
.reg position1, v8

# A frame holds eight words of scalars and three vectors: pointers, positions, lengths.
.equ FRAME_VECTORS, 32
.equ VECTOR_BYTES, 4 << SECTION_BITS

start:
    li      s, 1 << SECTION_BITS
    li      array, ROOT
    li      length, ROOT_LENGTH
.if LEVELS - 1
# y = 0 in memory, but where all of it is in a cache that begins with zeros: with two levels and any entry.
.equ ONE_CACHE, 2 / LEVELS * (1 - 1 / (1 + ROOT_LENGTH))
.if (1 - ACCUMULATE) * (1 - CLEARED * ONE_CACHE)
    li      yseg, Y
    li      t, Y + ((ROWS + (1 << SECTION_BITS) - 1 >> SECTION_BITS) << SECTION_BITS + VALUE_SHIFT)
    li      n, 1 << SECTION_BITS + VALUE_SHIFT
    setvl   s
    movvx   y, zero
clear:                              # in whole segments
    sv.f    y, (yseg)
    add     yseg, yseg, n
    bne     yseg, t, clear
.endif
    li      frame, FRAME_VECTORS + 3 * VECTOR_BYTES
    li      low, 0xffff
    li      lastrow, -1
    li      xbase, X
    li      all, 1 << 2 * SECTION_BITS
.if ONE_STREAM
.else
    mv      count, s
    slli    bytes, count, VALUE_SHIFT
.endif
    li      lastcol, -1
    li      row, 0
    li      col, 0
    li      level, LEVELS - 1
    call    node
    bltz    lastrow, done
    call    store_cache             # the last elements of y
done:
    halt

# Move the cache to and from the elements of y at yseg.
store_cache:
.if STORE_ROWS
    li      slots, Y + ((ROWS + (1 << SECTION_BITS) - 1 >> SECTION_BITS) << SECTION_BITS + VALUE_SHIFT)
    sub     slots, slots, yseg
    srli    slots, slots, VALUE_SHIFT
    blt     slots, all, store_slots
.endif
    mv      slots, all
store_slots:
    li      slot, 0
.if ONE_STREAM
    stc.f   slot, (yseg), slots
.else
    mv      t, yseg
store_part:
    stc.f   slot, (t), count
    add     t, t, bytes
    add     slot, slot, count
    blt     slot, slots, store_part
.endif
    ret
load_cache:
.if LOAD_ROWS
    li      slots, Y + ((ROWS + (1 << SECTION_BITS) - 1 >> SECTION_BITS) << SECTION_BITS + VALUE_SHIFT)
    sub     slots, slots, yseg
    srli    slots, slots, VALUE_SHIFT
    blt     slots, all, load_slots
.endif
    mv      slots, all
load_slots:
    li      slot, 0
.if ONE_STREAM
    ldc.f   slot, (yseg), slots
.else
    mv      t, yseg
load_part:
    ldc.f   slot, (t), count
    add     t, t, bytes
    add     slot, slot, count
    blt     slot, slots, load_part
.endif
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
    slli    col, col, SECTION_BITS
    beq     row, lastrow, section
    addi    sp, sp, -16
    sw      ra, 0(sp)
    bltz    lastrow, fill
    call    store_cache
fill:
.if CLEARED
    mv      slots, lastrow          # -1: this is the first time
.endif
    mv      lastrow, row
    slli    yseg, row, 2 * SECTION_BITS + VALUE_SHIFT
    li      t, Y
    add     yseg, yseg, t
.if CLEARED
    bltz    slots, filled
.endif
    call    load_cache
filled:
    lw      ra, 0(sp)
    addi    sp, sp, 16
section:
    ldb.w   pointer, place, (array), length, POSITION_BYTES
    lv.w    size, (lengths)
    mfs     n, vl
    slli    t, n, 2
    add     lengths, lengths, t
    li      i, 0
leaf0:
    extx    child, pointer, i       # the i-th pointer: address of a block array ...
    extx    t, place, i             # ... its position: row << 16 | column ...
    extx    childlen, size, i       # ... and how many entries it has
    addi    i, i, 1
    ldb.f   value0, position0, (child), childlen, POSITION_BYTES # before the segment of x
    srli    childrow, t, 16         # the slice of the cache
    and     childcol, t, low
    add     childcol, childcol, col # block column in the matrix
    bne     childcol, lastcol, new_column0 # rare: blocks run down a column
same_column0:
    bmipac.f childrow, x, value0, position0 # adds to a slice of the cache
    bnez    childlen, more0         # rare: more than a section
next0:
    bge     i, n, end
leaf1:
    extx    child, pointer, i       # the i-th pointer: address of a block array ...
    extx    t, place, i             # ... its position: row << 16 | column ...
    extx    childlen, size, i       # ... and how many entries it has
    addi    i, i, 1
    ldb.f   value1, position1, (child), childlen, POSITION_BYTES # before the segment of x
    srli    childrow, t, 16         # the slice of the cache
    and     childcol, t, low
    add     childcol, childcol, col # block column in the matrix
    bne     childcol, lastcol, new_column1 # rare: blocks run down a column
same_column1:
    bmipac.f childrow, x, value1, position1 # adds to a slice of the cache
    bnez    childlen, more1         # rare: more than a section
next1:
    blt     i, n, leaf0
end:
    bnez    length, section
    ret

new_column0:
    mfs     m, vl
    mv      lastcol, childcol
    slli    xseg, childcol, SECTION_BITS + VALUE_SHIFT
    add     xseg, xseg, xbase
    setvl   s
    lv.f    x, (xseg)
    setvl   m
    j       same_column0
more0:                              # more sections of the block
    ldb.f   value0, position0, (child), childlen, POSITION_BYTES
    bmipac.f childrow, x, value0, position0
    bnez    childlen, more0
    j       next0

new_column1:
    mfs     m, vl
    mv      lastcol, childcol
    slli    xseg, childcol, SECTION_BITS + VALUE_SHIFT
    add     xseg, xseg, xbase
    setvl   s
    lv.f    x, (xseg)
    setvl   m
    j       same_column1
more1:                              # more sections of the block
    ldb.f   value1, position1, (child), childlen, POSITION_BYTES
    bmipac.f childrow, x, value1, position1
    bnez    childlen, more1
    j       next1

.else

# A matrix of up to s x s has one level, a block array of values: there is nothing to exchange.
    li      xseg, X
    li      yseg, Y
    setvl   s
    lv.f    x, (xseg)
.if ACCUMULATE
    lv.f    y, (yseg)
.else
    movvx   y, zero
.endif
    beqz    length, store
values:
    ldb.f   value0, position0, (array), length, POSITION_BYTES
    bmipa.f y, x, value0, position0
    bnez    length, values
store:
    setvl   s
    sv.f    y, (yseg)
    halt

.endif
