# memory: 256 bytes of zeros
    li x31, 64
    li x1, -2
    setvl x31
    fcvt.d.w f1, x1
    fcvt.s.w f2, x1
    addvs.d v1, v0, f1
    addvs.s v2, v0, f2
    sqrtv.d v3, v1
    sqrtv.s v4, v2
    fsqrt.d f3, f1
    fsqrt.s f4, f2
    halt
