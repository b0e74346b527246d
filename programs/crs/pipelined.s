# y = A x with A in compressed row storage (CRS), pipelined: row by row, as a hand-written loop keeps the memory
# port busy. The textbook loop is plain.s.
#
# What overlaps: three rows are on their way at once, each with vector registers and a register for its sum of
# its own, so that the loads of a row issue while the sums of the two rows before are still being added. A row's
# sum is put away three rows later, when its register is needed again. Row pointers are loaded a row ahead. The
# loop is written out three times, so that all but one of its branches are not taken; what is rare (an empty
# row, one longer than a section, a full register of sums) stands aside. Two rows at once take 3 % longer.
#
# The element of y goes to memory in one of two ways (option sums):
#   register (SUMS_IN_REGISTER = 1)  by way of a vector register. It is copied when it holds s elements, so that
#                                    the next sums need not wait for the store.
#   scalar   (SUMS_IN_REGISTER = 0)  by a scalar store, when the row's loads are under way and before its
#                                    gather: a scalar store waits for older gathers.
# The option products (PRODUCTS_IN_MEMORY = 1) takes another way, for short rows: products.s.
#
# An empty row has the sum 0. With ACCUMULATE = 1 (option accumulate) sums are added to what y holds: y += A x;
# the elements that a register of sums is added to are loaded when the one before is stored.
#
# Symbols from the loader: ROWS, ROWPTR, COLIDX, VALUES, X, Y, VALUE_SHIFT (log2 of the bytes of a value),
# SECTION_BITS (log2 of s).

.default SUMS_IN_REGISTER, 1
.default ACCUMULATE, 0
.default PRODUCTS_IN_MEMORY, 0

.if PRODUCTS_IN_MEMORY
.include "crs/products.s"
.else

.reg stop,    x3        # address of the last entry of ROWPTR
.reg pointer, x4        # address of the next row's entry of ROWPTR
.reg values,  x5        # address of the next value
.reg columns, x6        # address of the next column index
.reg xbase,   x7
.reg y,       x8        # address of the next s elements of y, or of the next one
.reg begin,   x9        # where the row begins, in elements
.reg end,     x10       # where it ends
.reg left,    x11       # elements of the row that are left
.reg n,       x12       # elements of this strip
.reg bytes,   x13
.reg first,   x14       # elements of the first strip, the longest of the row
.reg rows,    x15
.reg place,   x16       # number of the row whose sum is put away next; below 0 there is none yet
.reg s,       x17
.reg full,    x18       # number of the row behind the last one of this register of sums
.reg at0,     x19       # address in y of the sum in f1, f2, f3
.reg at1,     x20
.reg at2,     x21

.reg value0,  v0        # rows 0, 3, ...
.reg column0, v1
.reg gathered0, v2
.reg partial0, v3
.reg value1,  v4        # rows 1, 4, ...
.reg column1, v5
.reg gathered1, v6
.reg partial1, v7
.reg value2,  v8        # rows 2, 5, ...
.reg column2, v9
.reg gathered2, v10
.reg partial2, v11
.reg partial, v12       # of a row of more than one strip, which uses value0, column0 and gathered0
.reg sums,    v13       # elements of y
.reg stored,  v14       # the same on their way to memory
.reg before,  v15       # what y holds already

start:
    li      stop, ROWPTR + 4 * ROWS
    li      pointer, ROWPTR
    li      values, VALUES
    li      columns, COLIDX
    li      xbase, X
    li      y, Y
    li      rows, ROWS
    li      place, -3
    mxf     f1, zero                # as if there were three empty rows before
    mxf     f2, zero
    mxf     f3, zero
    lw      begin, (pointer)
    lw      end, 4(pointer)
.if SUMS_IN_REGISTER
    li      s, 1 << SECTION_BITS
    mv      full, s
.if ACCUMULATE
    setvl   rows
    lv.f    before, (y)
.endif
.else
    mv      at0, y
    mv      at1, y
    mv      at2, y
.endif

