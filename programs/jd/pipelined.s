# y = A x with A in jagged diagonals (JD), pipelined: as a hand-written loop keeps the memory port busy. The
# textbook loops are in plain.s, with what jagged diagonals are.
#
# The result y' in the order of the sorted rows is built up in one of two ways (option y):
#   memory   (Y_IN_REGISTER = 0)  diagonal by diagonal; y' is loaded and stored for every strip, but for the
#                                 first diagonal, whose products y' begins with. What overlaps: strips alternate
#                                 between two sets of registers, and the next strip's values, columns and x,
#                                 also across the end of a diagonal, are loaded before this strip of y' is stored.
#                                 Its own y' is loaded behind that store: it may be the same strip.
#   register (Y_IN_REGISTER = 1)  strip by strip of rows; y' stays in a register over all diagonals. What
#                                 overlaps: diagonals alternate between two sets of registers, where the next one
#                                 ends is loaded a diagonal ahead, and y' of a strip is copied and scattered
#                                 when the next strip's first loads are under way.
# At the end y' is scattered to y through the permutation, or with ACCUMULATE = 1 (option accumulate) added to
# what y holds: y += A x. Rows without an entry, the last ones, have no y'.
#
# Symbols from the loader: ROWS, DIAGONALS, DIAGPTR, COLIDX, VALUES, PERM, X, Y, WORK (room for y'),
# VALUE_SHIFT (log2 of the bytes of a value).

.default Y_IN_REGISTER, 0
.default ACCUMULATE, 0

.reg diagptr,  x3       # address of the entry of DIAGPTR that is loaded next
.reg diagonals, x4      # diagonals left behind this one
.reg xbase,    x5
.reg begin,    x6       # where the next diagonal begins, in elements
.reg end,      x7       # where it ends
.reg left,     x8       # elements (rows) left
.reg n0,       x9       # elements of the strip in registers 0
.reg n1,       x10      # and 1
.reg values,   x11
.reg columns,  x12
.reg sums,     x13      # address in y' of the strip that is loaded next
.reg sums0,    x14      # and of those in registers 0 and 1
.reg sums1,    x15
.reg bytes,    x16
.reg perm,     x17
.reg ybase,    x18
.reg filled,   x19      # rows that have entries: the length of the first diagonal
.reg row,      x20      # first row of the strip
.reg index,    x21
.reg pending,  x22      # rows of the strip before that is not scattered yet

.reg value0,   v0
.reg column0,  v1
.reg gathered0, v2
.reg y0,       v3
.reg value1,   v4
.reg column1,  v5
.reg gathered1, v6
.reg y1,       v7
.reg target0,  v8
.reg target1,  v9
.reg before0,  v10      # what y holds already
.reg before1,  v11
.reg stored,   v12      # y' of the strip before

start:
    li      xbase, X
    li      ybase, Y
    li      perm, PERM

.if Y_IN_REGISTER

    li      left, ROWS
    li      row, 0
    li      pending, 0
strip:
    setvl   left
    movvx   y0, zero
    li      diagonals, DIAGONALS
    li      diagptr, DIAGPTR
    beqz    diagonals, scatter_before
    lw      begin, (diagptr)
    lw      end, 4(diagptr)
    sub     n0, end, begin
    sub     n0, n0, row             # rows of the strip and below that the diagonal reaches
    blez    n0, scatter_before
    setvl   n0
    add     index, begin, row
    mv      begin, end
    lw      end, 8(diagptr)         # of the next diagonal; behind the last one it is not used
    addi    diagptr, diagptr, 12
    addi    diagonals, diagonals, -1
    slli    bytes, index, VALUE_SHIFT
    li      values, VALUES
    add     values, values, bytes
    slli    bytes, index, 2
    li      columns, COLIDX
    add     columns, columns, bytes
    lv.w    column0, (columns)
    lv.f    value0, (values)
    lvi.f   gathered0, (xbase), column0
    maddvv.f y0, value0, gathered0
    beqz    pending, diagonal1      # this is the first strip
    setvl   pending
    svi.f   stored, (ybase), target0
