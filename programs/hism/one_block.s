# y = A x for a matrix of up to s x s, which has one level, a block array of values: there is nothing to exchange. It is
# included by the products on HiSM and CHiSM, and has the registers of registers.s.

    li      xseg, X
    li      yseg, Y
    setvl   s
    lv.f    x, (xseg)
.if ACCUMULATE
    lv.f    y, (yseg)
.else
    movvx   y, zero
.endif
    beqz    length, store
values:
    ldb.f   value, position, (array), length, POSITION_BYTES
    bmipa.f y, x, value, position
    bnez    length, values
store:
    setvl   s
    sv.f    y, (yseg)
    halt
