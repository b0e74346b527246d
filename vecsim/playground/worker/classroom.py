"""What the page asks: assemble, run, step, check. Answers are plain data for JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from isa.program import Program
from vecsim.debugger.activity import busy_banks
from vecsim.debugger.debugger import Debugger
from vecsim.debugger.panels import PANELS, line_marks, used_vectors
from vecsim.debugger.session import Stop
from vecsim.debugger.strips import Strip, vector_strips
from vecsim.debugger.target import Target
from vecsim.engines.cause import WAITS, Cause
from vecsim.engines.result import Run
from vecsim.engines.running import OTHER_LIMIT, run, start
from vecsim.engines.source import Runnable
from vecsim.engines.timeline import COLUMNS, TimelineRequest
from vecsim.machine import Machine, load_machine
from vecsim.playground.worker.exercise import Plain, checked
from vecsim.playground.worker.lesson import Lesson
from vecsim.support.errors import AssemblyError, UserError
from vecsim.support.memory_types import TYPES

FILE = "program.s"
"""What the text is called in messages."""
MOST_CYCLES = 1_000_000_000
"""Cycles after which a run is taken for an endless one: some seconds."""
INTERPRETED = "simpy"
"""The engine of programs that declare instructions: the module has the base instructions alone."""
MOST_INTERPRETED = 200_000
"""Cycles after which one of them is taken for an endless one."""
DRAWN = 400
"""Instructions whose times the page shows."""
SHOWN_PANELS = ("scalars", "memory", "units", "pipeline", "mask")
"""Panels of the debugger that the page shows as they are."""
PANEL_WIDTH = 96
AT = {name: place for place, name in enumerate(COLUMNS)}
TIMES = ("pc", "unit", "port", "vl", "issue", "dispatch", "start", "retire")
"""Columns of the timeline that the picture needs."""


class Classroom:
    """What one page works on.

    Parameters
    ----------
    lessons
        What there is to begin with, as plain data.
    trials
        The cases of exercises by their numbers and seeds.
    engine
        A name of :data:`vecsim.engines.running.ENGINES`.
    """

    def __init__(
        self, lessons: Sequence[Plain], trials: Mapping[str, Mapping[str, Sequence[Plain]]], *, engine: str
    ) -> None:
        self._lessons = {each["key"]: Lesson.from_plain(each) for each in lessons} | {"": Lesson()}
        self._trials, self._engine = trials, engine
        self._open: Debugger | None = None
        self._laid: tuple[object, Lesson] | None = None
        """The product that was laid out last, with its key, matrix and section size."""

    def answer(self, question: Mapping[str, Any]) -> Plain:
        """Answer a question of the page: ``do`` names a method, the rest is for it.

        A mistake of the user is an answer as well: ``mistakes`` with line, column and what is wrong.
        """
        methods: dict[str, Callable[[Mapping[str, Any]], Plain]] = {
            "assemble": self.assemble,
            "run": self.run,
            "open": self.open,
            "move": self.move,
            "check": self.check,
        }
        try:
            return methods[question["do"]](question)
        except AssemblyError as error:
            return {"mistakes": [_mistake(each) for each in (error, *error.following)]}
        except UserError as error:
            text = str(error).replace(OTHER_LIMIT, "")
            return {"mistakes": [{"line": _line_of(text), "column": 1, "text": text}]}

    def assemble(self, asked: Mapping[str, Any]) -> Plain:
        """Assemble a text; return how many instructions it has."""
        return {"instructions": len(_target(*self._given(asked), asked["text"]).assembled())}

    def run(self, asked: Mapping[str, Any]) -> Plain:
        """Run a text to its end; return cycles, where they went, times of the first instructions, memory."""
        lesson, machine = self._given(asked)
        runnable = _target(lesson, machine, asked["text"]).runnable()
        engine, most = self._engine_of(runnable[0])
        done = run(*runnable, engine=engine, max_cycles=most)
        return {
            "cycles": done.cycles,
            "instructions": done.instructions,
            "bytes": done.bytes_moved,
            "peak": done.peak_share,
            "causes": {name: cycles for name, cycles in done.cycles_by_cause.items() if cycles},
            "lines": [
                [_line_of(line.place), line.executions, line.cycles, line.mostly(2)] for line in done.lines
            ],
            "times": _times(runnable, engine),
            "ports": done.machine.ports,
            "memory": [_piece(done, text) for text in lesson.pieces],
            "product": _product(lesson, done),
        }

    def _engine_of(self, program: Program) -> tuple[str, int]:
        """Return the engine that runs a program, and the cycles that it may take."""
        return (INTERPRETED, MOST_INTERPRETED) if program.declarations else (self._engine, MOST_CYCLES)

    def open(self, asked: Mapping[str, Any]) -> Plain:
        """Stop before the first cycle of a text."""
        lesson, machine = self._given(asked)
        target = _target(lesson, machine, asked["text"])
        engine, _ = self._engine_of(target.assembled())
        self._open = Debugger(target, engine=engine, pieces=lesson.pieces)
        return self._look(self._open)

    def move(self, asked: Mapping[str, Any]) -> Plain:
        """Go on or back: `step`, `back`, `cycle`, `backcycle`, `until` a line, `run` or `goto` a cycle."""
        shown = self._open
        if shown is None:
            raise UserError("no program is open; press Step to open it")
        before, session, count = shown.position, shown.session, int(asked.get("count", 1))
        moves: dict[str, Callable[[], Stop]] = {
            "step": lambda: session.step(count),
            "back": lambda: session.back(count),
            "cycle": lambda: session.step_cycles(count),
            "backcycle": lambda: session.back_cycles(count),
            "run": session.run,
        }
        if asked["how"] == "until":
            shown.until(str(count))
        elif asked["how"] == "goto":
            session.go_to(count)
            shown.do(Stop("cycle", f"cycle {session.position.cycle}"), before)
        else:
            shown.do(moves[asked["how"]](), before)
        return self._look(shown)

    def check(self, asked: Mapping[str, Any]) -> Plain:
        """Check a text on the cases of its exercise."""
        number = self._lesson(asked).exercise
        by_seed = self._trials[str(number)]
        seed = str(asked.get("seed", next(iter(by_seed))))
        return checked(number, asked["text"], int(seed), by_seed[seed], self._engine)

    def _lesson(self, asked: Mapping[str, Any]) -> Lesson:
        key = asked.get("lesson", "")
        if key not in self._lessons:
            raise UserError(f"there is no lesson {key!r}; choose one of the list")
        return self._lessons[key]

    def _given(self, asked: Mapping[str, Any]) -> tuple[Lesson, Machine]:
        """Return the lesson and the machine; a product is laid out for its matrix and the machine."""
        lesson = self._lesson(asked)
        machine = load_machine(asked.get("machine", "vs2003"), dict(asked.get("changes", {})))
        bits = lesson.symbols.get("SECTION_BITS")
        other_size = bits is not None and machine.section_size != 1 << bits
        if lesson.shape[0] and (asked.get("matrix") or other_size):
            return self._laid_out(lesson, asked.get("matrix"), machine), machine
        if other_size:
            raise UserError(
                f"section_size = {machine.section_size}: the arrays of this lesson are laid out for "
                f"{1 << (bits or 0)}; use that"
            )
        return lesson, machine

    def _laid_out(self, lesson: Lesson, matrix: Mapping[str, Any] | None, machine: Machine) -> Lesson:
        """Lay out a product, or return what was laid out last if that is the same."""
        from vecsim.playground.worker.products import on_matrix

        given = matrix or {"shape": lesson.shape, "entries": lesson.entries}
        wanted = lesson.key, repr(given), machine.section_size
        if self._laid is None or self._laid[0] != wanted:
            self._laid = wanted, on_matrix(lesson, given, machine)
        return self._laid[1]

    @staticmethod
    def _look(shown: Debugger) -> Plain:
        position, names = shown.position, shown.session.names
        strips = vector_strips(position.state, used_vectors(shown), names.wide(position.state))
        called = {n: name for name, (kind, n) in names.second.items() if kind == "v"}
        waits = shown.readiness.elements > position.cycle
        return {
            "cycle": position.cycle,
            "count": position.count,
            "stop": shown.stop.text,
            "ended": shown.session.ended,
            "line": shown.here if shown.file == shown.user_file else 0,
            "marks": {str(line): marks for line, marks in line_marks(shown).items()},
            "vectors": [
                _strip(n, called.get(n, ""), strip, waits[n].tolist()) for n, strip in strips.items()
            ],
            "banks": busy_banks(position).tolist(),
            "panels": {name: PANELS[name](shown, PANEL_WIDTH) for name in SHOWN_PANELS},
        }


def _times(runnable: Runnable, engine: str) -> list[list[Any]]:
    """Return the times of the first instructions, with their lines and what they waited for longest."""
    program, memory, machine = runnable
    rows: list[Any] = []
    request = TimelineRequest(last_age=DRAWN, sink=lambda table: rows.extend(table.tolist()))
    running = start(program, memory, machine, engine=engine, timeline=request)
    running.advance(instructions=DRAWN + machine.issue_width)
    running.advance(cycle=running.cycle + _longest(machine))
    running.result()
    rows.sort(key=lambda row: row[AT["age"]])
    first = AT[f"wait_{Cause(0).name.lower()}"]
    return [
        [
            *(row[AT[name]] for name in TIMES),
            program.source[row[AT["pc"]]].line,
            _longest_wait(row[first : first + WAITS]),
        ]
        for row in rows
    ]


def _target(lesson: Lesson, machine: Machine, text: str) -> Target:
    included = {name: text.encode() for name, text in lesson.included.items()}
    return Target(lesson.title, FILE, text, lesson.array(), machine, lesson.symbols, included=included)


def _product(lesson: Lesson, done: Run) -> str | None:
    """Return which element of y is wrong, empty if none is; None if the lesson is no product."""
    if not lesson.shape[0]:
        return None
    from vecsim.playground.worker.products import first_wrong

    return first_wrong(lesson, done.state.memory)


def _mistake(error: AssemblyError) -> Plain:
    if error.file != FILE:
        return {"line": 1, "column": 1, "text": str(error)}
    return {"line": error.line, "column": error.column, "text": error.reason}


def _line_of(place: str) -> int:
    """Return the line that a place, or a message that begins with one, names in the text; 0 for none."""
    digits = place.removeprefix(f"{FILE}:").partition(":")[0] if place.startswith(f"{FILE}:") else ""
    return int(digits) if digits.isdecimal() else 0


def _strip(number: int, name: str, strip: Strip, waits: list[bool]) -> Plain:
    return {
        "register": f"v{number}",
        "name": name,
        "kind": strip.kind,
        "values": [f"{value:.6g}" for value in strip.values],
        "heights": [None if height != height else height for height in strip.heights()],
        "waits": waits,
    }


def _piece(done: Run, text: str) -> Plain:
    """Return the contents of a piece of memory after a run: of ``Y:16:float`` 16 floats from Y on."""
    name, count, kind = text.split(":")
    begin, size = done.program.symbols[name], np.dtype(TYPES[kind]).itemsize
    values = done.state.memory[begin : begin + int(count) * size].copy().view(TYPES[kind]).tolist()
    return {"name": name, "values": [f"{value:.6g}" for value in values]}


def _longest(machine: Machine) -> int:
    """Return cycles after which what has issued has retired, of usual programs."""
    return 64 * (machine.startup + machine.section_size)


def _longest_wait(waits: Sequence[int]) -> str:
    longest = max(range(len(waits)), key=waits.__getitem__)
    return Cause(longest).label if waits[longest] else ""
