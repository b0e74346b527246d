"""Runs shown: the page of a run, and its trace, as the commands ``view`` and ``run --trace`` write them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Literal

from isa.program import Program
from programs.declaration import SmvmProgram
from programs.measurement import Measurement, measure, prepare_product
from programs.registry import ProgramLike, find, program_like
from vecsim.data import MatrixLike
from vecsim.data.memory_files import Piece, read_piece
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.running import MAX_CYCLES
from vecsim.machine import Machine, as_machine
from vecsim.results.atomic_files import write_file
from vecsim.results.provenance import provenance
from vecsim.support.arguments import path as path_of
from vecsim.support.errors import UserError
from vecsim.support.overview import Overview
from vecsim.support.shown_text import utf8
from vecsim.support.suggestions import counted
from vecsim.traces import read_window, recording
from vecsim.viewer import Recorded, Subject, page_of, record

SHOWN_OF_Y = 64
"""Elements of y that a page shows if the user does not say."""
MOST_SHOWN_BYTES = 1 << 16
"""Bytes of memory that a page shows, at most."""
HEIGHT = 640
"""Of a page in a notebook, pixels."""

Pathlike = str | os.PathLike[str]


@dataclass(frozen=True, repr=False)
class Page(Overview):
    """A page that shows runs, one above the other.

    Attributes
    ----------
    html
        The page; it needs nothing else.
    runs
        What it shows.
    """

    html: str
    runs: tuple[Recorded, ...]

    def overview(self) -> dict[str, object]:
        """Return the runs with their cycles, and the size of the page."""
        cycles: dict[str, object] = {each.subject.name: each.done.cycles for each in self.runs}
        return cycles | {"bytes": len(utf8(self.html))}

    def save(self, file: Pathlike) -> Path:
        """Write the page and return its path.

        Raises
        ------
        UserError
            The file cannot be written.
        """
        target = path_of("save", file)
        write_file(target, utf8(self.html))
        return target

    def _repr_html_(self) -> str:
        """Return the page in a frame, for a notebook."""
        style = f"width: 100%; height: {HEIGHT}px; border: 1px solid #ccc"
        return f'<iframe srcdoc="{escape(self.html)}" style="{style}"></iframe>'


def pieces(texts: Sequence[str], program: Program, size: int, where: str) -> tuple[Piece, ...]:
    """Read which memory a page shows.

    Parameters
    ----------
    texts
        Such as ``Y:16:float``, as ``--show`` takes them.
    program, size
        Its symbols, and the bytes of its memory.
    where
        What messages call them.

    Raises
    ------
    UserError
        One of them is none, or they have more than `MOST_SHOWN_BYTES`.
    """
    result = tuple(read_piece(text, program, size, where) for text in texts)
    total = sum(piece.end - piece.address for piece in result)
    if total > MOST_SHOWN_BYTES:
        raise UserError(
            f"{where}: {counted(total, 'byte')} of memory; a page shows {MOST_SHOWN_BYTES:,} at most"
        )
    return result


def product(
    name: ProgramLike,
    matrix: MatrixLike,
    machine: Machine,
    options: Mapping[str, str] | None,
    show: Sequence[str],
    *,
    where: str = "show",
    value_bits: int = 32,
    seed: int = 0,
) -> Subject:
    """Prepare a product for a page.

    Parameters
    ----------
    name, matrix, machine, options, value_bits, seed
        As `vecsim.measure` takes them.
    show, where
        As `pieces` takes them; without any, the first elements of y.

    Raises
    ------
    UserError
        As `programs.measurement.prepare_product` and `pieces`.
    """
    prepared = prepare_product(name, matrix, machine, options=options, value_bits=value_bits, seed=seed)
    program, loaded = prepared.program, prepared.loaded
    kind = "float" if loaded.value_bytes == 4 else "double"
    shown = show or [f"Y:{min(loaded.rows, SHOWN_OF_Y)}:{kind}"]
    chosen = pieces(shown, program, len(loaded.memory), where)
    schedule = prepared.options.get("schedule", "")
    of = getattr(matrix, "name", matrix if isinstance(matrix, str) else "a matrix")
    title = f"{find(name).name}{' ' + schedule if schedule else ''} on {of}, {machine.label}"
    width: Literal[4, 8] = 4 if loaded.value_bytes == 4 else 8
    return Subject(title, program, loaded.memory, machine, width, chosen)


def view(
    program: SmvmProgram | ProgramLike | Sequence[SmvmProgram | ProgramLike],
    matrix: MatrixLike,
    machine: Machine | Pathlike | Sequence[Machine | Pathlike] = "vs2003",
    *,
    value_bits: int = 32,
    seed: int = 0,
    options: Mapping[str, str] | None = None,
    window: str = ":",
    show: Sequence[str] = (),
    engine: str = DEFAULT_ENGINE,
    max_cycles: int = MAX_CYCLES,
) -> Page:
    """Draw a run: instructions by unit over time, source, registers and memory.

    Parameters
    ----------
    program, matrix, machine, value_bits, seed, options, engine, max_cycles
        As `vecsim.measure` takes them; two programs or two machines give two runs, one above the other.
    window
        The cycles that are shown, ``FROM:TO``.
    show
        Memory that is shown, such as ``Y:16:float``; the first elements of y without it.

    Raises
    ------
    UserError
        As `vecsim.measure`; a window without a cycle; more than two runs.

    Examples
    --------
    >>> import vecsim
    >>> page = vecsim.view("hism", "laplace2d-5")
    >>> page.save("hism.html").name
    'hism.html'
    """
    names = [program_like(each) for each in _series(program)]
    machines = [as_machine(each) for each in _series(machine)]
    if len(names) * len(machines) > 2:
        raise UserError(f"view: {len(names) * len(machines)} runs; a page shows at most 2")
    cycles = read_window(window)
    how: dict[str, Any] = {"value_bits": value_bits, "seed": seed}
    subjects = [product(name, matrix, on, options, show, **how) for on in machines for name in names]
    runs = tuple(record(each, engine=engine, window=cycles, max_cycles=max_cycles) for each in subjects)
    title = " and ".join(dict.fromkeys(each.subject.name for each in runs))
    return Page(page_of(runs, f"vecsim: {title}", provenance().to_dict()), runs)


def trace(
    program: SmvmProgram | ProgramLike,
    matrix: MatrixLike,
    file: Pathlike,
    machine: Machine | Pathlike = "vs2003",
    *,
    value_bits: int = 32,
    seed: int = 0,
    options: Mapping[str, str] | None = None,
    window: str = ":",
    engine: str = DEFAULT_ENGINE,
    max_cycles: int = MAX_CYCLES,
) -> Measurement:
    """Run a product and write what every unit, port and bank does in every cycle.

    Parameters
    ----------
    program, matrix, machine, value_bits, seed, options, engine, max_cycles
        As `vecsim.measure` takes them.
    file
        The trace: ``FILE.json`` for Perfetto, ``FILE.kanata`` for Konata; with ``.gz`` it is compressed.
    window
        The cycles that are written, ``FROM:TO``.

    Raises
    ------
    UserError
        As `vecsim.measure`; the file cannot be written, or its suffix names no format.

    Examples
    --------
    >>> import vecsim
    >>> vecsim.trace("crs", "laplace2d-5", "crs.json").relative_error < 1e-6
    True
    """
    described, target = as_machine(machine), path_of("file", file)
    how: dict[str, Any] = {"value_bits": value_bits, "seed": seed, "options": options}
    text = prepare_product(program_like(program), matrix, described, **how).program
    about = provenance().to_dict()
    with recording(target, text, described, read_window(window), about, str(target)) as stream:
        result = measure(
            program,
            matrix,
            described,
            engine=engine,
            max_cycles=max_cycles,
            timeline=stream.request,
            **how,
        )
        stream.finish(result.cycles)
    return result


def _series(given: Any) -> Sequence[Any]:
    """Return what may be one thing or several as several."""
    return given if isinstance(given, list | tuple) else (given,)
