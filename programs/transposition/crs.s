# A^T beside A, both in compressed row storage (CRS): entries of each column are counted, the counts are summed up
# to row pointers of A^T, and the entries of each row are scattered to their places. Values have 32 bits. The
# columns of a row differ, so that a gather and a scatter of its counts do not meet.
#
# Symbols from the loader: ROWS, COLUMNS, ROWPTR, COLIDX, VALUES, and of the result T_ROWPTR with COLUMNS + 2
# entries, all zero, T_COLIDX, T_VALUES; SECTION_BITS (log2 of s).

.reg row,     x3
.reg rows,    x4
.reg pointer, x5        # address of the entry of ROWPTR behind this row's
.reg begin,   x6        # bytes from the first entry to this row's
.reg end,     x7
.reg left,    x8        # entries of the row that are left
.reg n,       x9
.reg columns, x10       # address of column indices
.reg values,  x11
.reg counts,  x12       # address of the counter of column 0
.reg one,     x13
.reg stop,    x14
.reg sum,     x15
.reg t_columns, x16
.reg t_values, x17
.reg a,       x18
.reg b,       x19
.reg c,       x20
.reg d,       x21

.reg column,  v0
.reg count,   v1
.reg next,    v2
.reg value,   v3
.reg number,  v4

start:
    li      rows, ROWS
    li      one, 1

# The entries of column j are counted in T_ROWPTR[j + 2].
    li      counts, T_ROWPTR + 8
    li      columns, COLIDX
    li      pointer, ROWPTR
    lw      begin, (pointer)
    li      row, 0
count_row:
    addi    pointer, pointer, 4
    lw      end, (pointer)
    sub     left, end, begin
    mv      begin, end
    beqz    left, counted
count_strip:
    setvl   n, left
    lv.w    column, (columns)
    lvi.w   count, (counts), column
    addvs.w next, count, one
    svi.w   next, (counts), column
    sub     left, left, n
    slli    n, n, 2
    add     columns, columns, n
    bnez    left, count_strip
counted:
    addi    row, row, 1
    bne     row, rows, count_row

# T_ROWPTR[j + 1] becomes where the entries of column j begin, four at a time; COLUMNS + 2 entries and their padding.
    li      counts, T_ROWPTR
    li      stop, T_ROWPTR + (COLUMNS + 5 >> 2 << 4)
    li      sum, 0
sum_up:
    lw      a, 0(counts)
    lw      b, 4(counts)
    lw      c, 8(counts)
    lw      d, 12(counts)
    add     a, a, sum
    add     b, b, a
    add     c, c, b
    add     sum, d, c
    sw      a, 0(counts)
    sw      b, 4(counts)
    sw      c, 8(counts)
    sw      sum, 12(counts)
    addi    counts, counts, 16
    bne     counts, stop, sum_up

# Each entry goes to the place of its column, which moves on by one.
    li      counts, T_ROWPTR + 4
    li      columns, COLIDX
    li      values, VALUES
    li      t_columns, T_COLIDX
    li      t_values, T_VALUES
    li      pointer, ROWPTR
    lw      begin, (pointer)
    li      row, 0
place_row:
    addi    pointer, pointer, 4
    lw      end, (pointer)
    sub     left, end, begin
    mv      begin, end
    beqz    left, placed
place_strip:
    setvl   n, left
    lv.w    column, (columns)
    lvi.w   count, (counts), column
    lv.w    value, (values)
    addvs.w next, count, one
    movvx   number, row
    svi.w   next, (counts), column
    svi.w   number, (t_columns), count
    svi.w   value, (t_values), count
    sub     left, left, n
    slli    n, n, 2
    add     columns, columns, n
    add     values, values, n
    bnez    left, place_strip
placed:
    addi    row, row, 1
    bne     row, rows, place_row
    halt
