"""A scratchpad next to the vector units that is read and added to by index, as in VIA.

J. Pavon et al.: VIA, A Smart Scratchpad for Vector Units with Application to Sparse Matrix Computations,
HPCA 2021. The scratchpad is the vector cache of s x s elements, which ``ldc`` fills. It delivers as many
elements in a cycle as the sparse unit takes, p, wherever they are, where memory delivers
``addresses_per_cycle``. An index beyond the scratchpad is taken modulo s x s. An instruction names a
slice that it waits for: that which is filled last.
"""

from isa.declaration import Unit
from isa.state import State
from vecsim import Extension

scratchpad_gather = Extension("scratchpad_gather", "gathers from a scratchpad, and sums into it, by index")


@scratchpad_gather.instruction(
    "lvx",
    0xE8,
    "vd=, vi, xs",
    "vd[k] = scratchpad[vi[k] modulo s * s], when slice xs is filled",
    unit=Unit.SPARSE,
    latency="move",
    slice_operand="xs",
)
def lvx(m: State, n: int, d: int, i: int, slice_: int) -> None:
    """Gather."""
    s = m.section
    for k in range(n):
        m.row[k] = -1
        m.v[d * s + k] = m.cache[m.v[i * s + k] & (s * s - 1)]


@scratchpad_gather.instruction(
    "svx",
    0xE9,
    "vb, vi, xs",
    "scratchpad[vi[k] modulo s * s] = vb[k], in element order, when slice xs is filled",
    unit=Unit.SPARSE,
    latency="move",
    slice_operand="xs",
)
def svx(m: State, n: int, b: int, i: int, slice_: int) -> None:
    """Scatter."""
    s = m.section
    for k in range(n):
        m.row[k] = -1
        m.cache[m.v[i * s + k] & (s * s - 1)] = m.v[b * s + k]
