"""What each instruction does, as plain functions over the flat arrays of :class:`isa.state.State`.

Every function has the form ``f(m, n, *operands)``: the state, the number of elements, and the operand
fields in the order of the syntax (register numbers and immediates). They use only what Numba compiles
with equal bits: loops over integers, NumPy scalars, and one another. Nothing here knows about time.
"""
