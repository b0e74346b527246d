# y = A x with A in compressed row storage (CRS), row by row: the columns of a row are loaded, x is gathered, and the
# products are summed up. Rows alternate between two sets of registers, so that a row begins while the one before it
# is summed up. The sum of a row never leaves the vector registers. LMUL is 1, 2 or 4.
#
# a0 next entry of ROWPTR, a1 next column, a2 next value, a3 next element of y, a4 x, a5 entries left of the row
# s0 rows left, t0 where the row begins

    .include "common.s"
    .globl _start
    .text
_start:
    addressof a0, ROWPTR
    addressof a1, COLIDX
    addressof a2, VALUES
    la a3, Y
    la a4, X
    li s0, ROWS
    beqz s0, done
    lw t0, 0(a0)
    lw t1, 4(a0)                    # the end of a row is loaded a row ahead

.macro row sum, column, gathered, value
    sub a5, t1, t0
    mv t0, t1
    lw t1, 8(a0)                    # behind the last row there are columns
    addi a0, a0, 4
    vsetivli zero, 1, e32, m1, ta, ma
    vmv.s.x \sum, zero
    beqz a5, 2f
1:
    setvl t2, a5
    vle32.v \column, (a1)
    vle32.v \value, (a2)
    vsll.vi \column, \column, 2     # bytes
    vluxei32.v \gathered, (a4), \column
    vfmul.vv \value, \value, \gathered
    vfredusum.vs \sum, \value, \sum
    sub a5, a5, t2
    slli t2, t2, 2
    add a1, a1, t2
    add a2, a2, t2
    bnez a5, 1b
    vsetivli zero, 1, e32, m1, ta, ma
2:
    vse32.v \sum, (a3)
    addi a3, a3, 4
    addi s0, s0, -1
.endm

rows:
    row v0, v4, v8, v12
    beqz s0, done
    row v16, v20, v24, v28
    bnez s0, rows
done:
    finish
    arrays
