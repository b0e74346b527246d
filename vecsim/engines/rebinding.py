"""Plain functions made again, with others in the place of functions that they call.

Semantics and rules are plain functions that name others as globals. The compiled engine takes compiled ones
in their place, and a machine those of its extensions.
"""

from __future__ import annotations

import builtins
import dis
import sys
import types
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, NamedTuple

Function = Callable[..., Any]
Known = MutableMapping[int, Any]


def rebound(
    plain: Function,
    known: Known,
    make: Callable[[Function], Any],
    replaced: Mapping[int, Sequence[Function]] | None = None,
) -> Any:
    """Make a plain function again, with every plain function that its globals and its closure name.

    Parameters
    ----------
    plain
        The function.
    known
        What stands for a function, or for another object that it names, by the identity of that; what is made
        is added.
    make
        Called with each copy; returns what stands for the function, such as a compiled one.
    replaced
        By the identity of a function those that take its place, one after the other. Within such a function,
        and what it calls, the name of the first stands for what was there before it.

    Raises
    ------
    TypeError
        It is not a plain Python function.
    """
    if id(plain) in known:
        return known[id(plain)]
    if not isinstance(plain, types.FunctionType):
        raise TypeError(f"{plain!r}: the semantics of an instruction must be a plain Python function")
    result = make(_copy(plain, known, make, replaced))
    for other in (replaced or {}).get(id(plain), ()):
        result = make(_copy(other, ChainMap({id(plain): result}, known), make, replaced))
    known[id(plain)] = result
    return result


def _copy(
    plain: Any,
    known: Known,
    make: Callable[[Function], Any],
    replaced: Mapping[int, Sequence[Function]] | None,
) -> types.FunctionType:
    def renewed(value: Any) -> Any:
        if isinstance(value, types.FunctionType):
            return rebound(value, known, make, replaced)
        return known.get(id(value), value)

    names = {name for name, _ in global_names(plain.__code__)}
    namespace = {name: renewed(value) for name, value in plain.__globals__.items() if name in names}
    for name in names - namespace.keys():
        if id(getattr(builtins, name, None)) in known:
            namespace[name] = known[id(getattr(builtins, name))]
    namespace["__builtins__"] = plain.__globals__.get("__builtins__", __builtins__)
    closure = tuple(types.CellType(renewed(cell.cell_contents)) for cell in plain.__closure__ or ())
    return types.FunctionType(plain.__code__, namespace, plain.__name__, plain.__defaults__, closure)


def functions_within(value: object, seen: set[int]) -> Iterator[types.FunctionType]:
    """Yield a plain function and, once each, those that its globals and its closure name."""
    if not isinstance(value, types.FunctionType) or id(value) in seen:
        return
    seen.add(id(value))
    yield value
    for name, _ in global_names(value.__code__):
        yield from functions_within(value.__globals__.get(name), seen)
    for cell in value.__closure__ or ():
        yield from functions_within(cell.cell_contents, seen)


class Named(NamedTuple):
    """What code finds outside itself: the name that it has there, what that is, and the line."""

    name: str
    value: Any
    line: int


def named_values(function: types.FunctionType) -> Iterator[Named]:
    """Return what a plain function finds by names: globals, what its closure has, modules that it imports.

    Of modules and classes that it names so, what it takes from them comes next.
    """
    code, line = function.__code__, function.__code__.co_firstlineno
    outside = {**vars(builtins), **function.__globals__}
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    outside |= {name: cell.cell_contents for name, cell in cells if cell != types.CellType()}
    value: Any = None
    for step in dis.get_instructions(code):
        line = step.starts_line or line
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
            value = outside.get(step.argval)
        elif step.opname == "IMPORT_NAME":
            value = sys.modules.get(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, types.ModuleType | type):
            value = getattr(value, step.argval, None)
        else:
            value = None
        if value is not None:
            yield Named(step.argval, value, line)


def global_names(code: types.CodeType) -> Iterator[tuple[str, int]]:
    """Yield the names that code looks up outside itself, each with the line where it does."""
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        line = step.starts_line or line
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval, line
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from global_names(constant)
