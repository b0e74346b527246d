"""The part of NumPy that the page needs, in Python alone: where NumPy has no build, in Pyodide.

Assembler, decoder and engine are the same code on both. Arrays are strided views of bytes as in NumPy;
elements are Python's numbers. What is not here raises AttributeError or TypeError. ``tests/playground``
compares it with NumPy on what the page runs.

===============  =============================================================================
``kinds``        the types of elements
``strided``      arrays, what a key selects of them, and their arithmetic
``functions``    functions of arrays
``sparse``       of SciPy and Numba what the conversion of a small matrix meets
===============  =============================================================================
"""

from __future__ import annotations

import math
import sys
from types import ModuleType


def install() -> None:
    """Put these modules in NumPy's place, before anything imports NumPy."""
    from vecsim.playground.worker.stand_in import functions, kinds, sparse, strided

    numpy, typing, random = (ModuleType(name) for name in ("numpy", "numpy.typing", "numpy.random"))
    for module in (kinds, strided, functions):
        vars(numpy).update({name: value for name, value in vars(module).items() if name[0] != "_"})
    constants = {"nan": math.nan, "inf": math.inf, "newaxis": None, "typing": typing, "random": random}
    vars(numpy).update(constants)
    vars(typing).update(dict.fromkeys(("NDArray", "DTypeLike", "ArrayLike"), strided.ndarray))
    vars(random)["Generator"] = object
    sys.modules |= {"numpy": numpy, "numpy.typing": typing, "numpy.random": random}
    sys.modules |= sparse.modules()
