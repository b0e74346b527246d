# y = A x with A in the hierarchical sparse matrix format (HiSM), with LDB and BMIPA of Xhism: the recursion of the paper
# (IPDPS 2003, section 3.1.1). Block arrays of level 0 have values; those above have pointers, and behind their entries the
# lengths of the arrays to which they point. The segment of y is exchanged when the block row changes, that of x when
# the block column changes. Pointers are read by scalar loads, one block ahead. Blocks alternate between two sets of
# registers and two segments of y, so that a segment is loaded before the one before it is complete; with LMUL = 8 there
# is room for one set. blocks.s says what is in which register.

    .include "common.s"
    .include "blocks.s"
    .globl _start
    .text
_start:
    prepare
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

    one_block

.if LEVELS - 1

    walk

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
