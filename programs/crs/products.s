# y = A x with A in CRS, all products stored first (option products = memory): the second way of pipelined.s.
#
# The products of all entries are computed s at a time, whatever their rows, and stored in order. Then a row is one
# load of its products instead of three loads and a gather. That gains where rows are short; where they are long,
# storing and loading every product costs more.
#
# What overlaps: the next strip of entries is gathered before the products of this one are stored. Then six rows
# are in flight, with a register of products and a register for the sum each: a sum is ready some 33 cycles
# after its load issues, and a port of four accesses in flight begins one every five or six cycles. The loop is written
# six times, so that its usual branches are not taken.
#
# With ACCUMULATE = 1 (option accumulate) sums are added to what y holds: y += A x.
#
# Symbols from the loader: ROWS, ROWPTR, COLIDX, VALUES, X, Y, WORK, VALUE_SHIFT, SECTION_BITS (log2 of s).

.reg stop,    x3        # address of the last entry of ROWPTR
.reg pointer, x4        # address of the next row's entry of ROWPTR
.reg values,  x5        # address of the next value
.reg columns, x6        # address of the next column index
.reg xbase,   x7
.reg y,       x8        # address of the next s elements of y
.reg begin,   x9        # where the row begins, in elements
.reg end,     x10       # where it ends
.reg left,    x11       # elements that are left
.reg n,       x12       # elements of this strip
.reg bytes,   x13
.reg first,   x14       # elements of the strip before, or of the first strip of a row
.reg rows,    x15
.reg place,   x16       # number of the row whose sum is stored next; below 0 there is none yet
.reg s,       x17
.reg full,    x18       # number of the row after the last one of this register of sums
.reg product, x19       # address of the next product

.reg value0,  v6        # strips of entries 0, 2, ...
.reg column0, v7
.reg gathered0, v8
.reg value1,  v9        # strips 1, 3, ...
.reg column1, v10
.reg gathered1, v11
.reg partial, v12       # of a row of more than one strip
.reg sums,    v13       # elements of y
.reg stored,  v14       # the same on their way to memory
.reg before,  v15       # what y holds already
.reg product0, v0       # products of rows 0, 6, ...; of strips of entries, too
.reg product1, v1
.reg product2, v2
.reg product3, v3
.reg product4, v4
.reg product5, v5

start:
    li      stop, ROWPTR + 4 * ROWS
    li      pointer, ROWPTR
    li      values, VALUES
    li      columns, COLIDX
    li      xbase, X
    li      y, Y
    li      rows, ROWS
    li      product, WORK
    lw      left, (stop)            # all entries
    beqz    left, multiplied
    setvl   n, left
    lv.w    column0, (columns)
    lv.f    value0, (values)
    lvi.f   gathered0, (xbase), column0
    mulvv.f product0, value0, gathered0
multiply:
    slli    bytes, n, 2
    add     columns, columns, bytes
    slli    bytes, n, VALUE_SHIFT
    add     values, values, bytes
    sub     left, left, n
    mv      first, n
    beqz    left, last0
    setvl   n, left
    lv.w    column1, (columns)
    lv.f    value1, (values)
    lvi.f   gathered1, (xbase), column1 # before the store, which it need not wait for
    setvl   first
    sv.f    product0, (product)
    add     product, product, bytes
    setvl   n
    mulvv.f product1, value1, gathered1
    slli    bytes, n, 2
    add     columns, columns, bytes
    slli    bytes, n, VALUE_SHIFT
    add     values, values, bytes
    sub     left, left, n
    mv      first, n
    beqz    left, last1
    setvl   n, left
    lv.w    column0, (columns)
    lv.f    value0, (values)
    lvi.f   gathered0, (xbase), column0 # before the store, which it need not wait for
    setvl   first
    sv.f    product1, (product)
    add     product, product, bytes
    setvl   n
    mulvv.f product0, value0, gathered0
    j       multiply
last0:
    sv.f    product0, (product)
    j       multiplied
last1:
    sv.f    product1, (product)
multiplied:
    li      product, WORK
    li      place, -6
    mxf     f1, zero                # as if there were six empty rows before
    mxf     f2, zero                
    mxf     f3, zero                
    mxf     f4, zero                
    mxf     f5, zero                
    mxf     f6, zero                
    lw      begin, (pointer)
    lw      end, 4(pointer)
    li      s, 1 << SECTION_BITS
    mv      full, s
.if ACCUMULATE
    setvl   rows
    lv.f    before, (y)
.endif

row0:
    sub     left, end, begin        # elements of the row
    mv      begin, end              # the next row begins where this one ends
    lw      end, 8(pointer)         # of the next row; after the last row it is not used
    addi    pointer, pointer, 4
    setvl   n, left                 # n = min(left, s)
    beqz    left, empty0
    bne     n, left, long0          # longer than a vector register: in strips
    lv.f    product0, (product)
    slli    bytes, left, VALUE_SHIFT
    add     product, product, bytes
    insf    sums, f1, place         # the sum of six rows before
    sumv.f  f1, product0
