# A^T in place of A, both in the hierarchical sparse matrix format (HiSM), with the instructions of the extension
# transposition: the algorithm of Stathis et al., Sparse Matrix Transpose Unit, IPDPS 2004. Values have 32 bits.
#
# A block array stays where it is: its entries go into the s x s memory by rows and come out by columns, row and
# column changed. Above level 0 the entries are pointers, and the lengths behind them go the same way, before them.
#
# Symbols from the loader: LEVELS, ROOT, ROOT_LENGTH, POSITION_BYTES.

.reg array,   x3        # argument: address of a block array
.reg length,  x4        # argument: its entries
.reg level,   x5        # argument: its level
.reg lengths, x6        # address of the lengths of its children
.reg from,    x7
.reg to,      x8
.reg left,    x9        # entries that are not yet read
.reg unsaved, x10       # entries that are not yet written
.reg place,   x11       # place in the s x s memory, by columns
.reg n,       x12
.reg child,   x13       # address of the entry of a child
.reg last,    x14       # address behind the entries
.reg home,    x15       # where a block returns to

.reg value,    v0
.reg position, v1
.reg turned,   v2
.reg turned_position, v3
.reg size,     v4

.equ RECORD, 4 + 2 * POSITION_BYTES

start:
    li      array, ROOT
    li      length, ROOT_LENGTH
    li      level, LEVELS - 1
    call    node
    halt

# node(array, length, level): a block array and all below it.
node:
    beqz    length, leave
    bnez    level, pointers
    jal     home, block
leave:
    ret

pointers:
    li      n, RECORD
    mul     last, length, n
    add     last, last, array
    addi    lengths, last, 15
    andi    lengths, lengths, -16
    mv      from, array
    mv      left, length
    mv      to, lengths
store_lengths:
    ldb.w   value, position, (from), left, POSITION_BYTES
    lv.w    size, (to)
    stcr    size, position
    mfs     n, vl
    slli    n, n, 2
    add     to, to, n
    bnez    left, store_lengths
    mv      to, lengths
    mv      left, length
    li      place, 0
load_lengths:
    ldcc    turned, turned_position, place, left
    sv.w    turned, (to)
    mfs     n, vl
    slli    n, n, 2
    add     to, to, n
    bnez    left, load_lengths
    jal     home, block
    mv      child, array
    addi    level, level, -1
    bnez    level, parents

leaves:                             # of level 1: the children are arrays of values
    lw      array, (child)
    lw      length, (lengths)
    addi    child, child, RECORD
    addi    lengths, lengths, 4
    jal     home, block
    bne     child, last, leaves
    addi    level, level, 1
    ret

parents:
    addi    sp, sp, -16
    sw      ra, 0(sp)
    sw      last, 4(sp)
next_parent:
    sw      child, 8(sp)
    sw      lengths, 12(sp)
    lw      array, (child)
    lw      length, (lengths)
    call    node
    lw      child, 8(sp)
    lw      lengths, 12(sp)
    lw      last, 4(sp)
    addi    child, child, RECORD
    addi    lengths, lengths, 4
    bne     child, last, next_parent
    lw      ra, 0(sp)
    addi    sp, sp, 16
    addi    level, level, 1
    ret

# block(array, length), returns to home: the entries of one array; there is at least one.
block:
    mv      from, array
    mv      to, array
    mv      left, length
    mv      unsaved, length
    li      place, 0
store:
    ldb.w   value, position, (from), left, POSITION_BYTES
    stcr    value, position
    bnez    left, store
    mv      left, length
load:
    ldcc    turned, turned_position, place, left
    stb.w   turned, turned_position, (to), unsaved, POSITION_BYTES
    bnez    left, load
    jr      home
