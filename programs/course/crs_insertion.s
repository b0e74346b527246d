# A[ROW, COLUMN] = VALUE with A in compressed row storage (CRS): a place is looked for among the columns of the row, and
# if the element is not there all that is stored behind it makes room, of all rows.
#
# A section of columns is compared at once. Then values and columns move up by one, the last section first, since a
# section must not be written over before it is read; and every row pointer behind the row grows by one.
#
# Symbols: ROWS, NNZ, ROW, COLUMN, ROWPTR, COLIDX, VALUES (with room for an element more), VALUE (address); FOUND (address
# of a word: 1 if the element was there); VALUE_SHIFT, SECTION_BITS (log2 of s).

.reg begin,   x3        # place of the row's first element that may be the one
.reg end,     x4        # place behind its last
.reg at,      x5
.reg n,       x6
.reg left,    x7
.reg col,     x8
.reg less,    x9        # elements of the section in front of the new one
.reg s,       x10
.reg from,    x11       # address of a section to move
.reg to,      x12
.reg t,       x13
.reg one,     x14
.reg pointer, x15

.reg column,  v0
.reg wanted,  v1
.reg before,  v2        # 1 in front of the new element
.reg zeros,   v3
.reg ones,    v4
.reg moved,   v5
.reg moved_columns, v6

start:
    li      pointer, ROWPTR + 4 * ROW
    lw      begin, (pointer)
    lw      end, 4(pointer)
    li      col, COLUMN
    li      one, 1
    li      s, 1 << SECTION_BITS
    setvl   s
    movvx   wanted, col
    movvx   zeros, zero
    subvv.s zeros, zeros, zeros
    fcvt.s.w f1, one
    addvs.s ones, zeros, f1
    li      t, VALUE
    fl.f    f3, (t)

search:                             # how many columns of the section are smaller
    sub     left, end, begin
    beqz    left, insert
    setvl   n, left
    slli    at, begin, 2
    li      t, COLIDX
    add     at, at, t
    lv.w    column, (at)
    sltvv.w column, wanted
    mergev  before, ones, zeros
    sumv.s  f2, before
    fcvt.w.s less, f2
    add     begin, begin, less
    beq     less, n, search         # all: go on with the next section
    slli    at, begin, 2            # not all: this element is the one, or stands behind it
    add     at, at, t
    lw      t, (at)
    bne     t, col, insert
    slli    at, begin, VALUE_SHIFT  # it is there: its value is written over
    li      t, VALUES
    add     at, at, t
    fs.f    f3, (at)
    li      t, FOUND
    sw      one, (t)
    halt

insert:                             # what is behind moves up, the last section first
    li      left, NNZ
    sub     left, left, begin
move:
    beqz    left, put
    setvl   n, left
    sub     left, left, n
    add     at, begin, left
    slli    from, at, VALUE_SHIFT
    li      t, VALUES
    add     from, from, t
    lv.f    moved, (from)
    slli    to, at, 2
    li      t, COLIDX
    add     to, to, t
    lv.w    moved_columns, (to)
    sv.f    moved, VALUE_BYTES(from)
    sv.w    moved_columns, 4(to)
    j       move
put:
    slli    at, begin, VALUE_SHIFT
    li      t, VALUES
    add     at, at, t
    fs.f    f3, (at)
    slli    at, begin, 2
    li      t, COLIDX
    add     at, at, t
    sw      col, (at)

    addi    pointer, pointer, 4     # pointers behind the row
    li      left, ROWS - ROW
grow:
    setvl   n, left
    lv.w    moved, (pointer)
    addvs.w moved, moved, one
    sv.w    moved, (pointer)
    slli    t, n, 2
    add     pointer, pointer, t
    sub     left, left, n
    bnez    left, grow
    halt