diagonal1:
    beqz    diagonals, finish
    sub     n1, end, begin
    sub     n1, n1, row
    blez    n1, finish
    setvl   n1
    add     index, begin, row
    mv      begin, end
    lw      end, (diagptr)
    addi    diagptr, diagptr, 4
    addi    diagonals, diagonals, -1
    slli    bytes, index, VALUE_SHIFT
    li      values, VALUES
    add     values, values, bytes
    slli    bytes, index, 2
    li      columns, COLIDX
    add     columns, columns, bytes
    lv.w    column1, (columns)
    lv.f    value1, (values)
    lvi.f   gathered1, (xbase), column1
    maddvv.f y0, value1, gathered1
    beqz    diagonals, finish
    sub     n0, end, begin
    sub     n0, n0, row
    blez    n0, finish
    setvl   n0
    add     index, begin, row
    mv      begin, end
    lw      end, (diagptr)
    addi    diagptr, diagptr, 4
    addi    diagonals, diagonals, -1
    slli    bytes, index, VALUE_SHIFT
    li      values, VALUES
    add     values, values, bytes
    slli    bytes, index, 2
    li      columns, COLIDX
    add     columns, columns, bytes
    lv.w    column0, (columns)
    lv.f    value0, (values)
    lvi.f   gathered0, (xbase), column0
    maddvv.f y0, value0, gathered0
    j       diagonal1

scatter_before:                     # no row of this strip has an entry
    beqz    pending, finish
    setvl   pending
    svi.f   stored, (ybase), target0
finish:
    setvl   pending, left
    lv.w    target0, (perm)
.if ACCUMULATE
    lvi.f   before0, (ybase), target0
    addvv.f stored, y0, before0
.else
    movv    stored, y0
.endif
    sub     left, left, pending
    add     row, row, pending
    slli    bytes, pending, 2
    add     perm, perm, bytes
    bnez    left, strip
    svi.f   stored, (ybase), target0
    halt

.else

    li      diagptr, DIAGPTR
    li      diagonals, DIAGONALS
    li      values, VALUES
    li      columns, COLIDX
    li      sums, WORK
    li      filled, 0
    beqz    diagonals, scatter
    lw      begin, (diagptr)
    lw      end, 4(diagptr)
    addi    diagptr, diagptr, 8
    sub     filled, end, begin
    mv      left, filled
    mv      begin, end
    lw      end, (diagptr)          # of the next diagonal; behind the last one it is not used
    addi    diagonals, diagonals, -1

first:                              # the first diagonal: its products are the sums
    setvl   n0, left
    lv.w    column0, (columns)
    lv.f    value0, (values)
    lvi.f   gathered0, (xbase), column0
    mulvv.f y0, value0, gathered0
    mv      sums0, sums
    slli    bytes, n0, 2
    add     columns, columns, bytes
    slli    bytes, n0, VALUE_SHIFT
    add     values, values, bytes
    add     sums, sums, bytes
    sub     left, left, n0
    beqz    left, next_diagonal1
    setvl   n1, left
    lv.w    column1, (columns)
    lv.f    value1, (values)
    lvi.f   gathered1, (xbase), column1
    mulvv.f y1, value1, gathered1
    mv      sums1, sums
    slli    bytes, n1, 2
    add     columns, columns, bytes
    slli    bytes, n1, VALUE_SHIFT
    add     values, values, bytes
    add     sums, sums, bytes
    setvl   n0
    sv.f    y0, (sums0)
    sub     left, left, n1
    beqz    left, next_diagonal0
    setvl   n1
    sv.f    y1, (sums1)
    j       first

