# The recursion of HiSM from the top down to level 1, for the programs that walk a matrix. It is included by them, has
# the registers of registers.s, and goes to `parents`, which they have, for each block array of level 1.

# node(array, length, row, col, level): all that hangs below a block array of pointers.
node:
    beqz    length, leave
    slli    lengths, length, 2      # the lengths begin behind the entries, at a multiple of 16
    li      t, 2 * POSITION_BYTES
    mul     t, t, length
    add     lengths, lengths, t
    add     lengths, lengths, array
    addi    lengths, lengths, 15
    andi    lengths, lengths, -16
    slti    t, level, 2
    bnez    t, parents

# Above level 1 the section is kept on the stack while its children use the registers.
    sub     sp, sp, frame
    sw      ra, 0(sp)
node_section:
    ldb.w   pointer, place, (array), length, POSITION_BYTES
    lv.w    size, (lengths)
    addi    t, sp, FRAME_VECTORS
    sv.w    pointer, (t)
    li      i, VECTOR_BYTES
    add     t, t, i
    sv.w    place, (t)
    add     t, t, i
    sv.w    size, (t)
    mfs     n, vl
    slli    t, n, 2
    add     lengths, lengths, t
    sw      array, 4(sp)
    sw      length, 8(sp)
    sw      row, 12(sp)
    sw      col, 16(sp)
    sw      lengths, 20(sp)
    sw      n, 24(sp)
    li      i, 0
node_child:
    sw      i, 28(sp)
    slli    t, i, 2
    add     t, t, sp
    lw      array, FRAME_VECTORS(t)
    li      childrow, VECTOR_BYTES
    add     t, t, childrow
    lw      childcol, FRAME_VECTORS(t)
    add     t, t, childrow
    lw      length, FRAME_VECTORS(t)
    srli    t, childcol, 16         # position in the parent, times s, plus position in the block
    slli    row, row, SECTION_BITS
    add     row, row, t
    and     t, childcol, low
    slli    col, col, SECTION_BITS
    add     col, col, t
    addi    level, level, -1
    call    node
    addi    level, level, 1
    lw      row, 12(sp)
    lw      col, 16(sp)
    lw      n, 24(sp)
    lw      i, 28(sp)
    addi    i, i, 1
    blt     i, n, node_child
    lw      array, 4(sp)
    lw      length, 8(sp)
    lw      lengths, 20(sp)
    bnez    length, node_section
    lw      ra, 0(sp)
    add     sp, sp, frame
leave:
    ret
