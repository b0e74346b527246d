# y = A x with A in compressed row storage (CRS), plain: row by row, one after the other.
#
# Each row is strip-mined in sections of s elements: load the values and the column indices of a strip,
# gather the elements of x that the indices name, multiply, and add the strips up in one vector register.
# One sum reduction gives the element of y. Short rows make short vectors: every row pays the startup of its
# three loads, and as there is one register for a row's sum, a row's sum waits until that of the row before
# has been put away. What overlaps is only what the machine does by itself; see pipelined.s.
#
# The element of y goes to memory in one of two ways (option sums):
#   register (SUMS_IN_REGISTER = 1)  by way of a vector register, which is stored when it holds s elements.
#   scalar   (SUMS_IN_REGISTER = 0)  by a scalar store. The sum takes long, so it is stored only when the next
#                                    row's loads are under way, and before its gather: a scalar store waits
#                                    for older gathers.
# An empty row has the sum 0. With ACCUMULATE = 1 (option accumulate) sums are added to what y holds: y += A x.
#
# Symbols from the loader: ROWS, ROWPTR, COLIDX, VALUES, X, Y, VALUE_SHIFT (log2 of the bytes of a value),
# SECTION_BITS (log2 of s).

.default SUMS_IN_REGISTER, 1
.default ACCUMULATE, 0

.reg stop,    x3        # address of the last entry of ROWPTR
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
.reg last,    x15       # where the sum that is on its way belongs: its address in y, or its place in sums
.reg place,   x16       # of the row's sum in the register of sums
.reg s,       x17

.reg value,   v0
.reg column,  v1
.reg gathered, v2
.reg partial, v3        # partial sums
.reg sums,    v4        # elements of y
.reg before,  v5        # what y holds already

start:
    li      stop, ROWPTR + 4 * ROWS
    li      pointer, ROWPTR
    li      values, VALUES
    li      columns, COLIDX
    li      xbase, X
    li      y, Y
    lw      begin, (pointer)
    mxf     f1, zero                # nothing is on its way yet: the first sum is 0
.if SUMS_IN_REGISTER
    li      s, 1 << SECTION_BITS
    li      place, 0
    li      last, 0
    setvl   s
    movvx   sums, zero
.else
    mv      last, y
    mxf     f3, zero                # the sum of an empty row
.endif

row:
    lw      end, 4(pointer)
    addi    pointer, pointer, 4
    sub     left, end, begin        # elements of the row
    mv      begin, end              # the next row begins where this one ends
    setvl   n, left                 # n = min(left, s)
    beqz    left, empty_row
    bne     n, left, long_row       # longer than a vector register: in strips
    lv.w    column, (columns)       # contiguous, like the values; the gather waits for it
    slli    bytes, left, 2          # to the next row's columns, of 4 bytes each ...
    add     columns, columns, bytes
    lv.f    value, (values)
    slli    bytes, left, VALUE_SHIFT # ... and values
    add     values, values, bytes
.if SUMS_IN_REGISTER
    lvi.f   gathered, (xbase), column # x where the columns say: a word a cycle
    insf    sums, f1, last          # the sum of the row before: its latency passed under these loads
.else
.if ACCUMULATE
    fl.f    f2, (last)
    fadd.f  f1, f1, f2
.endif
    fs.f    f1, (last)              # the sum of the row before: its latency passed under these loads
    lvi.f   gathered, (xbase), column # x where the columns say: a word a cycle
.endif
    mulvv.f partial, value, gathered # chains: begins with the first element of x

reduce:
    sumv.f  f1, partial             # one number of all products: a tree
.if SUMS_IN_REGISTER
    mv      last, place

empty_row:                          # its place holds 0
    addi    place, place, 1
    beq     pointer, stop, store
    bne     place, s, row
store:
    insf    sums, f1, last
    setvl   place
.if ACCUMULATE
    lv.f    before, (y)
    addvv.f sums, sums, before
.endif
    sv.f    sums, (y)
    slli    bytes, place, VALUE_SHIFT
    add     y, y, bytes
    li      place, 0
    li      last, 0
    mxf     f1, zero
    setvl   s
    movvx   sums, zero
    bne     pointer, stop, row
    halt
.else
    mv      last, y
next_row:
    addi    y, y, VALUE_BYTES
    bne     pointer, stop, row
.if ACCUMULATE
    fl.f    f2, (last)
    fadd.f  f1, f1, f2
.endif
    fs.f    f1, (last)
    halt

empty_row:
.if ACCUMULATE
.else
    fs.f    f3, (y)
.endif
    j       next_row
.endif

long_row:                           # more than one strip: the products of the first are the partial sums
    lv.f    value, (values)
    lv.w    column, (columns)
.if SUMS_IN_REGISTER
    lvi.f   gathered, (xbase), column
    insf    sums, f1, last
.else
.if ACCUMULATE
    fl.f    f2, (last)
    fadd.f  f1, f1, f2
.endif
    fs.f    f1, (last)
    lvi.f   gathered, (xbase), column
.endif
    mulvv.f partial, value, gathered
    mv      first, n
strip:
    slli    bytes, n, VALUE_SHIFT   # to the next strip
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
    slli    bytes, n, VALUE_SHIFT   # to the next row
    add     values, values, bytes
    slli    bytes, n, 2
    add     columns, columns, bytes
    setvl   first                   # all partial sums of the row
    j       reduce

# In memory, for the matrix   1 . 2 .      ROWPTR   0   2   3   3   5       where each row begins, and the end
#                             . 3 . .
#                             . . . .      COLIDX   0   2 | 1 | | 0   3     its entries' columns ...
#                             4 . . 5      VALUES   1   2 | 3 | | 4   5     ... and values; the third row is empty
