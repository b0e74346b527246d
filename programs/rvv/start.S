# Where a kernel begins: units on, a stack, main; then its result is the exit code, by the word tohost.
    .section .text.start, "ax"
    .globl _start
_start:
    li t0, 0x2600               # mstatus: the floating-point and the vector unit are on
    csrs mstatus, t0
    la sp, stack_top
    call main
    slli a0, a0, 1              # tohost: the exit code above bit 0, which says that it is one
    ori a0, a0, 1
    la t0, tohost
    sd a0, 0(t0)
forever:
    j forever

    .section .tohost, "aw", @progbits
    .balign 64
    .globl tohost, fromhost
tohost:
    .dword 0
    .balign 64
fromhost:
    .dword 0
