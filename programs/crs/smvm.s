# y = A x with A in compressed row storage (CRS): row by row.
#
# Each row is strip-mined in sections of s elements: load the values and the column indices of a strip,
# gather the elements of x that the indices name, multiply, and add the strips up in one vector register.
# One sum reduction gives the element of y. It takes long, so it is stored only when the next row's loads are
# under way, and before its gather: a scalar store waits for older gathers. Short rows make short vectors:
# every row pays the startup of its three loads.
#
# Symbols from the loader: ROWS, ROWPTR, COLIDX, VALUES, X, Y, VALUE_SHIFT (log2 of the bytes of a value).

.reg rows,    x3        # rows left
.reg pointer, x4        # address of the next row's entry of ROWPTR
.reg values,  x5        # address of the next value
.reg columns, x6        # address of the next column index
.reg xbase,   x7
.reg y,       x8        # address of the next element of y
.reg begin,   x9        # where the row begins, in elements
.reg end,     x10       # where it ends
.reg left,    x11       # elements of the row that are left
.reg n,       x12       # elements of this strip
.reg bytes,   x13
.reg first,   x14       # elements of the first strip, the longest of the row
.reg last,    x15       # address of the element of y whose sum is on its way

.reg value,   v0
.reg column,  v1
.reg gathered, v2
.reg partial, v3        # partial sums

start:
    li      rows, ROWS
    li      pointer, ROWPTR
    li      values, VALUES
    li      columns, COLIDX
    li      xbase, X
    li      y, Y
    lw      begin, (pointer)
    mv      last, y                 # nothing is on its way yet: the first store writes the 0 that y holds
    mxf     f1, zero

row:
    lw      end, 4(pointer)
    addi    pointer, pointer, 4
    sub     left, end, begin
    mv      begin, end
    beqz    left, next_row          # an empty row: y is 0 already
    setvl   n, left                 # the first strip: its products are the partial sums
    lv.f    value, (values)
    lv.w    column, (columns)
    fs.f    f1, (last)              # the sum of the row before: its latency passed under these loads
    lvi.f   gathered, (xbase), column
    mulvv.f partial, value, gathered
    bne     n, left, long_row

reduce:
    sumv.f  f1, partial
    slli    bytes, left, VALUE_SHIFT
    add     values, values, bytes
    slli    bytes, left, 2
    add     columns, columns, bytes
    mv      last, y

next_row:
    addi    y, y, VALUE_BYTES
    addi    rows, rows, -1
    bnez    rows, row
    fs.f    f1, (last)
    halt

long_row:                           # more than one strip
    mv      first, n
strip:
    slli    bytes, n, VALUE_SHIFT
    add     values, values, bytes
    slli    bytes, n, 2
    add     columns, columns, bytes
    sub     left, left, n
    setvl   n, left                 # the other strips are added to the partial sums
    lv.f    value, (values)
    lv.w    column, (columns)
    lvi.f   gathered, (xbase), column
    maddvv.f partial, value, gathered
    bne     n, left, strip
    setvl   first                   # all partial sums of the row
    j       reduce
