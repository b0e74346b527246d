"""The arrays of a run inside compiled code: views that find each of them by the table of addresses.

Compiled functions take the table ``w`` and name what they need. A view is the address of the table and
nothing else, so it costs nothing to pass on; an array is found when it is named. What is in the table itself
is a place in it; the address of any other array is loaded, as one that for LLVM never changes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AttributeTemplate, infer_getattr, signature
from numba.extending import intrinsic, lower_getattr_generic, models, register_model

from isa.state import State
from vecsim.engines.jit.arrays.cells import Cells
from vecsim.engines.jit.arrays.checked_cells import CheckedCells, checked_cells
from vecsim.engines.jit.arrays.rows import BYTE, WORD, ArrayType, RowType, array_value
from vecsim.engines.jit.arrays.table import OWN, PARTS, PLACES, SECTION, Place
from vecsim.engines.state.run import Part, Temporary


class Member(NamedTuple):
    """An array of a view: where it is in the table, how many times as many elements it is seen to have as
    the table says, and its type.
    """

    place: Place
    times: int
    kind: types.Type


class View(types.Type):
    """The Numba type of a view with these members by name."""

    def __init__(self, name: str, members: dict[str, Member]) -> None:
        self.members = members
        self.has_section = "x" in members
        super().__init__(name=f"View({name})")


_SEEN_AS = {
    "f": ("f", types.int64, 1),
    "fs": ("f", types.float32, 2),
    "fd": ("f", types.float64, 1),
    "v": ("v", types.int64, 1),
    "vw": ("v", types.int32, 2),
    "vs": ("v", types.float32, 2),
    "vd": ("v", types.float64, 1),
    "cache": ("cache", types.int64, 1),
    "cs": ("cache", types.float32, 2),
    "cd": ("cache", types.float64, 1),
    "mask": ("mask", types.uint8, 1),
    "memory": ("memory", types.uint8, 1),
}
"""The arrays of the state that do not hold int64, or that are seen in several ways: the array, the type of
the elements, and how many are seen for each element of it."""


def _state_member(name: str, *, checked: bool, named: bool = False) -> Member:
    array, dtype, times = _SEEN_AS.get(name, (name, types.int64, 1))
    kind = CheckedCells(dtype, name if named else "") if checked else Cells(dtype)
    return Member(PLACES[array], times, kind)


def _words(*, checked: bool) -> Member:
    """Return simulated memory as words: a quarter as many as bytes."""
    kind = CheckedCells(types.uint32) if checked else Cells(types.uint32)
    return Member(PLACES["memory"], -4, kind)


def _state_members(*, checked: bool, named: bool = False) -> dict[str, Member]:
    names = (name for name in State._fields if name not in ("section", "words"))
    result = {name: _state_member(name, checked=checked, named=named) for name in names}
    return result | {"words": _words(checked=checked)}


def _kind(part: Part, *, checked: bool) -> types.Type:
    """Return the type of an array of a run."""
    if part.row is not None:
        constant = isinstance(part.mark, Temporary) and part.mark.constant
        kind: types.Type = RowType(part.row, checked=checked, constant=constant)
        for _ in range(part.dimensions):
            kind = ArrayType(kind, checked=checked)
        return kind
    dtype = types.uint8 if part.byte else types.int64
    kind = CheckedCells(dtype) if checked else Cells(dtype)
    return ArrayType(kind, checked=checked) if part.dimensions == 2 else kind


def _run_members(*, checked: bool) -> dict[str, Member]:
    parts = {name: part for name, part in PARTS.items() if name in PLACES}
    members = {name: Member(PLACES[name], 1, _kind(part, checked=checked)) for name, part in parts.items()}
    return members | _state_members(checked=checked)


_STATE = View("state", _state_members(checked=False))
_CHECKED_STATE = View("state, checked", _state_members(checked=True, named=True))
_RUN = View("run", _run_members(checked=False))


@register_model(View)
class _ViewModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, view: View) -> None:
        super().__init__(manager, view, BYTE)


@infer_getattr
class _ViewAttribute(AttributeTemplate):  # type: ignore[misc]
    key = View

    def generic_resolve(self, view: View, name: str) -> types.Type | None:
        if view.has_section and name == "section":
            return types.int64
        return view.members[name].kind if name in view.members else None


@lower_getattr_generic(View)
def _attribute(context: Any, builder: Any, view: View, table: Any, name: str) -> Any:
    if name == "section":
        return _constant(builder, _place(builder, table, SECTION))
    place, times, kind = view.members[name]
    begin = _place(builder, table, place.begin)
    data = builder.bitcast(begin, BYTE) if place.near else builder.inttoptr(_constant(builder, begin), BYTE)
    length = _constant(builder, _place(builder, table, place.length))
    if times != 1:
        length = builder.udiv(length, WORD(-times)) if times < 0 else builder.mul(length, WORD(times))
    if isinstance(kind, CheckedCells):
        section = _constant(builder, _place(builder, table, SECTION)) if view.has_section else WORD(0)
        return checked_cells(context, builder, kind, data, length, section)
    inner = _constant(builder, _place(builder, table, place.length + 1))
    return array_value(context, builder, kind, data, length, inner)


def _place(builder: Any, table: Any, place: int) -> Any:
    return builder.gep(builder.bitcast(table, WORD.as_pointer()), [ir.IntType(64)(place)])


def _constant(builder: Any, place: Any) -> Any:
    """Load what does not change while compiled code runs."""
    value = builder.load(place)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _viewing(seen_as: types.Type) -> Any:
    """Make the function that sees the table, or a view of it, in a way."""

    @intrinsic
    def view_of(typing_context: Any, table: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return args[0]

        return signature(seen_as, table), code

    return view_of


state_of = _viewing(_STATE)
"""Name the architectural state."""
checked_state_of = _viewing(_CHECKED_STATE)
"""Name the architectural state for user-defined semantics."""
run_of = _viewing(_RUN)
"""Name all arrays of a run, as the timing rules do: state, record, code, machine and the room to work in."""


@lru_cache(maxsize=16)
def extended_run_of(own: tuple[str, ...], *, checked: bool) -> Any:
    """Return what names all arrays of a run whose machine has extensions with arrays of these names.

    With ``checked`` indices are checked.
    """
    if not own and not checked:
        return run_of
    kind = CheckedCells(types.int64) if checked else Cells(types.int64)
    lengths = OWN + len(own)
    members = {name: Member(Place(OWN + k, False, lengths + k), 1, kind) for k, name in enumerate(own)}
    name = f"run with {', '.join(own)}{', checked' if checked else ''}"
    return _viewing(View(name, _run_members(checked=checked) | members))
