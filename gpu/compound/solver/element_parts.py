"""The device functions of an iteration that know how many components an element has, generated from text."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.compound import expressions
from gpu.runtime.cuda import device_function


@dataclass(frozen=True)
class ElementParts:
    """Device functions of elements of C components, which are tuples.

    Attributes
    ----------
    combined
        ``combined(a, s, t)``: s + a t, for a number a, rounded to the real type.
    dotted
        ``dotted(s, t)``: the scalar product, in float64.
    preconditioned
        ``preconditioned(inverses, number, count, r)``: element r, by its number, multiplied by its inverse.
    """

    combined: Any
    dotted: Any
    preconditioned: Any


@functools.cache
def element_parts(real: Any, size: int, plain: bool) -> ElementParts:
    """Generate the functions.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    size
        C.
    plain
        Whether each inverse is one number; else it is a symmetric matrix, and number k of its lower triangle
        (`place_of`) stands at k count + n for element n.
    """
    each = range(size)
    texts = {
        "combined": ("a, s, t", [f"real(s[{k}] + a * t[{k}])" for k in each]),
        "preconditioned": (
            "inverses, number, count, r",
            [f"real({_row(k, size, plain)})" for k in each],
        ),
    }
    made = {
        name: _made(f"def {name}({given}):\n    return ({', '.join(found)},)\n", name, real)
        for name, (given, found) in texts.items()
    }
    products = " + ".join(f"float64(s[{k}]) * float64(t[{k}])" for k in each)
    return ElementParts(dotted=_made(f"def dotted(s, t):\n    return {products}\n", "dotted", real), **made)


def place_of(row: int, column: int) -> int:
    """Give the place of a number of a symmetric matrix whose lower triangle is kept, row by row."""
    first, second = max(row, column), min(row, column)
    return first * (first + 1) // 2 + second


def _row(row: int, size: int, plain: bool) -> str:
    if plain:
        return f"float64(inverses[uint64(number)]) * r[{row}]"
    return " + ".join(
        f"float64(inverses[uint64({place_of(row, column)} * count + number)]) * r[{column}]"
        for column in range(size)
    )


def _made(text: str, name: str, real: Any) -> Any:
    return device_function(
        expressions.of_scalars(text, name, real, {"uint64": np.uint64, "float64": np.float64})
    )
