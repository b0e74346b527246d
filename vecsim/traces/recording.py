"""From a run to a file: the format by its name, written under a temporary name as the run goes on."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from isa.program import Program
from vecsim.machine import Machine
from vecsim.results.atomic_files import replaced_file
from vecsim.support.errors import UserError
from vecsim.support.shown_text import utf8
from vecsim.traces.chrome import ChromeWriter
from vecsim.traces.kanata import KanataWriter
from vecsim.traces.stream import Stream, Writer
from vecsim.traces.window import WHOLE, Window

GZIP = ".gz"
FORMATS = {".json": "the Chrome Trace Event Format, for Perfetto", ".kanata": "Kanata, for Konata"}
"""What a trace is, by the suffix of its file; with `GZIP` after it, compressed."""


def format_of(name: str) -> str:
    """Return the suffix in `FORMATS` that a file's name has.

    Raises
    ------
    UserError
        It has none of them.
    """
    suffix = Path(name.removesuffix(GZIP)).suffix
    if suffix not in FORMATS:
        known = "; ".join(f"{suffix} is {what}" for suffix, what in FORMATS.items())
        raise UserError(f"--trace {name}: use a suffix for the format: {known}; {GZIP} after it compresses")
    return suffix


@contextmanager
def recording(
    path: Path,
    program: Program,
    machine: Machine,
    window: Window = WHOLE,
    about: Mapping[str, Any] | None = None,
    name: str = "",
) -> Iterator[Stream]:
    """Record a run: ask an engine for the ``request`` of what this yields, then ``finish`` it.

    The file appears whole, when the run has ended well; what was there before stays until then.

    Parameters
    ----------
    path
        The file.
    program, machine
        What runs, and on what.
    window
        The cycles that are wanted.
    about
        What the file says of its origin, if its format has a place for that.
    name
        What messages call the file. Its suffix selects the format: one of `FORMATS`, perhaps with `GZIP`.
        The path itself if it is empty.

    Raises
    ------
    UserError
        The file cannot be written, or its name has no suffix of a format.
    """
    name = name or str(path)
    suffix = format_of(name)
    with replaced_file(path, name) as raw:
        if name.endswith(GZIP):
            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                yield _stream(suffix, packed.write, program, machine, window, about or {})
        else:
            yield _stream(suffix, raw.write, program, machine, window, about or {})


def _stream(
    suffix: str,
    write: Callable[[bytes], object],
    program: Program,
    machine: Machine,
    window: Window,
    about: Mapping[str, Any],
) -> Stream:
    def text(content: str) -> None:
        write(utf8(content))

    result: dict[str, Callable[[], Writer]] = {
        ".json": lambda: ChromeWriter(text, program, machine, about),
        ".kanata": lambda: KanataWriter(text, program),
    }
    return Stream(result[suffix](), window)
