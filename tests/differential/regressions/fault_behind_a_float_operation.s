# memory: 256 bytes of zeros
    li x6, 8192
    fadd.s f1, f2, f3
    fs.w f1, (x6)
    halt
