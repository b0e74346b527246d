# y = A x with A in Sliced ELLPACK: slices of s rows, each padded to its own longest row.
#
# As ellpack.s, but a slice ends where its own rows do: SLICEPTR says how many entries of s elements are in front of
# each slice. One long row pads the s - 1 others of its slice, and no more. Rows of equal length side by side pad
# nothing; that is why later formats sort them.
#
# Symbols: ROWS, SLICES, SLICEPTR (SLICES + 1 counts); COLIDX and VALUES (s elements an entry of a slice); X, Y (room for
# whole slices); VALUE_SHIFT, SECTION_BITS (log2 of s).

.reg x,       x3
.reg y,       x4
.reg slices,  x5        # slices left
.reg pointer, x6        # address of the slice's entry of SLICEPTR
.reg begin,   x7
.reg end,     x8
.reg term,    x9        # entries of the slice's rows left
.reg values,  x10
.reg columns, x11
.reg vstep,   x12       # bytes of s values
.reg cstep,   x13       # bytes of s columns
.reg s,       x14

.reg value,   v0        # entries 0, 2, ...
.reg column,  v1
.reg gathered, v2
.reg value1,  v3        # entries 1, 3, ...
.reg column1, v4
.reg gathered1, v5
.reg sum,     v6

start:
    li      x, X
    li      y, Y
    li      slices, SLICES
    li      pointer, SLICEPTR
    li      values, VALUES
    li      columns, COLIDX
    li      s, 1 << SECTION_BITS
    slli    vstep, s, VALUE_SHIFT
    slli    cstep, s, 2
    setvl   s
    lw      begin, (pointer)
slice:
    beqz    slices, done
    addi    slices, slices, -1
    addi    pointer, pointer, 4
    lw      end, (pointer)
    sub     term, end, begin
    mv      begin, end
    movvx   sum, zero
    beqz    term, put
entry:
    lv.w    column, (columns)
    lv.f    value, (values)
    add     columns, columns, cstep
    add     values, values, vstep
    lvi.f   gathered, (x), column
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
    add     y, y, vstep
    j       slice
done:
    halt
