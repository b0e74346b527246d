# C = A B, all dense, row by row in memory.
#
# A block of C, four rows by a section of columns, stays in four registers while all that is added to it passes by:
# for each k a section of row k of B is loaded once and multiplied by four scalars of A. So four multiply-adds need one
# vector load, and the multiply unit, not the memory port, sets the pace. Rows that are left over go one by one.
#
# Symbols: ROWS, INNER, COLUMNS (A is ROWS x INNER, B is INNER x COLUMNS); the addresses A, B, C; VALUE_SHIFT (log2 of
# the bytes of a value).

.equ A_ROW, INNER << VALUE_SHIFT
.equ B_ROW, COLUMNS << VALUE_SHIFT

.reg a0,    x3          # address of the next element of A of each of the four rows
.reg a1,    x4
.reg a2,    x5
.reg a3,    x6
.reg b,     x7          # address of the section of row k of B
.reg c,     x8          # address of the block of C
.reg left,  x9          # columns left
.reg n,     x10
.reg k,     x11         # terms left
.reg rows,  x12         # rows left
.reg arow,  x13         # bytes of a row of A
.reg brow,  x14         # bytes of a row of B and of C
.reg four,  x15
.reg atop,  x16         # address of the first of the four rows of A
.reg ctop,  x17         # address of the first of the four rows of C
.reg col,   x18         # bytes from the beginning of a row to the section
.reg bytes, x19
.reg at,    x20

.reg row_b, v0          # two registers, so that the next section arrives while this one is used
.reg next_b, v1
.reg c0,    v2
.reg c1,    v3
.reg c2,    v4
.reg c3,    v5

start:
    li      atop, A
    li      ctop, C
    li      rows, ROWS
    li      arow, A_ROW
    li      brow, B_ROW
    li      four, 4
block_row:
    blt     rows, four, one_row
    li      left, COLUMNS
    li      col, 0
block:
    setvl   n, left
    mv      a0, atop
    add     a1, a0, arow
    add     a2, a1, arow
    add     a3, a2, arow
    li      b, B
    add     b, b, col
    movvx   c0, zero
    movvx   c1, zero
    movvx   c2, zero
    movvx   c3, zero
    li      k, INNER
term:
    lv.f    row_b, (b)              # a section of row k of B
    fl.f    f0, (a0)                # element k of four rows of A
    fl.f    f1, (a1)
    fl.f    f2, (a2)
    fl.f    f3, (a3)
    add     b, b, brow
    addi    a0, a0, VALUE_BYTES
    addi    a1, a1, VALUE_BYTES
    addi    a2, a2, VALUE_BYTES
    addi    a3, a3, VALUE_BYTES
    maddvs.f c0, row_b, f0
    maddvs.f c1, row_b, f1
    maddvs.f c2, row_b, f2
    maddvs.f c3, row_b, f3
    addi    k, k, -1
    beqz    k, put
    lv.f    next_b, (b)             # the same with the other register
    fl.f    f4, (a0)
    fl.f    f5, (a1)
    fl.f    f6, (a2)
    fl.f    f7, (a3)
    add     b, b, brow
    addi    a0, a0, VALUE_BYTES
    addi    a1, a1, VALUE_BYTES
    addi    a2, a2, VALUE_BYTES
    addi    a3, a3, VALUE_BYTES
    maddvs.f c0, next_b, f4
    maddvs.f c1, next_b, f5
    maddvs.f c2, next_b, f6
    maddvs.f c3, next_b, f7
    addi    k, k, -1
    bnez    k, term
put:
    add     at, ctop, col
    sv.f    c0, (at)
    add     at, at, brow
    sv.f    c1, (at)
    add     at, at, brow
    sv.f    c2, (at)
    add     at, at, brow
    sv.f    c3, (at)
    slli    bytes, n, VALUE_SHIFT
    add     col, col, bytes
    sub     left, left, n
    bnez    left, block
    slli    bytes, arow, 2          # four rows down
    add     atop, atop, bytes
    slli    bytes, brow, 2
    add     ctop, ctop, bytes
    addi    rows, rows, -4
    j       block_row

one_row:
    beqz    rows, done
    li      left, COLUMNS
    li      col, 0
one_block:
    setvl   n, left
    mv      a0, atop
    li      b, B
    add     b, b, col
    movvx   c0, zero
    li      k, INNER
one_term:
    lv.f    row_b, (b)
    fl.f    f0, (a0)
    add     b, b, brow
    addi    a0, a0, VALUE_BYTES
    maddvs.f c0, row_b, f0
    addi    k, k, -1
    bnez    k, one_term
    add     at, ctop, col
    sv.f    c0, (at)
    slli    bytes, n, VALUE_SHIFT
    add     col, col, bytes
    sub     left, left, n
    bnez    left, one_block
    add     atop, atop, arow
    add     ctop, ctop, brow
    addi    rows, rows, -1
    j       one_row
done:
    halt
