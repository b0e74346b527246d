# clang-19 --target=riscv64-unknown-elf -march=rv64gv -mabi=lp64d -mcmodel=medany -ffreestanding -O2 -fno-inline
# -mno-relax -S axpy.c, of this text:
# float total;
# static const float weights[4] = {0.5f, 1.5f, -2.0f, 4.0f};
# extern double scale;
# double scale = 3.0;
# void axpy(long n, float a, const float *x, float *y) {
#     for (long i = 0; i < n; i++) y[i] += a * x[i];
# }
# int main(void) {
#     float y[4] = {1, 2, 3, 4};
#     axpy(4, (float)scale, weights, y);
#     for (int i = 0; i < 4; i++) total += y[i];
#     return (int)total;
# }
	.text
	.file	"axpy.c"
	.globl	axpy                            # -- Begin function axpy
	.p2align	2
	.type	axpy,@function
axpy:                                   # @axpy
# %bb.0:
	blez	a0, .LBB0_9
# %bb.1:
	csrr	a5, vlenb
	srli	a3, a5, 1
	li	a4, 16
	bltu	a4, a3, .LBB0_3
# %bb.2:
	li	a3, 16
.LBB0_3:
	bltu	a0, a3, .LBB0_6
# %bb.4:
	slli	a3, a0, 2
	add	a4, a1, a3
	bgeu	a2, a4, .LBB0_10
# %bb.5:
	add	a3, a2, a3
	bgeu	a1, a3, .LBB0_10
.LBB0_6:
	li	a3, 0
.LBB0_7:
	sub	a0, a0, a3
	slli	a3, a3, 2
	add	a2, a2, a3
	add	a1, a1, a3
.LBB0_8:                                # =>This Inner Loop Header: Depth=1
	flw	fa5, 0(a1)
	flw	fa4, 0(a2)
	fmadd.s	fa5, fa0, fa5, fa4
	fsw	fa5, 0(a2)
	addi	a0, a0, -1
	addi	a2, a2, 4
	addi	a1, a1, 4
	bnez	a0, .LBB0_8
.LBB0_9:
	ret
.LBB0_10:
	srli	a4, a5, 1
	neg	a3, a4
	and	a3, a3, a0
	vsetvli	a6, zero, e32, m2, ta, ma
	vfmv.v.f	v8, fa0
	slli	a5, a5, 1
	mv	a6, a3
	mv	a7, a2
	mv	t0, a1
.LBB0_11:                               # =>This Inner Loop Header: Depth=1
	vl2re32.v	v10, (t0)
	vl2re32.v	v12, (a7)
	vfmacc.vv	v12, v8, v10
	vs2r.v	v12, (a7)
	add	t0, t0, a5
	sub	a6, a6, a4
	add	a7, a7, a5
	bnez	a6, .LBB0_11
# %bb.12:
	bne	a3, a0, .LBB0_7
	j	.LBB0_9
.Lfunc_end0:
	.size	axpy, .Lfunc_end0-axpy
                                        # -- End function
	.globl	main                            # -- Begin function main
	.p2align	2
	.type	main,@function
main:                                   # @main
# %bb.0:
	addi	sp, sp, -32
	sd	ra, 24(sp)                      # 8-byte Folded Spill
.Lpcrel_hi0:
	auipc	a0, %pcrel_hi(.L__const.main.y)
	addi	a0, a0, %pcrel_lo(.Lpcrel_hi0)
	vsetivli	zero, 4, e32, m1, ta, ma
	vle32.v	v8, (a0)
.Lpcrel_hi1:
	auipc	a0, %pcrel_hi(scale)
	fld	fa5, %pcrel_lo(.Lpcrel_hi1)(a0)
	mv	a0, sp
	vse32.v	v8, (a0)
	fcvt.s.d	fa0, fa5
.Lpcrel_hi2:
	auipc	a0, %pcrel_hi(weights)
	addi	a1, a0, %pcrel_lo(.Lpcrel_hi2)
	li	a0, 4
	mv	a2, sp
	call	axpy
.Lpcrel_hi3:
	auipc	a1, %pcrel_hi(total)
	flw	fa5, %pcrel_lo(.Lpcrel_hi3)(a1)
	flw	fa4, 0(sp)
	flw	fa3, 4(sp)
	flw	fa2, 8(sp)
	flw	fa1, 12(sp)
	fadd.s	fa5, fa4, fa5
	fadd.s	fa5, fa3, fa5
	fadd.s	fa5, fa2, fa5
	fadd.s	fa5, fa1, fa5
	fcvt.w.s	a0, fa5, rtz
	fsw	fa5, %pcrel_lo(.Lpcrel_hi3)(a1)
	ld	ra, 24(sp)                      # 8-byte Folded Reload
	addi	sp, sp, 32
	ret
.Lfunc_end1:
	.size	main, .Lfunc_end1-main
                                        # -- End function
	.type	scale,@object                   # @scale
	.section	.sdata,"aw",@progbits
	.globl	scale
	.p2align	3, 0x0
scale:
	.quad	0x4008000000000000              # double 3
	.size	scale, 8

	.type	.L__const.main.y,@object        # @__const.main.y
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	2, 0x0
.L__const.main.y:
	.word	0x3f800000                      # float 1
	.word	0x40000000                      # float 2
	.word	0x40400000                      # float 3
	.word	0x40800000                      # float 4
	.size	.L__const.main.y, 16

	.type	weights,@object                 # @weights
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
weights:
	.word	0x3f000000                      # float 0.5
	.word	0x3fc00000                      # float 1.5
	.word	0xc0000000                      # float -2
	.word	0x40800000                      # float 4
	.size	weights, 16

	.type	total,@object                   # @total
	.section	.sbss,"aw",@nobits
	.globl	total
	.p2align	2, 0x0
total:
	.word	0x00000000                      # float 0
	.size	total, 4

	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym weights
