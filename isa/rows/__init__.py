"""The rows of the instruction table (:mod:`isa.instructions`), by what instructions are about.

The functions of :mod:`isa.rows.forms` have parameters of the same names.

Parameters
----------
mnemonic, opcode, syntax, unit, latency, semantics, summary, timing, length
    As in :class:`isa.declaration.Instruction`.
pattern, value_bytes, record
    As in :class:`isa.declaration.Access`.
slice_operand
    The x operand that selects a slice of the vector cache.
"""
