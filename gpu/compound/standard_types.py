"""Entry types that come with the package."""

from functools import cache

from gpu.compound.entry_type import REAL, EntryType
from vecsim.support.errors import UserError

BLOCK_EDGES = (2, 3, 4, 5, 6)

COMPLEX = EntryType(
    "complex",
    entry=("re", "im"),
    vector=("re", "im"),
    product={"re": "a.re * x.re - a.im * x.im", "im": "a.re * x.im + a.im * x.re"},
)
"""Complex numbers."""

_HAMILTON = {
    "r": "{w} * x.r - a.i * x.i - a.j * x.j - a.k * x.k",
    "i": "{w} * x.i + a.i * x.r + a.j * x.k - a.k * x.j",
    "j": "{w} * x.j - a.i * x.k + a.j * x.r + a.k * x.i",
    "k": "{w} * x.k + a.i * x.j - a.j * x.i + a.k * x.r",
}
"""The Hamilton product, w the real part of the entry; equation (2) of the paper."""

QUATERNION = EntryType(
    "quaternion",
    entry=("r", "i", "j", "k"),
    vector=("r", "i", "j", "k"),
    product={name: text.format(w="a.r") for name, text in _HAMILTON.items()},
)
"""Quaternions r + i i + j j + k k; an entry multiplies from the left."""

_REAL_PART = "(a.sign * sqrt(maximum(1 - a.i * a.i - a.j * a.j - a.k * a.k, 0)))"

UNIT_QUATERNION = EntryType(
    "unit quaternion",
    entry={"i": REAL, "j": REAL, "k": REAL, "sign": "int8"},
    vector=("r", "i", "j", "k"),
    product={name: text.format(w=_REAL_PART) for name, text in _HAMILTON.items()},
)
"""Quaternions of length 1, stored as three values and the sign (1 or -1) of the real part (6.2)."""

DUAL = EntryType(
    "dual",
    entry=("value", "slope"),
    vector=("value", "slope"),
    product={"value": "a.value * x.value", "slope": "a.value * x.slope + a.slope * x.value"},
)
"""Dual numbers value + slope e with e e = 0: a product and its derivative at once."""


@cache
def blocks(edge: int) -> EntryType:
    """Return the type of blocks of `edge` x `edge` elements, row by row, with vectors of `edge` elements.

    Raises
    ------
    UserError
        If there are none of that edge.
    """
    if edge not in BLOCK_EDGES:
        raise UserError(f"blocks of {edge} x {edge} are not possible: use an edge of {BLOCK_EDGES}")
    count = range(edge)
    return EntryType(
        f"{edge} x {edge} block",
        entry=[f"m{row}{column}" for row in count for column in count],
        vector=[f"v{row}" for row in count],
        product={
            f"v{row}": " + ".join(f"a.m{row}{column} * x.v{column}" for column in count) for row in count
        },
    )
