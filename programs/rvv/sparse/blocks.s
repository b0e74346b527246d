# What the products on HiSM have in common: how block arrays are read, and the recursion to the arrays of level 1, whose
# entries `parents` multiplies.
#
# a0 block array, a1 its entries left, a2 its lengths, a3 and a4 block row and column of the array, a5 its level
# s0 IMAGE, s1 X, s2 Y, s3 bytes of a segment, s4 block row of what is there of y, s5 block column of the segment of x,
# s6 where a segment of y belongs, s7 bytes of an entry of values; of the next block: s8 address, s9 entries, s10 row,
# s11 column

.macro prepare                      # registers, and zeros in y but for its first segment, which is in v8
    la s0, IMAGE
    la s1, X
    la s2, Y
    setvl s3, zero
    slli s3, s3, 2
    vmv.v.i v8, 0                   # the first segment of y, which is stored in any case
    add t0, s2, s3
    li t1, ROWS
    setvl t2, zero
clear:                              # the others, y = 0, in whole segments
    sub t1, t1, t2
    blez t1, cleared
    vse32.v v8, (t0)
    add t0, t0, s3
    j clear
cleared:
    li s4, 0
    li s5, -1
    mv s6, s2
    li s7, 4 + 2 * POSITION_BYTES
    li a1, ROOT_LENGTH
    addressof a0, ROOT
.endm

.macro load_block value, position, address
.if POSITION_BYTES - 1
    vldbei16.v \value, \position, (\address)
.else
    vldbei8.v \value, \position, (\address)
.endif
.endm

.macro one_block                    # multiply the block at s8 of s9 entries with the segments in v16 and v8
values:
    setvl t2, s9
    load_block v0, v24, s8
    vbmipa.vv v8, v16, v0, v24
    sub s9, s9, t2
    mul t2, t2, s7
    add s8, s8, t2
    bnez s9, values
    ret
.endm

.macro take                         # read the next entry of an array of pointers: s8, s9, s10 and s11
.if POSITION_BYTES - 1
    lw s8, 0(a0)
    lhu s11, 4(a0)
    lhu s10, 6(a0)
.else
    lhu t3, 0(a0)                   # entries are not aligned to words
    lhu s8, 2(a0)
    slli s8, s8, 16
    or s8, s8, t3
    lbu s11, 4(a0)
    lbu s10, 5(a0)
.endif
    add s8, s8, s0
    lw s9, 0(a2)
    addi a0, a0, 4 + 2 * POSITION_BYTES
    addi a2, a2, 4
    add s10, s10, a3
    add s11, s11, a4
.endm

.macro walk                         # all that hangs below the array at a0
node:
    mv a2, a0
    li t0, 4 + 2 * POSITION_BYTES
    mul t0, t0, a1
    add a2, a2, t0
    addi a2, a2, 15
    andi a2, a2, -16                # lengths begin at a multiple of 16
    srli t0, s3, 2
    mul a3, a3, t0
    mul a4, a4, t0
    addi t0, a5, -1
    beqz t0, parents
inner:
    addi sp, sp, -64
    sd ra, 0(sp)
child:
    take
    addi a1, a1, -1
    sd a0, 8(sp)
    sd a1, 16(sp)
    sd a2, 24(sp)
    sd a3, 32(sp)
    sd a4, 40(sp)
    sd a5, 48(sp)
    mv a0, s8
    mv a1, s9
    mv a3, s10
    mv a4, s11
    addi a5, a5, -1
    call node
    ld a0, 8(sp)
    ld a1, 16(sp)
    ld a2, 24(sp)
    ld a3, 32(sp)
    ld a4, 40(sp)
    ld a5, 48(sp)
    bnez a1, child
    ld ra, 0(sp)
    addi sp, sp, 64
    ret
.endm
