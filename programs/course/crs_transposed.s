# y = A^T x with A in compressed row storage (CRS): row i of A is column i of A^T.
#
# The product of A with x gathers x and adds up; that of A^T has each row's entries times one number x[i], and adds
# them to the elements of y that their columns name: gather, multiply-add, scatter. The columns of a row differ, so no
# two elements of a vector meet in one element of y; two rows may, and a row's gather waits for the scatter of the row
# before. Two words for each entry are moved one by one where A x moves one.
#
# Symbols: ROWS, ROWPTR, COLIDX, VALUES, X, Y (zeros), VALUE_SHIFT (log2 of the bytes of a value).

.reg pointer, x3        # address of the entry of ROWPTR behind this row's
.reg rows,    x4        # rows left
.reg values,  x5
.reg columns, x6
.reg x,       x7
.reg y,       x8
.reg begin,   x9
.reg end,     x10
.reg left,    x11       # entries of the row left
.reg n,       x12
.reg bytes,   x13

.reg value,   v0
.reg column,  v1
.reg sum,     v2

start:
    li      pointer, ROWPTR
    li      rows, ROWS
    li      values, VALUES
    li      columns, COLIDX
    li      x, X
    li      y, Y
    lw      begin, (pointer)
row:
    beqz    rows, done
    addi    pointer, pointer, 4
    addi    rows, rows, -1
    lw      end, (pointer)
    sub     left, end, begin
    mv      begin, end
    fl.f    f1, (x)                 # the row's element of x
    addi    x, x, VALUE_BYTES
strip:
    beqz    left, row
    setvl   n, left
    lv.w    column, (columns)
    lv.f    value, (values)
    lvi.f   sum, (y), column        # the elements of y that the columns name ...
    maddvs.f sum, value, f1
    slli    bytes, n, 2
    add     columns, columns, bytes
    svi.f   sum, (y), column        # ... and back
    slli    bytes, n, VALUE_SHIFT
    add     values, values, bytes
    sub     left, left, n
    j       strip
done:
    halt
