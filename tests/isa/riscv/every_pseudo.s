# Every pseudo-instruction, and what directives and expressions give; every_pseudo.hex is the linked program:
# llvm-mc-19 -mattr=+m,+a,+f,+d,+v,+zba,+zbb -filetype=obj; ld.lld-19 --no-relax, .text at 0x10000 and then
# .rodata, .data and .bss, each at a multiple of 8.
.text
main:
nop 
mv a0, a1
not a0, a1
neg a0, a1
negw a0, a1
sext.w a0, a1
zext.b a0, a1
zext.w a0, a1
seqz a0, a1
snez a0, a1
sltz a0, a1
sgtz a0, a1
sgt a0, a1, t2
sgtu a0, a1, t2
add a0, a1, 3
addw a0, a1, 3
and a0, a1, 3
or a0, a1, 3
xor a0, a1, 3
slt a0, a1, 3
sltu a0, a1, 3
sll a0, a1, 3
sllw a0, a1, 3
srl a0, a1, 3
srlw a0, a1, 3
sra a0, a1, 3
sraw a0, a1, 3
beqz a1, main
bnez a1, main
blez a1, main
bgez a1, main
bltz a1, main
bgtz a1, main
bgt a1, t2, main
ble a1, t2, main
bgtu a1, t2, main
bleu a1, t2, main
j main
jal main
jr a1
jr 16(a1)
jalr a1
jalr 16(a1)
jalr a0, a1
jalr a0, a1, 16
ret 
call var
call a0, var
tail var
jump var, t2
la a0, var
lla a0, var
lb a0, var
lbu a0, var
lh a0, var
lhu a0, var
lw a0, var
lwu a0, var
ld a0, var
sb a0, var, t2
sh a0, var, t2
sw a0, var, t2
sd a0, var, t2
flw fa0, var, t2
fld fa0, var, t2
fsw fa0, var, t2
fsd fa0, var, t2
fmv.s fa0, fa1
fabs.s fa0, fa1
fneg.s fa0, fa1
fgt.s a0, fa1, fa2
fge.s a0, fa1, fa2
fmv.d fa0, fa1
fabs.d fa0, fa1
fneg.d fa0, fa1
fgt.d a0, fa1, fa2
fge.d a0, fa1, fa2
fmv.x.s a0, fa1
fmv.s.x fa0, a1
csrr a0, frm
csrw frm, a1
csrs frm, a1
csrc frm, a1
csrwi frm, 3
csrsi frm, 3
csrci frm, 3
rdcycle a0
rdtime a0
rdinstret a0
frcsr a0
frrm a0
frflags a0
fscsr a1
fscsr a0, a1
fsrm a1
fsrm a0, a1
fsflags a1
fsflags a0, a1
fsrmi 3
fsrmi a0, 3
fsflagsi 3
fsflagsi a0, 3
unimp 
fence 
vneg.v v8, v16, v0.t
vneg.v v8, v16
vnot.v v8, v16, v0.t
vnot.v v8, v16
vwcvt.x.x.v v8, v16, v0.t
vwcvt.x.x.v v8, v16
vwcvtu.x.x.v v8, v16, v0.t
vwcvtu.x.x.v v8, v16
vncvt.x.x.w v8, v16, v0.t
vncvt.x.x.w v8, v16
vfneg.v v8, v16, v0.t
vfneg.v v8, v16
vfabs.v v8, v16, v0.t
vfabs.v v8, v16
vmsgt.vv v8, v16, v24, v0.t
vmsgt.vv v8, v16, v24
vmsgtu.vv v8, v16, v24, v0.t
vmsgtu.vv v8, v16, v24
vmsge.vv v8, v16, v24, v0.t
vmsge.vv v8, v16, v24
vmsgeu.vv v8, v16, v24, v0.t
vmsgeu.vv v8, v16, v24
vmfgt.vv v8, v16, v24, v0.t
vmfgt.vv v8, v16, v24
vmfge.vv v8, v16, v24, v0.t
vmfge.vv v8, v16, v24
vmslt.vi v8, v16, 3, v0.t
vmslt.vi v8, v16, 3
vmslt.vi v8, v16, 0
vmslt.vi v8, v16, -15
vmsge.vi v8, v16, 3, v0.t
vmsge.vi v8, v16, 3
vmsge.vi v8, v16, 0
vmsge.vi v8, v16, -15
vmsltu.vi v8, v16, 3, v0.t
vmsltu.vi v8, v16, 3
vmsltu.vi v8, v16, 0
vmsltu.vi v8, v16, -15
vmsgeu.vi v8, v16, 3, v0.t
vmsgeu.vi v8, v16, 3
vmsgeu.vi v8, v16, 0
vmsgeu.vi v8, v16, -15
vmsge.vx v8, v16, a1
vmsge.vx v8, v16, a1, v0.t
vmsge.vx v8, v16, a1, v0.t, v4
vmsgeu.vx v8, v16, a1
vmsgeu.vx v8, v16, a1, v0.t
vmsgeu.vx v8, v16, a1, v0.t, v4
vmmv.m v8, v16
vmclr.m v8
vmset.m v8
vmnot.m v8, v16
vl1r.v v8, (a1)
vl2r.v v8, (a1)
vl4r.v v8, (a1)
vl8r.v v8, (a1)
1: beq a0,a1,1b
bne a0,a1,1f
1: .word 1b-main, 1f-main
nop
.p2align 4
1: nop
li a0, 0x80000000
li a1,-5
lui a0,%hi(var)
sw a1,%lo(var+4)(a0)
.Lq: auipc a3,%pcrel_hi(var+8)
ld a3,%pcrel_lo(.Lq)(a3)
fadd.s fa0,fa1,fa2
fcvt.w.s a0,fa0,rtz
fcvt.w.s a0,fa0
vsetvli t0, a0, e32, m4, ta, ma
vsetivli t0, 4, e64, m2, tu, mu
vle32.v v8,(a0)
vle32.v v8,0(a0)
vadd.vv v8,v16,v24,v0.t
csrrw a0, 0x123, a1
fence
fence rw,w
fence.i
j .+8
beqz a0, . - 4
lw a0, (a1)
.option push
.option norvc
.option pop
fsflags a0
.byte 1,2,3
.balign 4
.2byte 513
.half 7
.quad main
.float 0.1
.double 3.14
.asciz "a\n"
.string "x", "y"
.balign 4
ret
.section .rodata
.Lc: .dword .Lc, main+4
.data
var: .word 1,2,3,4
.set k, 7
.equ m, k*2+(3<<2)
k = 9
.word k, m, (m&6)|1, ~5, -m, 7/2, 7%4, 1^3
.zero 5
.skip 3
.fill 3,2,5
.bss
b: .space 20
