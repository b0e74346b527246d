# y = A x with A in SELL-C-sigma: rows are sorted by falling length within windows of sigma rows, and slices of C = s rows
# are padded to their longest. The sums of a slice stay in a register and are scattered to y. LMUL is 1, 2 or 4.
#
# a0 next entry of SLICEPTR, a1 columns, a2 values, a3 y, a4 x, a5 entries left, s0 rows left, s1 bytes of an entry of all
# rows of a slice, s3 rows of the slice, s4 PERM of the slice, t0 entries of rows in all slices before

    .include "common.s"
    .include "padded.s"
    .globl _start
    .text
_start:
    la a3, Y
    la a4, X
    addressof a0, SLICEPTR
    addressof a1, COLIDX
    addressof a2, VALUES
    addressof s4, PERM
    li s0, ROWS
    lw t0, 0(a0)
    beqz s0, done
slice:
    setvl s3, s0                    # the last slice has the rows that are left
    slli s1, s3, 2
    lw t1, 4(a0)
    addi a0, a0, 4
    vmv.v.i v0, 0
    sub a5, t1, t0
    mv t0, t1
    beqz a5, put
next:
    entry v4, v8, v12
    add a1, a1, s1
    add a2, a2, s1
    addi a5, a5, -1
    beqz a5, put
    entry v16, v20, v24
    add a1, a1, s1
    add a2, a2, s1
    addi a5, a5, -1
    bnez a5, next
put:
    vle32.v v4, (s4)                # where the rows belong
    vsll.vi v4, v4, 2
    vsuxei32.v v0, (a3), v4
    add s4, s4, s1
    sub s0, s0, s3
    bnez s0, slice
done:
    finish
    arrays
