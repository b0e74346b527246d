# y = A x with A in the hierarchical sparse matrix format, with the vector cache of Xhism (CHiSM): hism.s with one difference
# (IPDPS 2003, section 3.1.1). The intermediate result is not one segment of y in registers, exchanged at level 0, but s
# slices of s elements in the cache, exchanged at level 1. Slices move one by one, and only those that have rows of the
# matrix. Without a level 1, for a matrix of up to s x s, this is HiSM. Blocks alternate between two sets of registers;
# with LMUL = 8 there is room for one. blocks.s says what is in which register.

    .include "common.s"
    .include "blocks.s"
# Move the slices that belong to block rows from s4 on.
.macro slices move
    mul t3, s4, s3
    add t3, t3, s2                  # where they are in y
    srli t4, s3, 2
    mul t4, t4, s3
    add t4, t4, t3                  # where s slices end
    li t1, 4 * Y_ELEMENTS
    add t1, t1, s2                  # where y ends
    bltu t4, t1, 1f
    mv t4, t1
1:
    li t2, 0
    setvl t6, zero
2:
    \move t2, (t3)
    addi t2, t2, 1
    add t3, t3, s3
    bltu t3, t4, 2b
.endm

    .globl _start
    .text
_start:
    prepare
    beqz a1, last
.if LEVELS - 1
    setvl t6, zero
    vse32.v v8, (s6)
    li s4, -1                       # no slices are in the cache
    li a3, 0
    li a4, 0
    li a5, LEVELS - 1
    call node
    slices vstc.x
    finish
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

    one_block

.if LEVELS - 1

    walk

# The children are block arrays of values: t4 address, t5 entries, t0 row, t1 column of the one that is multiplied.
.macro block value, position
    mv t4, s8
    mv t5, s9
    mv t0, s10
    mv t1, s11
    addi a1, a1, -1
    beqz a1, 1f
    take                            # the block after it
1:
    setvl t2, t5
    load_block \value, \position, t4
    beq t1, s5, 2f
    mv s5, t1
    mul t3, t1, s3
    add t3, t3, s1
    setvl t6, zero
    vle32.v v16, (t3)               # x of another block column
    setvl t2, t5
2:
    vbmipac.vx t0, v16, \value, \position # the slice is the block row modulo s
    sub t5, t5, t2
    beqz t5, 3f
    mul t3, t2, s7                  # the block has more than a section
    add t4, t4, t3
    setvl t2, t5
    load_block \value, \position, t4
    j 2b
3:
.endm

parents:
    beq a3, s4, children
    bltz s4, fill
    slices vstc.x
fill:
    mv s4, a3
    slices vldc.x
children:
    take
next:
    block v0, v24
    beqz a1, leave
.ifne LMUL - 8
    block v4, v28
    bnez a1, next
.else
    j next
.endif
leave:
    ret

.endif

    arrays
