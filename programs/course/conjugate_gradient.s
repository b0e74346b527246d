# A x = b by conjugate gradients, A symmetric and positive definite, in HiSM (Hestenes and Stiefel, 1952).
#
# x = 0, r = b, p = r; then, until r is small:
#   q = A p                             hism_product.s, included at the end of this text
#   alpha = r.r / p.q
#   x = x + alpha p, r = r - alpha q
#   beta = r.r now / r.r before
#   p = r + beta p
#
# Beside the product an iteration walks over the vectors three times: for p.q; for x, r and the new r.r; for p. What
# keeps vector machines from their peak here are the two scalars: all that follows alpha waits for the reduction and
# the division that make it, and so it is with beta.
#
# Vectors have whole sections, with zeros behind their N elements, so that no strip is shorter than another.
#
# Symbols: N, MOST (iterations); the addresses B, X, R, P, Q, LIMIT (of r.r that is small enough), DONE (of a word: the
# iterations); VALUE_SHIFT, SECTION_BITS (log2 of s); those of the product.

.equ SECTIONS, N + (1 << SECTION_BITS) - 1 >> SECTION_BITS

.reg iteration, x23
.reg first,   x24       # addresses of the strips of three vectors
.reg second,  x25
.reg third,   x26
.reg strips,  x27       # sections left
.reg step,    x28       # bytes of a section
.reg elements, x29      # s
.reg most,    x30

.reg rr,      f4        # r.r
.reg pq,      f5
.reg alpha,   f6
.reg beta,    f7
.reg limit,   f8

.reg ps,      v8
.reg qs,      v9
.reg xs,      v10
.reg rs,      v11
.reg sums,    v12

start:
    li      elements, 1 << SECTION_BITS
    slli    step, elements, VALUE_SHIFT
    li      iteration, 0
    li      most, MOST
    li      first, LIMIT
    fl.f    limit, (first)

    setvl   elements                # r = b, p = r, r.r
    movvx   sums, zero
    li      first, B
    li      second, R
    li      third, P
    li      strips, SECTIONS
begin:
    lv.f    rs, (first)
    maddvv.f sums, rs, rs
    sv.f    rs, (second)
    sv.f    rs, (third)
    add     first, first, step
    add     second, second, step
    add     third, third, step
    addi    strips, strips, -1
    bnez    strips, begin
    sumv.f  rr, sums

iterate:
    fbge.f  limit, rr, done
    bge     iteration, most, done
    call    multiply                # q = A p

    setvl   elements                # p.q
    movvx   sums, zero
    li      first, P
    li      second, Q
    li      strips, SECTIONS
dot:
    lv.f    ps, (first)
    lv.f    qs, (second)
    maddvv.f sums, ps, qs
    add     first, first, step
    add     second, second, step
    addi    strips, strips, -1
    bnez    strips, dot
    sumv.f  pq, sums
    fdiv.f  alpha, rr, pq

    movvx   sums, zero              # x = x + alpha p, r = r - alpha q, r.r
    li      first, P
    li      second, X
    li      strips, SECTIONS
solution:
    lv.f    ps, (first)
    lv.f    xs, (second)
    maddvs.f xs, ps, alpha
    sv.f    xs, (second)
    add     first, first, step
    add     second, second, step
    addi    strips, strips, -1
    bnez    strips, solution
    li      first, Q
    li      second, R
    li      strips, SECTIONS
residual:
    lv.f    qs, (first)
    lv.f    rs, (second)
    mulvs.f qs, qs, alpha
    subvv.f rs, rs, qs
    maddvv.f sums, rs, rs
    sv.f    rs, (second)
    add     first, first, step
    add     second, second, step
    addi    strips, strips, -1
    bnez    strips, residual
    sumv.f  beta, sums
    fdiv.f  alpha, beta, rr         # beta, in the register of alpha
    fadd.f  rr, beta, f0            # f0 is never written: 0

    li      first, P                # p = r + beta p
    li      second, R
    li      strips, SECTIONS
direction:
    lv.f    ps, (first)
    lv.f    rs, (second)
    maddvs.f rs, ps, alpha
    sv.f    rs, (first)
    add     first, first, step
    add     second, second, step
    addi    strips, strips, -1
    bnez    strips, direction
    addi    iteration, iteration, 1
    j       iterate

done:
    li      first, DONE
    sw      iteration, (first)
    halt

.include "course/hism_product.s"