next_diagonal1:                     # a strip is on its way in registers 0; the next one begins a diagonal
    beqz    diagonals, last0
    sub     left, end, begin
    mv      begin, end
    addi    diagptr, diagptr, 4
    lw      end, (diagptr)
    addi    diagonals, diagonals, -1
    li      sums, WORK
load1:
    setvl   n1, left                # this strip: min(left, s) rows, in registers 1
    lv.w    column1, (columns)      # on their way before the strip before is stored
    lv.f    value1, (values)
    lvi.f   gathered1, (xbase), column1 # x where the columns say: a word a cycle
    mv      sums1, sums             # where this strip of y' lies
    setvl   n0                      # the strip before may be of another length
    sv.f    y0, (sums0)             # its sums are there by now
    setvl   n1
    lv.f    y1, (sums1)             # behind that store: it may be the same strip
    maddvv.f y1, value1, gathered1  # chains to the gather and to y'
    slli    bytes, n1, 2
    add     columns, columns, bytes
    slli    bytes, n1, VALUE_SHIFT
    add     values, values, bytes
    add     sums, sums, bytes
    sub     left, left, n1
    bnez    left, load0

next_diagonal0:                     # the same, in registers 1
    beqz    diagonals, last1
    sub     left, end, begin
    mv      begin, end
    addi    diagptr, diagptr, 4
    lw      end, (diagptr)
    addi    diagonals, diagonals, -1
    li      sums, WORK
load0:
    setvl   n0, left                # this strip: min(left, s) rows, in registers 0
    lv.w    column0, (columns)      # on their way before the strip before is stored
    lv.f    value0, (values)
    lvi.f   gathered0, (xbase), column0 # x where the columns say: a word a cycle
    mv      sums0, sums             # where this strip of y' lies
    setvl   n1                      # the strip before may be of another length
    sv.f    y1, (sums1)             # its sums are there by now
    setvl   n0
    lv.f    y0, (sums0)             # behind that store: it may be the same strip
    maddvv.f y0, value0, gathered0  # chains to the gather and to y'
    slli    bytes, n0, 2
    add     columns, columns, bytes
    slli    bytes, n0, VALUE_SHIFT
    add     values, values, bytes
    add     sums, sums, bytes
    sub     left, left, n0
    bnez    left, load1
    j       next_diagonal1

last1:
    setvl   n1
    sv.f    y1, (sums1)
    j       scatter
last0:
    setvl   n0
    sv.f    y0, (sums0)

scatter:                            # y' through the permutation to y
    li      sums, WORK
    mv      left, filled
    beqz    left, empty
scatter_strip:
    setvl   n0, left
    lv.w    target0, (perm)
    lv.f    y0, (sums)
.if ACCUMULATE
    lvi.f   before0, (ybase), target0
    addvv.f y0, y0, before0
.endif
    svi.f   y0, (ybase), target0
    slli    bytes, n0, 2
    add     perm, perm, bytes
    slli    bytes, n0, VALUE_SHIFT
    add     sums, sums, bytes
    sub     left, left, n0
    beqz    left, empty
    setvl   n1, left
    lv.w    target1, (perm)
    lv.f    y1, (sums)
.if ACCUMULATE
    lvi.f   before1, (ybase), target1
    addvv.f y1, y1, before1
.endif
    svi.f   y1, (ybase), target1
    slli    bytes, n1, 2
    add     perm, perm, bytes
    slli    bytes, n1, VALUE_SHIFT
    add     sums, sums, bytes
    sub     left, left, n1
    bnez    left, scatter_strip

empty:                              # rows without an entry
.if ACCUMULATE
.else
    li      left, ROWS
    sub     left, left, filled
    beqz    left, done
    setvl   left
    movvx   y0, zero
empty_strip:
    setvl   n0, left
    lv.w    target0, (perm)
    svi.f   y0, (ybase), target0
    sub     left, left, n0
    slli    bytes, n0, 2
    add     perm, perm, bytes
    bnez    left, empty_strip
.endif
done:
    halt

.endif
