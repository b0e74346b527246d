# y = A x with A in jagged diagonals (JD), plain: strip after strip.
#
# The rows are sorted by falling length; the n-th non-zeros of all rows that have so many form the n-th
# jagged diagonal, as long as the number of those rows. So the vectors are long, but x is gathered for
# every element, and matrices with a few long rows have many short diagonals.
#
# The result y' in the order of the sorted rows is built up in one of two ways (option y):
#   memory   (Y_IN_REGISTER = 0)  diagonal by diagonal; y' begins with zeros in memory, and is loaded and stored
#                                 for every strip;
#   register (Y_IN_REGISTER = 1)  strip by strip of rows; y' stays in a register over all diagonals.
# At the end y' is scattered to y through the permutation, or with ACCUMULATE = 1 (option accumulate) added to
# what y holds: y += A x. Each strip is stored before the next one is loaded; see pipelined.s.
#
# Symbols from the loader: ROWS, DIAGONALS, DIAGPTR, COLIDX, VALUES, PERM, X, Y, WORK (room for y'),
# VALUE_SHIFT (log2 of the bytes of a value).

.default Y_IN_REGISTER, 0
.default ACCUMULATE, 0

.reg diagptr,  x3       # address of this diagonal's entry of DIAGPTR
.reg diagonals, x4      # diagonals left
.reg xbase,    x5
.reg begin,    x6       # where the diagonal begins, in elements
.reg end,      x7       # where it ends
.reg left,     x8       # elements (rows) left
.reg n,        x9       # elements of this strip
.reg values,   x10
.reg columns,  x11
.reg sums,     x12      # address in y'
.reg bytes,    x13
.reg perm,     x14
.reg ybase,    x15
.reg row,      x16      # first row of the strip
.reg index,    x17

.reg value,    v0
.reg column,   v1
.reg gathered, v2
.reg y,        v3
.reg target,   v4
.reg before,   v5       # what y holds already

start:
    li      xbase, X
    li      ybase, Y
    li      left, ROWS

.if Y_IN_REGISTER

    li      perm, PERM
    li      row, 0
strip:
    beqz    left, done
    setvl   x0, left                # n rows: zero their sums
    movvx   y, zero
    li      diagptr, DIAGPTR
    li      diagonals, DIAGONALS
diagonal:
    beqz    diagonals, scatter
    lw      begin, (diagptr)
    lw      end, 4(diagptr)
    addi    diagptr, diagptr, 4
    addi    diagonals, diagonals, -1
    sub     n, end, begin
    sub     n, n, row               # rows of the strip and below that the diagonal reaches
    blez    n, scatter              # none: the longer rows are above this strip
    setvl   n, n
    add     index, begin, row
    slli    bytes, index, VALUE_SHIFT
    li      values, VALUES
    add     values, values, bytes
    slli    bytes, index, 2
    li      columns, COLIDX
    add     columns, columns, bytes
    lv.f    value, (values)
    lv.w    column, (columns)
    lvi.f   gathered, (xbase), column
    maddvv.f y, value, gathered
    j       diagonal
scatter:
    setvl   n, left
    lv.w    target, (perm)
.if ACCUMULATE
    lvi.f   before, (ybase), target
    addvv.f y, y, before
.endif
    svi.f   y, (ybase), target
    sub     left, left, n
    add     row, row, n
    slli    bytes, n, 2
    add     perm, perm, bytes
    j       strip

.else

    li      sums, WORK
    setvl   left
    movvx   y, zero
clear:                              # y' = 0
    setvl   n, left
    sv.f    y, (sums)
    sub     left, left, n
    slli    bytes, n, VALUE_SHIFT
    add     sums, sums, bytes
    bnez    left, clear

    li      diagptr, DIAGPTR
    li      diagonals, DIAGONALS
    li      values, VALUES
    li      columns, COLIDX
    lw      begin, (diagptr)
diagonal:
    beqz    diagonals, scatter
    addi    diagonals, diagonals, -1
    lw      end, 4(diagptr)
    addi    diagptr, diagptr, 4
    sub     left, end, begin
    mv      begin, end
    li      sums, WORK
strip:
    setvl   n, left                 # n = min(left, s)
    lv.f    y, (sums)               # y' of these rows: in for each diagonal ...
    lv.w    column, (columns)
    lv.f    value, (values)         # the diagonal's values of these rows, contiguous
    lvi.f   gathered, (xbase), column # x where the columns say: a word a cycle
    maddvv.f y, value, gathered     # chains: begins with the first element of x
    sv.f    y, (sums)               # ... and out again; the next strip waits for it
    sub     left, left, n           # rows of the diagonal that are left
    slli    bytes, n, 2
    add     columns, columns, bytes
    slli    bytes, n, VALUE_SHIFT
    add     values, values, bytes
    add     sums, sums, bytes
    bnez    left, strip
    j       diagonal

scatter:                            # y' through the permutation to y
    li      left, ROWS
    li      perm, PERM
    li      sums, WORK
scatter_strip:
    beqz    left, done
    setvl   n, left
    lv.w    target, (perm)
    lv.f    y, (sums)
.if ACCUMULATE
    lvi.f   before, (ybase), target
    addvv.f y, y, before
.endif
    svi.f   y, (ybase), target
    sub     left, left, n
    slli    bytes, n, 2
    add     perm, perm, bytes
    slli    bytes, n, VALUE_SHIFT
    add     sums, sums, bytes
    j       scatter_strip

.endif

done:
    halt

# In memory, for the matrix   1 . 2 .      PERM     0   3   1   2           rows by falling length: 2, 2, 1, 0
#                             . 3 . .      DIAGPTR  0   3   5               where each diagonal begins, and the end
#                             . . . .      COLIDX   0   0   1 | 2   3       first entries of rows 0, 3, 1; second ...
#                             4 . . 5      VALUES   1   4   3 | 2   5       ... entries of rows 0, 3
