"""What RISC-V instructions do: functions that Numba compiles, over the arrays of a hart.

What the functions of this package name alike is described here. Integers are int64 values, and wrap around.

Parameters
----------
hart
    A :class:`isa.riscv.state.Hart`.
row
    The number of the decoded instruction in ``hart.code``.
operation, form, kind
    Which of its family an instruction is: what it computes, where its operands come from (vv, vx, vi), how an
    access finds its addresses.
a, b, c
    The operands, in the order of the assembly text; floats as their bits.
value, filler
    What is written.
number, register
    A register.
bits, size, sew
    Bits of a number, 8 to 64.
unsigned, arithmetic
    Whether an integer is unsigned; whether a shift keeps the sign.
count
    By how many bits.
rounding, mode
    A rounding mode: of floats as in ``frm``, of fixed-point numbers as in ``vxrm``.
flags
    The exceptions of floats so far, as in ``fflags``.
negative, exponent, significand
    A float: sign, power of 2, and the integer that is multiplied by it.
n
    An integer that becomes a float.
i, k
    The number of an element: of the group, and of all registers seen as elements of its width.
bit
    0 or 1, an element of a mask.
wide, narrow
    The first registers of groups whose elements are wide and half as wide.
a_lmul, b_lmul, wide_lmul, narrow_lmul
    Base-2 logarithms of the registers of groups.
wide_source
    Whether vs2 is as wide as the destination.
store
    Whether an access stores.
"""
