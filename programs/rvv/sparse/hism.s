# y = A x with A in the hierarchical sparse matrix format (HiSM), with LDB and BMIPA of Xhism: the recursion of the paper
# (IPDPS 2003, section 3.1.1). Block arrays of level 0 have values; those above have pointers, and behind their entries the
# lengths of the arrays to which they point. The segment of y is exchanged when the block row changes, that of x when
# the block column changes. Pointers are read by scalar loads, one block ahead. Blocks alternate between two sets of
# registers and two segments of y, so that a segment is loaded before the one before it is complete; with LMUL = 8 there
# is room for one set.
#
# a0 block array, a1 its entries left, a2 its lengths, a3 and a4 block row and column of the array, a5 its level
# s0 IMAGE, s1 X, s2 Y, s3 bytes of a segment, s4 and s5 block row and column of the segments in registers, s6 where the
# segment of y belongs, s7 bytes of an entry of values; of the next block: s8 address, s9 entries, s10 row, s11 column

    .include "common.s"
    .globl _start
    .text
_start:
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
    beqz a1, last
.if LEVELS - 1
    li a3, 0
    li a4, 0
    li a5, LEVELS - 1
    call node
.else
    mv s8, a0
    mv s9, a1
    vle32.v v16, (s1)
    call values
.endif
last:
    setvl t6, zero
    vse32.v v8, (s6)
    finish

.macro load_block value, position, address
.if POSITION_BYTES - 1
    vldbei16.v \value, \position, (\address)
.else
    vldbei8.v \value, \position, (\address)
.endif
.endm

# Multiply the block at s8 of s9 entries with the segments in v16 and v8.
values:
    setvl t2, s9
    load_block v0, v24, s8
    vbmipa.vv v8, v16, v0, v24
    sub s9, s9, t2
    mul t2, t2, s7
    add s8, s8, t2
    bnez s9, values
    ret

.if LEVELS - 1

# Read the next entry of an array of pointers: s8 address, s10 row and s11 column within it, s9 entries.
.macro take
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

# All that hangs below the array at a0 of a1 entries, at block row a3 and block column a4 of level a5.
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

# The children are block arrays of values: t4 address, t5 entries, t0 row, t1 column of the one that is multiplied.
.macro block y, other, value, position
    mv t4, s8
    mv t5, s9
    mv t0, s10
    mv t1, s11
    addi a1, a1, -1
    beqz a1, 1f
    take                            # the block after it
1:
    setvl t2, t5
.ifne LMUL - 8
    load_block \value, \position, t4 # before anything that waits for y
.endif
    beq t1, s5, 2f
    mv s5, t1
    mul t3, t1, s3
    add t3, t3, s1
    setvl t6, zero
    vle32.v v16, (t3)               # x of another block column
2:
    beq t0, s4, 3f
    mv s4, t0
    mul t3, t0, s3
    add t3, t3, s2
    setvl t6, zero
.ifne LMUL - 8
    vle32.v \other, (t3)            # the next segment of y comes in
    vse32.v \y, (s6)                # while this one waits for its last sums
    mv s6, t3
    setvl t2, t5
    vbmipa.vv \other, v16, \value, \position
    j 4f
.else
    vse32.v \y, (s6)
    vle32.v \y, (t3)
    mv s6, t3
.endif
3:
    setvl t2, t5
.ifeq LMUL - 8
    load_block \value, \position, t4
.endif
    vbmipa.vv \y, v16, \value, \position
.endm

# The rest of a block of more than a section.
.macro rest y, value, position
1:
    sub t5, t5, t2
    beqz t5, 2f
    mul t3, t2, s7
    add t4, t4, t3
    setvl t2, t5
    load_block \value, \position, t4
    vbmipa.vv \y, v16, \value, \position
    j 1b
2:
.endm

.ifne LMUL - 8
parents:
    take
of_even:                            # v8 is the segment of y
    block v8, v12, v0, v24
    rest v8, v0, v24
    beqz a1, leave
    j of_even
4:                                  # v12 is
    rest v12, v0, v24
    beqz a1, leave_odd
of_odd:
    block v12, v8, v4, v28
    rest v12, v4, v28
    bnez a1, of_odd
leave_odd:                          # the segment of y goes on in v8
    setvl t6, zero
    vmv.v.v v8, v12
    ret
4:
    rest v8, v4, v28
    bnez a1, of_even
leave:
    ret
.else
parents:
    take
only:
    block v8, v8, v0, v24
    rest v8, v0, v24
    bnez a1, only
    ret
.endif

.endif

    arrays
