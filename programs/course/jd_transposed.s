# y = A^T x with A in jagged diagonals (JD): the n-th entries of all rows, the longest rows first.
#
# x comes in the order of the rows, so it is gathered once through the permutation into that of the sorted rows. Then
# each diagonal is multiplied by it, element by element, and the products are added to y where the columns say. Entries
# of different rows may have one column: two elements of a vector then meet in one element of y. They take turns as in
# histogram.s: each writes its number to the tag of its column and reads it back, one of each group wins and adds, the
# others write to the room behind y, and try again.
#
# Symbols: ROWS, COLS, DIAGONALS, DIAGPTR, COLIDX, VALUES, PERM, X, Y (zeros, and room for s behind them), SORTED (room
# for x in the order of the sorted rows), TAG (COLS integers), VALUE_SHIFT, SECTION_BITS (log2 of s).

.reg diagptr, x3        # address of the diagonal's entry of DIAGPTR
.reg diagonals, x4      # diagonals left
.reg values,  x5
.reg columns, x6
.reg x,       x7        # address of x in the order of the sorted rows
.reg y,       x8
.reg tag,     x9
.reg begin,   x10
.reg end,     x11
.reg left,    x12
.reg n,       x13
.reg bytes,   x14
.reg one,     x15
.reg behind,  x16
.reg perm,    x17

.reg value,   v0
.reg column,  v1
.reg product, v2
.reg xs,      v3
.reg k,       v4        # 0, 1, 2, ...
.reg found,   v5
.reg sum,     v6
.reg where,   v7
.reg away,    v8        # a place behind y for each k
.reg lost,    v9
.reg zeros,   v10
.reg ones,    v11

start:
    li      y, Y
    li      tag, TAG
    li      one, 1
    li      behind, COLS
    mxf     f0, zero
    li      n, 1 << SECTION_BITS
    setvl   n
    cvi     k, one
    addvs.w away, k, behind
    subvv.f zeros, zeros, zeros
    fcvt.s.w f1, one
    movvx   ones, zero
    addvs.s ones, ones, f1

    li      perm, PERM              # x in the order of the sorted rows
    li      x, SORTED
    li      begin, X
    li      left, ROWS
sort:
    beqz    left, sorted
    setvl   n, left
    lv.w    column, (perm)
    lvi.f   xs, (begin), column
    sv.f    xs, (x)
    slli    bytes, n, 2
    add     perm, perm, bytes
    slli    bytes, n, VALUE_SHIFT
    add     x, x, bytes
    sub     left, left, n
    j       sort
sorted:

    li      diagptr, DIAGPTR
    li      diagonals, DIAGONALS
    li      values, VALUES
    li      columns, COLIDX
    lw      begin, (diagptr)
diagonal:
    beqz    diagonals, done
    addi    diagonals, diagonals, -1
    addi    diagptr, diagptr, 4
    lw      end, (diagptr)
    sub     left, end, begin
    mv      begin, end
    li      x, SORTED
strip:
    beqz    left, diagonal
    setvl   n, left
    lv.w    column, (columns)
    lv.f    value, (values)
    lv.f    xs, (x)
    mulvv.f product, value, xs
again:
    svi.w   k, (tag), column        # of those with one column the last stays
    lvi.w   found, (tag), column
    lvi.f   sum, (y), column
    seqvv.w found, k                # mask: I am the one
    addvv.f sum, sum, product
    mergev  where, column, away     # winners add, others write where nobody looks
    mergev  lost, zeros, ones
    svi.f   sum, (y), where
    sumv.s  f2, lost                # how many are left
    mergev  column, away, column    # winners are done
    mergev  product, zeros, product
    fbne.s  f2, f0, again
    slli    bytes, n, 2
    add     columns, columns, bytes
    slli    bytes, n, VALUE_SHIFT
    add     values, values, bytes
    add     x, x, bytes
    sub     left, left, n
    j       strip
done:
    halt
