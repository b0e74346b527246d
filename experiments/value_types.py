"""Host formats with values of another type, so that a matrix is converted once for both."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np


def with_type(host: Any, dtype: str) -> Any:
    """Give a host format with values of another type, as if the matrix had been rounded before conversion.

    Parameters
    ----------
    host
        A format of `vecsim.formats`: a frozen dataclass of arrays, and of formats.
    dtype
        float32 or float64.
    """
    changed = {}
    for each in fields(host):
        value = getattr(host, each.name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            changed[each.name] = value.astype(dtype, copy=False)
        elif is_dataclass(value) and not isinstance(value, type):
            changed[each.name] = with_type(value, dtype)
    return replace(host, **changed) if changed else host
