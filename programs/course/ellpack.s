# y = A x with A in ELLPACK: every row is padded to the longest, and entry j of all rows stands together, so that
# element i of a vector is row i and vectors are as long as the machine allows.
#
# A strip of s rows keeps its sums in a register over all WIDTH entries; x is gathered for each. Padding has the value
# 0 and column 0: it is loaded, gathered and multiplied like everything else, and one long row pads all others.
#
# Symbols: ROWS, WIDTH (entries of a row); COLIDX and VALUES (WIDTH arrays of ROWS elements each); X, Y; VALUE_SHIFT.

.reg x,       x3
.reg y,       x4
.reg left,    x5        # rows left
.reg n,       x6
.reg term,    x7        # entries of the rows left
.reg value0,  x8        # address of entry 0 of the strip's rows
.reg column0, x9
.reg values,  x10
.reg columns, x11
.reg vstep,   x12       # bytes from an entry to the next of the same row
.reg cstep,   x13
.reg bytes,   x14

.reg value,   v0        # entries 0, 2, ...
.reg column,  v1
.reg gathered, v2
.reg value1,  v3        # entries 1, 3, ...: loaded while those before are gathered
.reg column1, v4
.reg gathered1, v5
.reg sum,     v6

start:
    li      x, X
    li      y, Y
    li      left, ROWS
    li      value0, VALUES
    li      column0, COLIDX
    li      vstep, ROWS << VALUE_SHIFT
    li      cstep, ROWS << 2
strip:
    beqz    left, done
    setvl   n, left
    movvx   sum, zero
    mv      values, value0
    mv      columns, column0
    li      term, WIDTH
    beqz    term, put
entry:
    lv.w    column, (columns)
    lv.f    value, (values)
    add     columns, columns, cstep
    add     values, values, vstep
    lvi.f   gathered, (x), column   # x where the columns say: a word a cycle
    maddvv.f sum, value, gathered
    addi    term, term, -1
    beqz    term, put
    lv.w    column1, (columns)
    lv.f    value1, (values)
    add     columns, columns, cstep
    add     values, values, vstep
    lvi.f   gathered1, (x), column1
    maddvv.f sum, value1, gathered1
    addi    term, term, -1
    bnez    term, entry
put:
    sv.f    sum, (y)
    slli    bytes, n, VALUE_SHIFT
    add     y, y, bytes
    add     value0, value0, bytes
    slli    bytes, n, 2
    add     column0, column0, bytes
    sub     left, left, n
    j       strip
done:
    halt