row0:
    sub     left, end, begin        # elements of the row
    mv      begin, end              # the next row begins where this one ends
    lw      end, 8(pointer)         # of the next row; behind the last row it is not used
    addi    pointer, pointer, 4
    setvl   n, left                 # n = min(left, s)
    beqz    left, empty0
    bne     n, left, long0          # longer than a vector register: in strips
    lv.w    column0, (columns)      # contiguous, like the values; the gather waits for it
    slli    bytes, left, 2          # to the next row's columns, of 4 bytes each ...
    add     columns, columns, bytes
    lv.f    value0, (values)
    slli    bytes, left, VALUE_SHIFT # ... and values
    add     values, values, bytes
.if SUMS_IN_REGISTER
    lvi.f   gathered0, (xbase), column0 # x where the columns say: a word a cycle
    mulvv.f partial0, value0, gathered0 # chains: begins with the first element of x
    insf    sums, f1, place         # the sum of three rows before
.else
.if ACCUMULATE
    fl.f    f4, (at0)
    fadd.f  f1, f1, f4
.endif
    fs.f    f1, (at0)
    lvi.f   gathered0, (xbase), column0 # x where the columns say: a word a cycle
    mulvv.f partial0, value0, gathered0 # chains: begins with the first element of x
.endif
    sumv.f  f1, partial0            # one number of all products: a tree
next0:
    addi    place, place, 1
.if SUMS_IN_REGISTER
    beq     place, full, full0
.else
    mv      at0, y
    addi    y, y, VALUE_BYTES
.endif
more0:
    beq     pointer, stop, finish0

row1:
    sub     left, end, begin        # elements of the row
    mv      begin, end              # the next row begins where this one ends
    lw      end, 8(pointer)         # of the next row; behind the last row it is not used
    addi    pointer, pointer, 4
    setvl   n, left                 # n = min(left, s)
    beqz    left, empty1
    bne     n, left, long1          # longer than a vector register: in strips
    lv.w    column1, (columns)      # contiguous, like the values; the gather waits for it
    slli    bytes, left, 2          # to the next row's columns, of 4 bytes each ...
    add     columns, columns, bytes
    lv.f    value1, (values)
    slli    bytes, left, VALUE_SHIFT # ... and values
    add     values, values, bytes
.if SUMS_IN_REGISTER
    lvi.f   gathered1, (xbase), column1 # x where the columns say: a word a cycle
    mulvv.f partial1, value1, gathered1 # chains: begins with the first element of x
    insf    sums, f2, place         # the sum of three rows before
.else
.if ACCUMULATE
    fl.f    f4, (at1)
    fadd.f  f2, f2, f4
.endif
    fs.f    f2, (at1)
    lvi.f   gathered1, (xbase), column1 # x where the columns say: a word a cycle
    mulvv.f partial1, value1, gathered1 # chains: begins with the first element of x
.endif
    sumv.f  f2, partial1            # one number of all products: a tree
next1:
    addi    place, place, 1
.if SUMS_IN_REGISTER
    beq     place, full, full1
.else
    mv      at1, y
    addi    y, y, VALUE_BYTES
.endif
more1:
    beq     pointer, stop, finish1

row2:
    sub     left, end, begin        # elements of the row
    mv      begin, end              # the next row begins where this one ends
    lw      end, 8(pointer)         # of the next row; behind the last row it is not used
    addi    pointer, pointer, 4
    setvl   n, left                 # n = min(left, s)
    beqz    left, empty2
    bne     n, left, long2          # longer than a vector register: in strips
    lv.w    column2, (columns)      # contiguous, like the values; the gather waits for it
    slli    bytes, left, 2          # to the next row's columns, of 4 bytes each ...
    add     columns, columns, bytes
    lv.f    value2, (values)
    slli    bytes, left, VALUE_SHIFT # ... and values
    add     values, values, bytes
.if SUMS_IN_REGISTER
    lvi.f   gathered2, (xbase), column2 # x where the columns say: a word a cycle
    mulvv.f partial2, value2, gathered2 # chains: begins with the first element of x
    insf    sums, f3, place         # the sum of three rows before
.else
.if ACCUMULATE
    fl.f    f4, (at2)
    fadd.f  f3, f3, f4
.endif
    fs.f    f3, (at2)
    lvi.f   gathered2, (xbase), column2 # x where the columns say: a word a cycle
    mulvv.f partial2, value2, gathered2 # chains: begins with the first element of x
.endif
    sumv.f  f3, partial2            # one number of all products: a tree
