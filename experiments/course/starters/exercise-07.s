# Exercise 7: a sparse matrix, row by row (90 minutes)
#
# y = b - A x with A in compressed row storage (CRS): the residual of a linear system.
#
# Given are ROWS, ROWPTR (ROWS + 1 words: where each row begins, in elements), COLIDX (the column of each entry),
# VALUES, X, B and Y; .f stands for the type of a value. The text below is right, element by element. Make a vector of
# each row: load its values and columns, gather the elements of x, multiply, sum up. Rows may be empty, and may be
# longer than 64 entries. You may take two and a half times as long as the program `crs` that comes with vecsim
# (schedule `plain`), which computes A x alone.

start:
        li      x3, ROWPTR
        li      x4, ROWS            # rows left
        li      x5, VALUES
        li      x6, COLIDX
        li      x7, X
        li      x8, Y
        li      x12, B
        lw      x9, (x3)            # where the row begins
row:
        lw      x10, 4(x3)          # where it ends
        mxf     f1, zero
        beq     x9, x10, done
entry:
        fl.f    f2, (x5)
        lw      x11, (x6)
        slli    x11, x11, VALUE_SHIFT
        add     x11, x11, x7
        fl.f    f3, (x11)
        fmul.f  f2, f2, f3
        fadd.f  f1, f1, f2
        addi    x5, x5, VALUE_BYTES
        addi    x6, x6, 4
        addi    x9, x9, 1
        bne     x9, x10, entry
done:
        fl.f    f4, (x12)
        fsub.f  f1, f4, f1
        fs.f    f1, (x8)
        addi    x12, x12, VALUE_BYTES
        addi    x8, x8, VALUE_BYTES
        addi    x3, x3, 4
        addi    x4, x4, -1
        bnez    x4, row
        halt
