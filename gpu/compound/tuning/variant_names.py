"""Variants from the names by which results are kept (`Variant.name`)."""

import re
from functools import cache

from gpu.compound.component_layout import ComponentLayout
from gpu.compound.device_compound import Layout
from gpu.compound.outer_layout import OUTER_LAYOUTS
from gpu.compound.schedule import ASSIGNMENTS, Assignment, Schedule
from gpu.compound.tuning.variants import Variant
from vecsim.support.errors import UserError

_COMPONENTS = r"(AoS|SoA|AoSoA-\d+)(?:/(\d))?"
_NAME = re.compile(
    rf"({'|'.join(sorted(OUTER_LAYOUTS, key=len, reverse=True))})-{_COMPONENTS}-{_COMPONENTS}"
    rf" \| ({'|'.join(ASSIGNMENTS)}) (\d+)(?: x (\d+))?"
    r"(?:, (\d+) threads a row)?(?:, (\d+) rows a thread)?(?:, (\d+) at once)?"
)


@cache
def variant_named(name: str) -> Variant:
    """Give the variant whose name this is.

    Parameters
    ----------
    name
        Such as ``csr-AoS-SoA/4 | static 256 x 8``.

    Raises
    ------
    UserError
        If it is the name of none.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        raise UserError(f"{name!r} is no name of a layout with a schedule")
    outer, inner, inner_together, vector, vector_together, assignment, *numbers = found.groups()
    threads, blocks, sharing, rows, at_once = (None if each is None else int(each) for each in numbers)
    return Variant(
        Layout(outer, _components(inner, inner_together), _components(vector, vector_together)),
        Schedule(_assignment(assignment), int(threads or 0), blocks or 0, sharing or 1, rows or 1, at_once),
    )


def _components(stem: str, together: str | None) -> ComponentLayout:
    elements = {"AoS": 1, "SoA": None}[stem] if stem in ("AoS", "SoA") else int(stem.rpartition("-")[2])
    return ComponentLayout(elements, int(together or 1))


def _assignment(name: str) -> Assignment:
    return next(each for each in ASSIGNMENTS if each == name)
