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

.include "hism/registers.s"

.reg slot,     x23      # first element of the cache to move
.reg count,    x24      # elements to move at once
.reg all,      x25      # elements of the cache
.reg bytes,    x26
.reg slots,    x27      # elements of the cache to move in all
.reg m,        x28      # entries of the first section of a block
.reg xbase,    x29

.reg value0,   v3       # a section of values and its positions
.reg position0, v4
.reg value1,   v7
.reg position1, v8

# lastrow is the level-1 block row that the cache holds, lastcol that of the segment of x in its register. y is used
# where there is no level 1.

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

.include "chism/cache.s"

.include "hism/walk.s"

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

.include "hism/one_block.s"

.endif
