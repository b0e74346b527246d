"""A program of the course with its data as files, so that every command takes it like a user's program."""

from __future__ import annotations

import io

import numpy as np

from programs.course.measurement import Ready
from programs.loading import BASE
from vecsim.support.errors import UserError
from vecsim.support.shown_text import unicode_text


def standalone(ready: Ready, stem: str) -> dict[str, bytes]:
    """Return the files of a program by their names: the text, memory before the run, and what is expected.

    Parameters
    ----------
    ready
        The program.
    stem
        What the names begin with: ``axpy`` gives ``axpy.s``, ``axpy.bin`` and ``axpy.Y.npy``.

    Raises
    ------
    UserError
        A text cannot name a file that begins so.
    """
    if not _may_be_quoted(stem):
        raise UserError(
            f"{stem}.bin: a text cannot name it: there is a quotation mark, an end of a line or a byte that "
            "is not UTF-8 in it; choose another name"
        )
    memory = ready.placed.memory
    used = int(np.flatnonzero(memory)[-1]) + 1 if memory.any() else BASE
    constants = {name: ready.program.symbols[name] for name in (*ready.placed.symbols, *_OF_THE_MACHINE)}
    head = [f".equ {name}, {value}" for name, value in constants.items()]
    data = [f".data {BASE}", f'.incbin "{stem}.bin"', ".text"]
    content = memory[BASE : max(used, BASE + 4)].tobytes()
    text = ready.course.file.read_text(encoding="utf-8")
    files = {f"{stem}.s": "\n".join([*head, *data, text]).encode(), f"{stem}.bin": content}
    for name, values in ready.placed.problem.expected.items():
        array = io.BytesIO()
        np.save(array, values.ravel())
        files[f"{stem}.{name}.npy"] = array.getvalue()
    return files


def _may_be_quoted(name: str) -> bool:
    """Return whether a text can have a name in quotation marks."""
    return not set('"\r\n') & set(name) and unicode_text(name) == name


_OF_THE_MACHINE = ("SECTION_BITS", "VALUE_SHIFT")
