"""The timing state of a run, from its declaration: the arrays of ``r`` and the fields of their rows."""

from __future__ import annotations

import ast
import inspect
import re
from typing import get_args, get_type_hints

from docs.tables.markdown import code, table
from vecsim.engines.state.row import Field, Row, fields_of
from vecsim.engines.state.run import Record, Run, parts_of

_ROLE = re.compile(r":(?:class|mod|func|data):`(?:[\w.]*\.)?(\w+)`")


def page() -> str:
    """Return the arrays of a run, and a table of each row."""
    hints, meanings = get_type_hints(Run, include_extras=True), _meanings(Run)
    parts = parts_of(Run)
    arrays = table(
        ["array", "type", "in the record", "meaning"],
        (
            (
                code(f"r.{name}"),
                code(_type(get_args(hints[name])[0])),
                "yes" if isinstance(part.mark, Record) else "",
                meanings[name],
            )
            for name, part in parts.items()
        ),
    )
    rows = dict.fromkeys(part.row for part in parts.values() if part.row is not None)
    return "\n\n".join([arrays, *map(_of_row, rows)])


def _of_row(row: type[Row]) -> str:
    meanings = _meanings(row)
    fields = ((code(field.name), _size(field), meanings[field.name]) for field in fields_of(row))
    text = " ".join((inspect.getdoc(row) or "").split())
    return f"## {row.__name__}\n\n{_plain(text)}\n\n{table(['field', 'size', 'meaning'], fields)}"


def _size(field: Field) -> str:
    if field.counted:
        return f"at most {field.most} registers"
    return f"{field.most} integers" if field.most else ""


def _type(hint: object) -> str:
    if isinstance(hint, type) and not get_args(hint):
        return hint.__name__
    return re.sub(r"[\w.]*\.(\w+)", r"\1", str(hint))


def _meanings(declared: type) -> dict[str, str]:
    """Return what the declaration says of each name; a text stands for all names since the one before it."""
    (declaration,) = ast.parse(inspect.getsource(declared)).body
    assert isinstance(declaration, ast.ClassDef)
    result: dict[str, str] = {}
    waiting: list[str] = []
    for each in declaration.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            result[each.target.id] = ""
            waiting.append(each.target.id)
        elif isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) and waiting:
            result |= dict.fromkeys(waiting, _plain(" ".join(str(each.value.value).split())))
            waiting = []
    return result


def _plain(text: str) -> str:
    return _ROLE.sub(r"`\1`", text).replace("``", "`")
