# Macros, repetitions and conditions; linked and recorded as every_pseudo.s.
.macro push reg, off=0
    addi sp, sp, -16
    sd \reg, \off(sp)
.endm
.macro swap a, b, tmp:req
    mv \tmp, \a
    mv \a, \b
    mv \b, \tmp
.endm
.macro loop n
    li t0, \n
.Lloop\@:
    addi t0, t0, -1
    bnez t0, .Lloop\@
.endm
.macro many first, rest:vararg
    .ifb \rest
    .word \first
    .else
    .word \first
    many \rest
    .endif
.endm
main:
    push ra
    push s0, 8
    push reg=s1, off=0
    swap a0, a1, t3
    swap a0, a1, tmp=t4
    loop 5
    loop 3
    .rept 3
    addi a0, a0, 1
    .endr
    .irp r, a1, a2, a3
    mv \r, a0
    .endr
.set k, 0
.rept 4
    .word k*k
    .set k, k+1
.endr
    many 1, 2, 3
.ifdef k
    nop
.endif
.ifndef k
    ret
.else
    ebreak
.endif
.ifne 4-3
 nop
.endif
.ifeq 4-3
 nop
 nop
.endif
    ret
