# y = A x with A in jagged diagonals (JD): the rows are sorted by falling length, and the n-th non-zeros of all rows
# stand together. Strip by strip of s rows, the sums stay in a register over all diagonals, and are scattered to y at
# the end. Diagonals alternate between two sets of registers. LMUL is 1, 2 or 4.
#
# a0 next entry of DIAGPTR, a3 y, a4 x, a6 COLIDX, a7 VALUES, s0 rows left, s1 first row of the strip, s2 diagonals left,
# s3 rows of the strip, s4 PERM of the strip, t0 where the diagonal begins

    .include "common.s"
    .include "padded.s"
    .globl _start
    .text
_start:
    la a3, Y
    la a4, X
    addressof a6, COLIDX
    addressof a7, VALUES
    addressof s4, PERM
    li s0, ROWS
    li s1, 0
    beqz s0, done

.macro diagonal column, gathered, value
    beqz s2, put
    addi s2, s2, -1
    sub t2, t1, t0
    sub t2, t2, s1                  # rows from the strip on that the diagonal reaches
    blez t2, put                    # none: the longer rows are above
    add t3, t0, s1
    mv t0, t1
    lw t1, 8(a0)                    # behind the last diagonal there are columns
    addi a0, a0, 4
    slli t3, t3, 2
    add a1, a6, t3
    add a2, a7, t3
    setvl t4, t2, tu                # sums of rows that it does not reach stay
    entry \column, \gathered, \value
.endm

strip:
    setvl s3, s0
    vmv.v.i v0, 0
    addressof a0, DIAGPTR
    lw t0, 0(a0)
    lw t1, 4(a0)
    li s2, DIAGONALS
next:
    diagonal v4, v8, v12
    diagonal v16, v20, v24
    j next
put:
    setvl zero, s3
    vle32.v v4, (s4)                # where the rows belong
    vsll.vi v4, v4, 2
    vsuxei32.v v0, (a3), v4
    sub s0, s0, s3
    add s1, s1, s3
    slli t2, s3, 2
    add s4, s4, t2
    bnez s0, strip
done:
    finish
    arrays
