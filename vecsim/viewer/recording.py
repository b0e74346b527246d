"""Runs a program and keeps what a page shows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.data.memory_files import Piece
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.cause import WAITS, Cause
from vecsim.engines.protocol import Engine
from vecsim.engines.result import Run
from vecsim.engines.running import MAX_CYCLES, run, start
from vecsim.engines.timeline import COLUMNS, TimelineRequest
from vecsim.machine import Machine
from vecsim.riscv.timing.replay import Replay
from vecsim.support.shown_text import one_line
from vecsim.traces.listing import Listed, listed
from vecsim.traces.window import WHOLE, Window
from vecsim.viewer.hart_values import held_by_hart
from vecsim.viewer.values import Changes, Held, Values, follow

Ints = npt.NDArray[np.int64]

AT = {name: i for i, name in enumerate(COLUMNS)}
_FIRST_WAIT = AT[f"wait_{Cause(0).name.lower()}"]
SHOWN = ("pc", "unit", "port", "vl", "issue", "dispatch", "start", "retire", "address", "words")
"""Columns of the timeline that a page has as they are."""


class Times:
    """Collects the instructions that are in flight in a window.

    Parameters
    ----------
    window
        The cycles that are wanted.
    most
        Instructions that are kept at most, the first in program order.
    """

    def __init__(self, window: Window, most: int) -> None:
        self._window = window
        self._most = most
        self._tables: list[Ints] = []
        self._work: dict[str, Ints] = {"age": _none(), "worked": _none(), "busy": _none()}
        self._new: list[npt.NDArray[Any]] = []

    @property
    def request(self) -> TimelineRequest:
        """What to ask of an engine."""
        return TimelineRequest(sink=self._take, starts=self._new.append)

    def _take(self, table: Ints) -> None:
        inside = (table[:, AT["retire"]] > self._window.begin) & (table[:, AT["issue"]] < self._window.last)
        self._tables.append(table[inside])
        self._sum_up()

    def _sum_up(self) -> None:
        """Make of single starts how long an instruction was at work: a number of cycles, and the last."""
        if not self._new:
            return
        starts = np.concatenate(self._new)
        noted = np.unique(np.stack([starts["age"], starts["cycle"]], axis=1), axis=0)
        self._new.clear()
        age = np.r_[self._work["age"], noted[:, 0]]
        worked = np.r_[self._work["worked"], noted[:, 1] + 1]
        busy = np.r_[self._work["busy"], np.ones(len(noted), np.int64)]
        known, where = np.unique(age, return_inverse=True)
        latest = np.zeros(len(known), np.int64)
        np.maximum.at(latest, where, worked)
        total = np.zeros(len(known), np.int64)
        np.add.at(total, where, busy)
        self._work = {"age": known, "worked": latest, "busy": total}

    def columns(self) -> tuple[dict[str, Ints], int]:
        """Return what is known of each instruction, in program order, and how many were left out.

        Columns are `SHOWN`, ``age``, ``worked`` (the cycle after that of the last start), ``busy`` (cycles in
        which elements or words started) and ``waits`` ((n, WAITS) by cause).
        """
        self._sum_up()
        empty: Ints = np.zeros((0, len(COLUMNS)), np.int64)
        table = np.concatenate([empty, *self._tables])
        table = table[np.argsort(table[:, AT["age"]], kind="stable")]
        left_out = max(0, len(table) - self._most)
        table = table[: self._most]
        age = table[:, AT["age"]]
        place = np.searchsorted(self._work["age"], age)
        place = np.minimum(place, max(0, len(self._work["age"]) - 1))
        started = np.zeros(len(age), bool)
        if len(self._work["age"]):
            started = self._work["age"][place] == age
        worked, busy = table[:, AT["issue"]].copy(), np.zeros(len(age), np.int64)
        worked[started] = self._work["worked"][place[started]]
        busy[started] = self._work["busy"][place[started]]
        shown = {name: table[:, AT[name]] for name in SHOWN}
        waits = table[:, _FIRST_WAIT : _FIRST_WAIT + WAITS]
        return {**shown, "age": age, "worked": worked, "busy": busy, "waits": waits}, left_out


def _none() -> Ints:
    return np.zeros(0, np.int64)


MOST_INSTRUCTIONS = 250_000
"""Instructions in a page, at most."""
GENERAL = "jit-multiport"
"""The compiled engine without the loop for one port, which would have to be compiled as well."""
MOST_BYTES = 128 << 20
"""Bytes of contents of vector registers in a page, before they are compressed, at most."""


@dataclass(frozen=True)
class Subject:
    """What is to be run.

    Attributes
    ----------
    name
        What the page calls it.
    program, memory, machine
        As :func:`vecsim.engines.running.run` takes them.
    value_bytes
        Bytes of a float, 4 or 8.
    pieces
        Of memory, to be shown.
    replay
        The values of a RISC-V program, which are not in the state of an engine.
    """

    name: str
    program: Program
    memory: npt.NDArray[np.uint8]
    machine: Machine
    value_bytes: int = 4
    pieces: tuple[Piece, ...] = ()
    replay: Replay | None = None

    def __post_init__(self) -> None:
        """Make the name one that a page can show."""
        object.__setattr__(self, "name", one_line(self.name))


@dataclass(frozen=True)
class Recorded:
    """A run as a page shows it.

    Attributes
    ----------
    subject, done
        What was run, and what came of it.
    listing
        The instructions of the program.
    times
        Of each instruction shown, as :class:`vecsim.viewer.recording.Times` gives them.
    values
        What changed while they were executed.
    left_out
        Instructions of the window that are not shown.
    """

    subject: Subject
    done: Run
    listing: tuple[Listed, ...]
    times: dict[str, npt.NDArray[np.int64]]
    values: Held
    left_out: int

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return all numbers of the page: times, and changes sorted by cell and then by age."""
        built: dict[str, npt.NDArray[Any]] = dict(self.times)
        built |= _sorted("scalar", self.values.scalars, np.float64)
        built |= _sorted("vector", self.values.vectors, np.int64, self.values.section)
        contents = built.pop("vector_content").reshape(-1).view(np.uint32)
        low, high = contents[::2], contents[1::2]
        built |= {"vector_low": low} | ({"vector_high": high} if high.any() else {})
        for number, changes in enumerate(self.values.memory):
            built |= _sorted(f"piece{number}", changes, np.uint8)
        return built

    def facts(self) -> dict[str, Any]:
        """Return all that is no column."""
        subject, values = self.subject, self.values
        return {
            "name": subject.name,
            "machine": subject.machine.to_dict(),
            "cycles": self.done.cycles,
            "instructions": self.done.instructions,
            "leftOut": self.left_out,
            "valuesUntil": values.known_until,
            "valueBytes": subject.value_bytes,
            "section": values.section,
            "vectorRegisters": values.vector_registers,
            "ports": subject.machine.ports,
            "scalars": list(values.names),
            "names": values.second_names,
            "labels": dict(subject.program.labels),
            "pieces": [vars(piece) for piece in subject.pieces],
            "listing": [
                [each.text, _short(each.place), each.source, each.reads, each.writes] for each in self.listing
            ],
        }


