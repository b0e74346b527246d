"""The files that an assembly text is made of."""

from __future__ import annotations

import io
from pathlib import Path

from isa.syntax import Problem, Text, parse_line
from vecsim.support.errors import UserError
from vecsim.support.input_files import ASSEMBLY, read_text

INCLUDE = ".incbin"


def source_files(path: Path) -> tuple[Path, ...]:
    """Return the file of a text and those that its ``.incbin`` lines name, whatever their conditions."""
    found = {path: None}
    try:
        text = read_text(path, ASSEMBLY)
    except UserError:
        return (path,)
    for line in io.StringIO(text):
        if INCLUDE not in line:
            continue
        try:
            parsed = parse_line(line.rstrip("\n"))
        except Problem:
            continue  # assembling it says so
        if parsed.operation is not None and parsed.operation.text == INCLUDE and parsed.arguments:
            file = parsed.arguments[0]
            if isinstance(file, Text):
                found[path.parent / file.value] = None
    return tuple(found)
