# y = A x with A in ELLPACK: every row is padded to the longest, and entry n of all rows stands together. Strip by strip of s
# rows, the sums stay in a register. Padding has the value 0 and column 0. LMUL is 1, 2 or 4.
#
# a1 columns, a2 values, a3 next element of y, a4 x, a5 entries left, a6 and a7 entry 0 of the strip, s0 rows left,
# s1 bytes from an entry of a row to the next, s3 rows of the strip

    .include "common.s"
    .include "padded.s"
    .globl _start
    .text
_start:
    la a3, Y
    la a4, X
    addressof a6, COLIDX
    addressof a7, VALUES
    li s0, ROWS
    li s1, 4 * ROWS
    beqz s0, done
strip:
    setvl s3, s0
    vmv.v.i v0, 0
    mv a1, a6
    mv a2, a7
    li a5, WIDTH
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
    vse32.v v0, (a3)
    sub s0, s0, s3
    slli t2, s3, 2
    add a3, a3, t2
    add a6, a6, t2
    add a7, a7, t2
    bnez s0, strip
done:
    finish
    arrays
