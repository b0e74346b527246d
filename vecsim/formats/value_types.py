"""Formats with values of another type, where places do not depend on how many bytes a value has."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np


def with_type(made: Any, dtype: Any) -> Any:
    """Give a dataclass of arrays, and of such dataclasses, with its floating-point arrays in another type.

    Parameters
    ----------
    made
        Frozen; what does not change is shared.
    dtype
        float32 or float64.
    """
    changed = {}
    for each in fields(made):
        value = getattr(made, each.name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            changed[each.name] = value.astype(dtype, copy=False)
        elif is_dataclass(value) and not isinstance(value, type):
            changed[each.name] = with_type(value, dtype)
    return replace(made, **changed) if changed else made
