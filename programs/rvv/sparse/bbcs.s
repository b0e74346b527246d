# y = A x with A in block based compression storage (BBCS), with LDS and MIPA of Xhism. The matrix is cut into block columns
# of s columns, whose non-zeros are read row by row in sections: LDS loads one and finds the rows that it touches, those
# elements of y are gathered, MIPA adds the products to them, and they are scattered back. The next section is loaded
# before that, into another set of registers. LMUL is 1, 2 or 4.
#
# a0 next entry of BLOCKPTR, a1 of BLOCKLEN, a2 next section, a3 y, a4 x of the block column that is loaded, a5 entries left
# of that, a6 bytes of a segment of x, s0 block columns left, s2 entries of the section that is multiplied, s3 of the one
# that is loaded (0: none), s4 rows of the first, s5 whether the one that is loaded begins a block column

    .include "common.s"
    .globl _start
    .text
_start:
    la a3, Y
    li s0, ROWS
    mv t1, a3
    setvl t0, zero
    vmv.v.i v0, 0
clear:                              # y = 0
    setvl t0, s0
    vse32.v v0, (t1)
    sub s0, s0, t0
    slli t0, t0, 2
    add t1, t1, t0
    bnez s0, clear
    addressof a0, BLOCKPTR
    addressof a1, BLOCKLEN
    li s0, BLOCKS
    setvl a6, zero
    slli a6, a6, 2
    la a4, X
    sub a4, a4, a6
    li a5, 0
    call ahead
    beqz s3, done
    vlds.v v8, v12, v16, (a2)
    call advance
    j first

# Multiply a section while the next one is loaded.
.macro section value, position, row, value1, position1, row1
    mv s2, s3
    csrr s4, rowcount               # known when the whole section has arrived
    beqz s5, 1f
    setvl t6, zero
    vle32.v v4, (a4)                # x of the block column that begins
1:
    call ahead
    beqz s3, 2f
    vlds.v \value1, \position1, \row1, (a2)
    call advance
2:
    setvl zero, s4
    vsll.vi \row, \row, 2           # bytes
    vluxei32.v v0, (a3), \row
    setvl zero, s2
    vmipa.vv v0, v4, \value, \position
    setvl zero, s4
    vsuxei32.v v0, (a3), \row
    beqz s3, done
.endm

first:
    section v8, v12, v16, v20, v24, v28
    section v20, v24, v28, v8, v12, v16
    j first
done:
    finish

# Find the next section: s3 entries at a2, s5 = 1 if it begins a block column; vl and rowptr are set for LDS.
ahead:
    li s5, 0
    bnez a5, found
    li s3, 0
next:
    beqz s0, none
    addi s0, s0, -1
    lw a2, 0(a0)
    lw a5, 0(a1)
    addi a0, a0, 4
    addi a1, a1, 4
    add a4, a4, a6
    beqz a5, next
    la t1, IMAGE
    add a2, a2, t1
    li s5, 1
    csrw rowptr, zero
found:
    setvl s3, a5
none:
    ret

# Go on behind the section that is being loaded.
advance:
    sub a5, a5, s3
    li t1, 4 + DESCRIPTOR_BYTES
    mul t1, t1, s3
    add a2, a2, t1
    ret

    arrays
