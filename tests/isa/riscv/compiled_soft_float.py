"""Soft float as compiled code over arrays of patterns."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.core.typing.templates import signature

from isa.riscv.semantics import soft_float
from isa.riscv.semantics.soft_float import (
    add,
    classify,
    divide,
    equal,
    from_integer,
    fused,
    less,
    less_or_equal,
    maximum,
    minimum,
    multiply,
    narrow,
    negated,
    reciprocal_estimate,
    root_estimate,
    square_root,
    to_integer,
    widen,
)
from vecsim.engines.jit.compiler.compilation import Exported, compile_object
from vecsim.engines.jit.compiler.functions import function, inline
from vecsim.engines.jit.compiler.fused import FUSED
from vecsim.engines.jit.object_files.loading import loaded
from vecsim.engines.rebinding import rebound

OPERATIONS = (
    "add",
    "subtract",
    "multiply",
    "fused",
    "divide",
    "square_root",
    "minimum",
    "maximum",
    "equal",
    "less",
    "less_or_equal",
    "narrow",
    "widen",
    "classify",
    "reciprocal_estimate",
    "root_estimate",
    "from_int64",
    "from_uint64",
    "to_int32",
    "to_uint32",
    "to_int64",
    "to_uint64",
    "to_int16",
    "to_uint16",
)


class Results(NamedTuple):
    """Patterns and flags, one each."""

    patterns: Any
    flags: Any


def drive(operation, bits, rounding, flags, a, b, c, results, raised):
    """Do an operation for each element; the number of it is that of OPERATIONS."""
    for i in range(len(results)):
        x, y, z = a[i], b[i], c[i]
        if operation == 0:
            r, f = add(x, y, bits, rounding, flags)
        elif operation == 1:
            r, f = add(x, negated(y, bits), bits, rounding, flags)
        elif operation == 2:
            r, f = multiply(x, y, bits, rounding, flags)
        elif operation == 3:
            r, f = fused(x, y, z, bits, rounding, flags)
        elif operation == 4:
            r, f = divide(x, y, bits, rounding, flags)
        elif operation == 5:
            r, f = square_root(x, bits, rounding, flags)
        elif operation == 6:
            r, f = minimum(x, y, bits, flags)
        elif operation == 7:
            r, f = maximum(x, y, bits, flags)
        elif operation == 8:
            r, f = equal(x, y, bits, flags)
        elif operation == 9:
            r, f = less(x, y, bits, flags)
        elif operation == 10:
            r, f = less_or_equal(x, y, bits, flags)
        elif operation == 11:
            r, f = narrow(x, rounding, flags)
        elif operation == 12:
            r, f = widen(x, flags)
        elif operation == 13:
            r, f = classify(x, bits), flags
        elif operation == 14:
            r, f = reciprocal_estimate(x, bits, rounding, flags)
        elif operation == 15:
            r, f = root_estimate(x, bits, flags)
        elif operation < 18:
            r, f = from_integer(x, operation - 16, bits, rounding, flags)
        elif operation < 20:
            r, f = to_integer(x, 32, operation - 18, bits, rounding, flags)
        elif operation < 22:
            r, f = to_integer(x, 64, operation - 20, bits, rounding, flags)
        else:
            r, f = to_integer(x, 16, operation - 22, bits, rounding, flags)
        results[i] = r
        raised[i] = f
    return 0


@cache
def _compiled(with_fused: bool) -> tuple[Any, Any]:
    separate = {each.__code__ for each in soft_float.SEPARATE}
    known: dict[int, Any] = dict(FUSED) if with_fused else {}
    made = rebound(drive, known, lambda copy: (function if copy.__code__ in separate else inline)(copy))
    array = types.Array(types.int64, 1, "C")
    kinds = signature(types.int64, *[types.int64] * 4, *[array] * 5)
    engine = loaded(compile_object({"drive": Exported(made.py_func, kinds)}))
    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    each = [pointer, pointer, integer, integer, pointer, integer, integer]
    prototype = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, *[integer] * 4, *each * 5)
    return prototype(engine.get_function_address("drive")), engine


def compute(
    operation: str, bits: int, rounding: int, flags: int, a: Any, b: Any = 0, c: Any = 0, *, fma: bool = True
) -> Results:
    """Do an operation on patterns, which broadcast, in compiled code."""
    shape = np.broadcast_shapes(np.shape(a), np.shape(b), np.shape(c), (1,))
    arrays = [np.ascontiguousarray(np.broadcast_to(_patterns(x), shape)).ravel() for x in (a, b, c)]
    arrays += [np.zeros_like(arrays[0]), np.zeros_like(arrays[0])]
    described = [(None, None, x.size, 8, x.ctypes.data, x.size, 8) for x in arrays]
    result, exception = ctypes.c_int64(), ctypes.c_void_p()
    status = _compiled(fma)[0](
        ctypes.addressof(result),
        ctypes.addressof(exception),
        OPERATIONS.index(operation),
        bits,
        rounding,
        flags,
        *[number for each in described for number in each],
    )
    assert status == 0
    return Results(*(x.reshape(shape) for x in arrays[3:]))


def _patterns(x: Any) -> Any:
    return np.array(x, np.uint64).view(np.int64) if np.asarray(x).dtype != np.int64 else np.asarray(x)