next0:
    addi    place, place, 1
    beq     place, full, full0
more0:
    beq     pointer, stop, finish0

row1:
    sub     left, end, begin
    mv      begin, end
    lw      end, 8(pointer)
    addi    pointer, pointer, 4
    setvl   n, left
    beqz    left, empty1
    bne     n, left, long1
    lv.f    product1, (product)
    slli    bytes, left, VALUE_SHIFT
    add     product, product, bytes
    insf    sums, f2, place
    sumv.f  f2, product1
next1:
    addi    place, place, 1
    beq     place, full, full1
more1:
    beq     pointer, stop, finish1

row2:
    sub     left, end, begin
    mv      begin, end
    lw      end, 8(pointer)
    addi    pointer, pointer, 4
    setvl   n, left
    beqz    left, empty2
    bne     n, left, long2
    lv.f    product2, (product)
    slli    bytes, left, VALUE_SHIFT
    add     product, product, bytes
    insf    sums, f3, place
    sumv.f  f3, product2
next2:
    addi    place, place, 1
    beq     place, full, full2
more2:
    beq     pointer, stop, finish2

row3:
    sub     left, end, begin
    mv      begin, end
    lw      end, 8(pointer)
    addi    pointer, pointer, 4
    setvl   n, left
    beqz    left, empty3
    bne     n, left, long3
    lv.f    product3, (product)
    slli    bytes, left, VALUE_SHIFT
    add     product, product, bytes
    insf    sums, f4, place
    sumv.f  f4, product3
next3:
    addi    place, place, 1
    beq     place, full, full3
more3:
    beq     pointer, stop, finish3

row4:
    sub     left, end, begin
    mv      begin, end
    lw      end, 8(pointer)
    addi    pointer, pointer, 4
    setvl   n, left
    beqz    left, empty4
    bne     n, left, long4
    lv.f    product4, (product)
    slli    bytes, left, VALUE_SHIFT
    add     product, product, bytes
    insf    sums, f5, place
    sumv.f  f5, product4
next4:
    addi    place, place, 1
    beq     place, full, full4
more4:
    beq     pointer, stop, finish4

row5:
    sub     left, end, begin
    mv      begin, end
    lw      end, 8(pointer)
    addi    pointer, pointer, 4
    setvl   n, left
    beqz    left, empty5
    bne     n, left, long5
    lv.f    product5, (product)
    slli    bytes, left, VALUE_SHIFT
    add     product, product, bytes
    insf    sums, f6, place
    sumv.f  f6, product5
next5:
    addi    place, place, 1
    beq     place, full, full5
more5:
    beq     pointer, stop, finish5
    j       row0

full0:
    call    store
    j       more0
empty0:
    insf    sums, f1, place
    mxf     f1, zero
    j       next0
long0:
    insf    sums, f1, place
    call    long
    sumv.f  f1, partial
    j       next0
finish0:                            # sums in flight are stored as by empty rows
    bne     place, rows, empty1
    j       flush

full1:
    call    store
    j       more1
empty1:
    insf    sums, f2, place
    mxf     f2, zero
    j       next1
long1:
    insf    sums, f2, place
    call    long
    sumv.f  f2, partial
    j       next1
finish1:
    bne     place, rows, empty2
    j       flush

full2:
    call    store
    j       more2
empty2:
    insf    sums, f3, place
    mxf     f3, zero
    j       next2
long2:
    insf    sums, f3, place
    call    long
    sumv.f  f3, partial
    j       next2
finish2:
    bne     place, rows, empty3
    j       flush

full3:
    call    store
    j       more3
empty3:
    insf    sums, f4, place
    mxf     f4, zero
    j       next3
long3:
    insf    sums, f4, place
    call    long
    sumv.f  f4, partial
    j       next3
finish3:
    bne     place, rows, empty4
    j       flush

full4:
    call    store
    j       more4
empty4:
    insf    sums, f5, place
    mxf     f5, zero
    j       next4
long4:
    insf    sums, f5, place
    call    long
    sumv.f  f5, partial
    j       next4
finish4:
    bne     place, rows, empty5
    j       flush

full5:
    call    store
    j       more5
empty5:
    insf    sums, f6, place
    mxf     f6, zero
    j       next5
long5:
    insf    sums, f6, place
    call    long
    sumv.f  f6, partial
    j       next5
finish5:
    bne     place, rows, empty0
    j       flush

flush:                              # the sums of the last rows
    sub     n, full, s
    sub     n, rows, n
    setvl   n
.if ACCUMULATE
    addvv.f sums, sums, before
.endif
    sv.f    sums, (y)
    halt

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

# The partial sums of a row of more than one strip: the products of the first, to which others are added.
long:
    lv.f    partial, (product)
    mv      first, n
strip:
    slli    bytes, n, VALUE_SHIFT
    add     product, product, bytes
    sub     left, left, n
    setvl   n, left
    lv.f    value0, (product)
    addvv.f partial, partial, value0
    bne     n, left, strip
    slli    bytes, n, VALUE_SHIFT
    add     product, product, bytes
    setvl   first
    ret
