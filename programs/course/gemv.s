# y = M x with a dense M, row by row in memory.
#
# A row's product is a dot product: partial sums in a register, one reduction at its end. Four rows go together: each
# section of x is loaded once for the four, which leaves 5 loads for 4 multiply-adds in place of 8. What is left over
# of the rows goes one by one.
#
# Symbols: ROWS, COLUMNS; the addresses M, X, Y; VALUE_SHIFT (log2 of the bytes of a value), SECTION_BITS (log2 of s).

.equ ROW_BYTES, COLUMNS << VALUE_SHIFT

.reg m0,    x3          # address of this strip of the four rows
.reg m1,    x4
.reg m2,    x5
.reg m3,    x6
.reg x,     x7
.reg y,     x8
.reg left,  x9          # elements of the row left
.reg n,     x10
.reg bytes, x11
.reg rows,  x12         # rows left
.reg row,   x13         # bytes of a row
.reg s,     x14
.reg four,  x15

.reg xs,    v0
.reg a0,    v1
.reg a1,    v2
.reg a2,    v3
.reg a3,    v4
.reg sum0,  v5
.reg sum1,  v6
.reg sum2,  v7
.reg sum3,  v8

start:
    li      m0, M
    li      y, Y
    li      rows, ROWS
    li      row, ROW_BYTES
    li      s, 1 << SECTION_BITS
    li      four, 4
four_rows:
    blt     rows, four, one_row
    add     m1, m0, row
    add     m2, m1, row
    add     m3, m2, row
    setvl   s
    movvx   sum0, zero
    movvx   sum1, zero
    movvx   sum2, zero
    movvx   sum3, zero
    li      x, X
    li      left, COLUMNS
four_strips:
    setvl   n, left
    lv.f    xs, (x)
    lv.f    a0, (m0)
    maddvv.f sum0, a0, xs
    lv.f    a1, (m1)
    maddvv.f sum1, a1, xs
    lv.f    a2, (m2)
    maddvv.f sum2, a2, xs
    lv.f    a3, (m3)
    maddvv.f sum3, a3, xs
    slli    bytes, n, VALUE_SHIFT
    add     x, x, bytes
    add     m0, m0, bytes
    add     m1, m1, bytes
    add     m2, m2, bytes
    add     m3, m3, bytes
    sub     left, left, n
    bnez    left, four_strips
    setvl   s
    sumv.f  f0, sum0
    sumv.f  f1, sum1
    sumv.f  f2, sum2
    sumv.f  f3, sum3
    fs.f    f0, (y)
    fs.f    f1, VALUE_BYTES(y)
    fs.f    f2, 2 * VALUE_BYTES(y)
    fs.f    f3, 3 * VALUE_BYTES(y)
    addi    y, y, 4 * VALUE_BYTES
    addi    rows, rows, -4
    mv      m0, m3                  # which stands behind the last of the four rows
    j       four_rows

one_row:
    beqz    rows, done
    setvl   s
    movvx   sum0, zero
    li      x, X
    li      left, COLUMNS
strips:
    setvl   n, left
    lv.f    xs, (x)
    lv.f    a0, (m0)
    maddvv.f sum0, a0, xs
    slli    bytes, n, VALUE_SHIFT
    add     x, x, bytes
    add     m0, m0, bytes
    sub     left, left, n
    bnez    left, strips
    setvl   s
    sumv.f  f0, sum0
    fs.f    f0, (y)
    addi    y, y, VALUE_BYTES
    addi    rows, rows, -1
    j       one_row
done:
    halt