def _short(place: str) -> str:
    """Leave of the place of a line its file and the folder above: a page may be given to others."""
    return "/".join(PurePath(place).parts[-2:])


def _sorted(name: str, changes: Changes, dtype: npt.DTypeLike, width: int = 1) -> dict[str, npt.NDArray[Any]]:
    """Return changes as columns, sorted by cell and then by age, with where each cell begins."""
    cell = np.array(changes.cell, np.int64)
    order = np.argsort(cell, kind="stable")
    cells = int(cell.max(initial=-1)) + 1
    content = np.array(changes.content, dtype).reshape(-1, width)[order]
    return {
        f"{name}_age": np.array(changes.age, np.int64)[order],
        f"{name}_begin": np.searchsorted(cell[order], np.arange(cells + 1)),
        f"{name}_content": content,
    }


def record(
    subject: Subject,
    *,
    engine: str,
    window: Window = WHOLE,
    max_cycles: int = MAX_CYCLES,
    progress: Callable[[Engine], None] | None = None,
) -> Recorded:
    """Run a program twice: on its machine for the times, and an instruction at a time for the values.

    Parameters
    ----------
    subject
        What is run.
    engine
        A name of :data:`vecsim.engines.running.ENGINES`.
    window
        The cycles that the page shows.
    max_cycles, progress
        As :func:`vecsim.engines.running.run` takes them.

    Raises
    ------
    UserError, Fault
        As :func:`vecsim.engines.running.run` does.
    """
    times = Times(window, MOST_INSTRUCTIONS)
    how: Mapping[str, Any] = {"engine": engine, "max_cycles": max_cycles, "progress": progress}
    done = run(subject.program, subject.memory, subject.machine, timeline=times.request, **how)
    columns, left_out = times.columns()
    age = columns["age"]
    first, end = (int(age[0]), int(age[-1]) + 1) if len(age) else (0, 0)
    held = _held(subject, range(first, end), engine)
    return Recorded(subject, done, listed(subject.program), columns, held, left_out)


def _held(subject: Subject, ages: range, engine: str) -> Held:
    """Execute a program an instruction at a time, and return what registers and memory held."""
    wide = subject.value_bytes == 8
    if subject.replay is not None:
        return held_by_hart(subject.replay, subject.pieces, wide, MOST_BYTES, ages)
    one_by_one = subject.machine.model_copy(update={"issue_width": 1})
    again = GENERAL if engine == DEFAULT_ENGINE else engine  # the loop that has just been in use
    running = start(subject.program, subject.memory, one_by_one, engine=again)
    running.advance(instructions=ages.start)
    values = Values(subject.program, running.state, subject.pieces, wide, MOST_BYTES)
    follow(running, subject.program, values, ages)
    return values.held
