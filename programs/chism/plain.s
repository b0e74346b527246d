# y = A x with A in the hierarchical sparse matrix format, with the vector cache (CHiSM), plain: the recursion of
# programs/hism/plain.s with one difference (IPDPS 2003, section 3.1.1). The intermediate result is not one
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
# Nothing is arranged to overlap; see pipelined.s.
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
leaf:
    extx    child, pointer, i       # the i-th pointer: address of a block array ...
    extx    t, place, i             # ... its position: row << 16 | column ...
    extx    childlen, size, i       # ... and how many entries it has
    srli    childrow, t, 16         # the slice of the cache
    and     childcol, t, low
    add     childcol, childcol, col # block column in the matrix

    beq     childcol, lastcol, values # the same block column: x stays
    mv      lastcol, childcol
    slli    xseg, childcol, SECTION_BITS + VALUE_SHIFT
    li      t, X
    add     xseg, xseg, t
    setvl   s
    lv.f    x, (xseg)               # s elements of x, contiguous
values:
    ldb.f   value, position, (child), childlen, POSITION_BYTES # a section; childlen: what is left
    bmipac.f childrow, x, value, position # adds to the slice of the cache: y needs no exchange
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
