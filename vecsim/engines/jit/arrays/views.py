"""The arrays of a run inside compiled code: views that find each of them by the table of addresses.

Compiled functions take the table ``w`` and name what they need. A view is the address of the table and
nothing else, so it costs nothing to hand on; an array is found when it is named. What is in the table
itself is a place in it; the address of any other array is loaded, and LLVM is told that it never changes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate, infer_getattr, signature
from numba.extending import intrinsic, lower_getattr_generic, models, register_model

from isa.state import State
from vecsim.engines.jit.arrays.cells import Cells
from vecsim.engines.jit.arrays.checked_cells import CheckedCells
from vecsim.engines.jit.arrays.table import FAR, LENGTHS, NEAR, OWN, RECORD, SCRATCH, SECTION, SIZED

BYTE = ir.IntType(8).as_pointer()
WORD = ir.IntType(64)


class Member(NamedTuple):
    """An array of a view: where it, or its address, and its bytes are in the table; the type of elements."""

    place: int
    near: bool
    size: int
    dtype: Any


class View(types.Type):
    """The Numba type of a view with these members by name, whose indices may be checked."""

    def __init__(self, name: str, members: dict[str, Member], *, checked: bool = False) -> None:
        self.members, self.checked = members, checked
        self.has_section = "x" in members
        super().__init__(name=f"View({name}{', checked' if checked else ''})")

    def kind_of(self, name: str, member: Member) -> CheckedCells:
        """Return the type of the cells of an array, with checks; those of the state hold what it can have."""
        return CheckedCells(member.dtype, name if self is _CHECKED_STATE else "")

    def with_checks(self) -> View:
        """Return the view of the same arrays whose indices are checked."""
        return View(self.name, self.members, checked=True)


def _member(name: str, dtype: types.Type = types.int64) -> Member:
    size = LENGTHS + SIZED.index(name)
    near = name in NEAR
    return Member(NEAR[name] if near else FAR.index(name), near, size, dtype)


_SEEN_AS = {
    "fs": _member("f", types.float32),
    "fd": _member("f", types.float64),
    "vw": _member("v", types.int32),
    "vs": _member("v", types.float32),
    "vd": _member("v", types.float64),
    "cs": _member("cache", types.float32),
    "cd": _member("cache", types.float64),
    "mask": _member("mask", types.uint8),
    "memory": _member("memory", types.uint8),
    "words": _member("memory", types.uint32),
    "depends": _member("depends", types.uint8),
}
"""Arrays that do not hold int64, or that see another one in another way."""


def _view(name: str, fields: tuple[str, ...]) -> View:
    return View(name, {field: _SEEN_AS.get(field) or _member(field) for field in fields})


_STATE_ARRAYS = tuple(name for name in State._fields if name != "section")
_STATE = _view("state", _STATE_ARRAYS)
_CHECKED_STATE = _STATE.with_checks()
_RUN = _view("run", (*_STATE_ARRAYS, *RECORD, *SCRATCH))


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
        if name not in view.members:
            return None
        member = view.members[name]
        return view.kind_of(name, member) if view.checked else Cells(member.dtype)


@lower_getattr_generic(View)
def _attribute(context: Any, builder: Any, view: View, table: Any, name: str) -> Any:
    if name == "section":
        return _constant(builder, _place(builder, table, SECTION))
    member = view.members[name]
    place = _place(builder, table, member.place)
    data = builder.bitcast(place, BYTE) if member.near else builder.inttoptr(_constant(builder, place), BYTE)
    if not view.checked:
        return data
    cells = cgutils.create_struct_proxy(view.kind_of(name, member))(context, builder)
    size = _constant(builder, _place(builder, table, member.size))
    cells.data, cells.length = data, builder.udiv(size, WORD(member.dtype.bitwidth // 8))
    if view.has_section:
        cells.section = _constant(builder, _place(builder, table, SECTION))
    return cells._getvalue()


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
    sizes = OWN + len(own)
    members = {name: Member(OWN + k, False, sizes + k, types.int64) for k, name in enumerate(own)}
    view = View(f"run with {', '.join(own)}", _RUN.members | members) if own else _RUN
    return _viewing(view.with_checks() if checked else view)
