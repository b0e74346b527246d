# What the products y = A x for RISC-V Vector have in common. The matrix is in IMAGE, as its format lays it out from
# address 0 on: COLIDX, VALUES and other names of arrays are distances from IMAGE. IMAGE, X and Y are loaded and read by
# symbol. LMUL (1, 2, 4 or 8) is the number of registers of a group: a section has s = VLEN / 32 * LMUL elements.

.macro setvl rd, rs, tail=ta       # rd = vl = min(rs, s); rs = zero: s
.ifeq LMUL - 1
    vsetvli \rd, \rs, e32, m1, \tail, ma
.endif
.ifeq LMUL - 2
    vsetvli \rd, \rs, e32, m2, \tail, ma
.endif
.ifeq LMUL - 4
    vsetvli \rd, \rs, e32, m4, \tail, ma
.endif
.ifeq LMUL - 8
    vsetvli \rd, \rs, e32, m8, \tail, ma
.endif
.endm

.macro addressof rd, distance       # the address of an array of the image
    la \rd, IMAGE
    li t6, \distance
    add \rd, \rd, t6
.endm

.macro finish
    li a7, 93                       # exit(0)
    li a0, 0
    ecall
.endm

.macro arrays                       # the end of each program
    .data
    .p2align 4
IMAGE:
    .zero IMAGE_BYTES
    .p2align 4
X:
    .zero 4 * X_ELEMENTS
    .p2align 4
Y:
    .zero 4 * Y_ELEMENTS
.endm
