# C = A B with A in 2:4 structured sparsity, float32: of four entries of a row of A that follow each other, two are kept. Rows of
# B are in registers v16 to v31, so A has 16 columns and rows have 8 entries. INDEXED = 1: vindexmac.vx of Xindexmac takes the
# row of B by its number. INDEXED = 0: it is loaded from memory for each entry. B has as many columns as a register elements.
#
# a0 next value of A, a1 next number of a column, a2 B, a3 next row of C, s0 rows left, s1 bytes of a row of B and C

    .globl _start
    .text
_start:
    la a0, VALUES
    la a1, COLUMNS
    la a2, B
    la a3, C
    li s0, ROWS
    vsetvli s1, zero, e32, m1, ta, ma
    slli s1, s1, 2
.if INDEXED
    mv t0, a2
.irp k, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vle32.v v\k, (t0)
    add t0, t0, s1
.endr
.endif
row:
    vmv.v.i v1, 0
.irp k, 2, 3, 4, 5, 6, 7, 8, 9      # the entries of a row, each with a register, so that none waits for another
    lbu t1, 0(a1)                   # the column
    flw fa0, 0(a0)
    addi a1, a1, 1
    addi a0, a0, 4
.if INDEXED
    vfmv.s.f v\k, fa0
    addi t1, t1, 16
    vindexmac.vx v1, v\k, t1
.else
    mul t1, t1, s1
    add t1, t1, a2
    vle32.v v\k, (t1)
    vfmacc.vf v1, fa0, v\k
.endif
.endr
    vse32.v v1, (a3)
    add a3, a3, s1
    addi s0, s0, -1
    bnez s0, row
    li a7, 93                       # exit(0)
    li a0, 0
    ecall
    .data
    .p2align 4
VALUES:
    .zero 32 * ROWS
COLUMNS:
    .zero 8 * ROWS
    .p2align 4
B:
    .zero 64 * WIDTH
C:
    .zero 4 * ROWS * WIDTH
