"""An indexed multiply-accumulate that reads its multiplicand from the register file instead of memory.

As in proposals for RISC-V vectors, such as V. Titopoulos et al.: IndexMAC, a Custom RISC-V Vector
Instruction to Accelerate Structured-Sparse Matrix Multiplications, DATE 2024: operands that an index selects
are read from the vector registers. Here the index selects the element of one register, so that a segment of
s elements of x is loaded once and never gathered.
"""

from isa.declaration import Unit
from isa.semantics.numbers import put_vd, put_vs
from isa.state import State
from vecsim import Extension

register_gather = Extension("register_gather", "multiply-accumulate with elements of a register by index")


@register_gather.instruction(
    "maddi.s",
    0xE4,
    "vd+, va, vx*, vi",
    "vd[k] = vd[k] + va[k] * vx[vi[k] modulo s], float32",
    unit=Unit.MULTIPLY,
    latency="multiply_add",
)
def maddi_s(m: State, n: int, d: int, a: int, x: int, i: int) -> None:
    """Add products in float32, rounded twice."""
    s = m.section
    for k in range(n):
        index = m.v[i * s + k] & (s - 1)
        put_vs(m, d * s + k, m.vs[2 * (d * s + k)] + m.vs[2 * (a * s + k)] * m.vs[2 * (x * s + index)])


@register_gather.instruction(
    "maddi.d",
    0xE5,
    "vd+, va, vx*, vi",
    "vd[k] = vd[k] + va[k] * vx[vi[k] modulo s], float64",
    unit=Unit.MULTIPLY,
    latency="multiply_add",
)
def maddi_d(m: State, n: int, d: int, a: int, x: int, i: int) -> None:
    """Add products in float64, rounded twice."""
    s = m.section
    for k in range(n):
        index = m.v[i * s + k] & (s - 1)
        put_vd(m, d * s + k, m.vd[d * s + k] + m.vd[a * s + k] * m.vd[x * s + index])