next2:
    addi    place, place, 1
.if SUMS_IN_REGISTER
    beq     place, full, full2
.else
    mv      at2, y
    addi    y, y, VALUE_BYTES
.endif
more2:
    beq     pointer, stop, finish2
    j       row0

.if SUMS_IN_REGISTER
full0:
    call    store
    j       more0
.endif
empty0:
.if SUMS_IN_REGISTER
    insf    sums, f1, place
.else
.if ACCUMULATE
    fl.f    f4, (at0)
    fadd.f  f1, f1, f4
.endif
    fs.f    f1, (at0)
.endif
    mxf     f1, zero
    j       next0
long0:
.if SUMS_IN_REGISTER
    insf    sums, f1, place
.else
.if ACCUMULATE
    fl.f    f4, (at0)
    fadd.f  f1, f1, f4
.endif
    fs.f    f1, (at0)
.endif
    call    long
    sumv.f  f1, partial
    j       next0
finish0:                            # sums on their way are put away as by empty rows
    bne     place, rows, empty1
    j       flush

.if SUMS_IN_REGISTER
full1:
    call    store
    j       more1
.endif
empty1:
.if SUMS_IN_REGISTER
    insf    sums, f2, place
.else
.if ACCUMULATE
    fl.f    f4, (at1)
    fadd.f  f2, f2, f4
.endif
    fs.f    f2, (at1)
.endif
    mxf     f2, zero
    j       next1
long1:
.if SUMS_IN_REGISTER
    insf    sums, f2, place
.else
.if ACCUMULATE
    fl.f    f4, (at1)
    fadd.f  f2, f2, f4
.endif
    fs.f    f2, (at1)
.endif
    call    long
    sumv.f  f2, partial
    j       next1
finish1:                            # sums on their way are put away as by empty rows
    bne     place, rows, empty2
    j       flush

.if SUMS_IN_REGISTER
full2:
    call    store
    j       more2
.endif
empty2:
.if SUMS_IN_REGISTER
    insf    sums, f3, place
.else
.if ACCUMULATE
    fl.f    f4, (at2)
    fadd.f  f3, f3, f4
.endif
    fs.f    f3, (at2)
.endif
    mxf     f3, zero
    j       next2
long2:
.if SUMS_IN_REGISTER
    insf    sums, f3, place
.else
.if ACCUMULATE
    fl.f    f4, (at2)
    fadd.f  f3, f3, f4
.endif
    fs.f    f3, (at2)
.endif
    call    long
    sumv.f  f3, partial
    j       next2
finish2:                            # sums on their way are put away as by empty rows
    bne     place, rows, empty0
    j       flush

flush:                              # the sums of the last rows
.if SUMS_IN_REGISTER
    sub     n, full, s
    sub     n, rows, n
    setvl   n
.if ACCUMULATE
    addvv.f sums, sums, before
.endif
    sv.f    sums, (y)
.endif
    halt

.if SUMS_IN_REGISTER
# Store s sums.
store:
    setvl   s
.if ACCUMULATE
    addvv.f stored, sums, before
.else
    movv    stored, sums
.endif
    sv.f    stored, (y)
    slli    bytes, s, VALUE_SHIFT
    add     y, y, bytes
.if ACCUMULATE
    sub     n, rows, full
    setvl   n
    lv.f    before, (y)
.endif
    add     full, full, s
    ret
.endif

# The partial sums of a row of more than one strip: the products of the first, to which others are added.
long:
    lv.f    value0, (values)
    lv.w    column0, (columns)
    lvi.f   gathered0, (xbase), column0
    mulvv.f partial, value0, gathered0
    mv      first, n
strip:
    slli    bytes, n, VALUE_SHIFT   # to the next strip
    add     values, values, bytes
    slli    bytes, n, 2
    add     columns, columns, bytes
    sub     left, left, n
    setvl   n, left
    lv.f    value0, (values)
    lv.w    column0, (columns)
    lvi.f   gathered0, (xbase), column0
    maddvv.f partial, value0, gathered0
    bne     n, left, strip
    slli    bytes, n, VALUE_SHIFT
    add     values, values, bytes
    slli    bytes, n, 2
    add     columns, columns, bytes
    setvl   first
    ret
.endif
