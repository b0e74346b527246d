"""What compiled user-defined code has raised, read from the variables of its object file."""

from __future__ import annotations

import ctypes
import os
import pickle
from typing import Any

from vecsim.engines.jit.interface import INDEX, LENGTH, PLACE
from vecsim.engines.user_code import UserCodeError, reason_of
from vecsim.engines.user_values import outside


class _Raised(ctypes.Structure):
    """The beginning of what Numba's calling convention gives of an exception."""

    _fields_ = (("content", ctypes.c_void_p), ("size", ctypes.c_int32))


def raised_by(engines: list[Any], exception: int | None) -> UserCodeError | None:
    """Return the failure of user-defined code; None if none of it ran.

    Parameters
    ----------
    engines
        The loaded object files: of user-defined semantics if there are any, and of the loop.
    exception
        The address of what was raised.
    """
    for engine in engines:
        address = engine.get_global_value_address(PLACE)
        if not address:
            continue
        place, rule = ctypes.c_char_p.from_address(address), engine is engines[-1]
        if place.value or rule:
            failed = UserCodeError(os.fsdecode(place.value or b""), _reason(engine, exception), rule)
            place.value = None
            return failed
    return None


def _reason(engine: Any, exception: int | None) -> str:
    try:
        raised = _Raised.from_address(exception or 0)
        error_type, arguments, _ = pickle.loads(ctypes.string_at(raised.content, raised.size))
        error = error_type(*arguments or ())
    except Exception:  # an error that cannot be made here, such as of a type that its file defines
        return "an error that the compiled code raised"
    if isinstance(error, IndexError) and not error.args:
        index, length = (
            ctypes.c_int64.from_address(engine.get_global_value_address(name)).value
            for name in (INDEX, LENGTH)
        )
        error = IndexError(outside(index, length))
    return reason_of(error)
