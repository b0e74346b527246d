"""Columns of the program as a flat array, a row of ``WIDTH`` integers for each instruction.

What an instruction has not got is -1. Lists follow their length.
"""

WIDTH = 72

OPERATION, TIMING, UNIT, LATENCY = range(4)
FIELD = 4
"""First of 5 operand fields."""
AWAITED = 9
"""Scalar registers that must be ready at issue, how many; then the registers, the first three padded
with x0."""
SCALAR_WRITES = 21
"""Scalar registers written at issue, how many; then the registers."""
LATE = 26
"""Scalar registers that come with the last element, how many; then the registers."""
LENGTH, LENGTH_REGISTER, PATTERN, STORE, VALUE_BYTES, RECORD_BYTES, CACHE = range(29, 36)
BASE_REGISTER, OFFSET, INDEX_REGISTER, ELEMENT_REGISTER, SLICE_REGISTER, TARGET = range(36, 42)
ACCUMULATOR = 42
READS = 43
"""Vector registers read element by element, how many; then the registers, 3."""
WRITES = 47
"""Vector registers written element by element; then the registers, 2."""
WHOLE_READS = 50
"""Vector registers read as a whole; then the registers, 4."""
WHOLE_WRITES = 55
"""Vector registers written as a whole; then the registers, 3."""
FOLLOWING = 59
"""The number of the instruction that follows."""
READ_SET, WRITE_SET, WHOLE_READ_SET, WHOLE_WRITE_SET, ADDED_SET = range(67, 72)
"""The registers of READS, WRITES, WHOLE_READS, WHOLE_WRITES and ACCUMULATOR as bits."""

SHORTCUTS = 60
"""From here on what the loop for one port knows beforehand,
:mod:`vecsim.engines.jit.single_port.preparation`."""
RECORD_SCALE = 60
"""Reciprocal of the bytes of a record."""
PLAIN = 61
"""1 if all its operands pass element by element from element 0 on: none as a whole, late, or in the cache."""
SIMPLE = 62
"""1 if it is a plain contiguous access of one register in 32-bit elements."""
CHAIN = 63
"""1 if it is arithmetic that writes one register, 2 if it sums one up into a scalar register; both read one
to three registers element by element, and nothing as a whole. 3 if it writes one element of one register and
reads no vector register. Else 0."""
SECOND, THIRD = 64, 65
"""The second and the third register that a ``CHAIN`` reads; the first again where there is none."""
RUN = 66
"""Where the run of scalar instructions begins that begins here; see
:mod:`vecsim.engines.jit.single_port.preparation`."""

END_OF_PROGRAM = 100
"""The timing of a row behind the last instruction."""
