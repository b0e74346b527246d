"""What every engine offers, and what a run gives.

An engine is started on a program, a memory and a machine; it advances to a cycle or a number of
instructions, can be copied and set back at any such point, and :func:`run` is built on that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from isa.declaration import Unit
from isa.program import Program
from isa.state import State
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.cause import Cause
from vecsim.engines.columns import control
from vecsim.engines.fault import Fault
from vecsim.engines.ledger import Ledger, read_ledger
from vecsim.engines.lines import Line, lines_of
from vecsim.engines.record import Counter, Snapshot, TimingRecord
from vecsim.engines.timeline import TimelineRequest, TimelineWriter
from vecsim.machine import WORD_BYTES, Machine, as_machine
from vecsim.support.arguments import function, shown, text, whole
from vecsim.support.errors import UserError
from vecsim.support.overview import Overview
from vecsim.support.suggestions import counted, nearest

MAX_CYCLES = 10_000_000_000
"""Cycles after which a run is taken for an infinite loop, unless the user says otherwise."""


LARGEST_CAUSES = 3
"""Causes that the summary of a run names."""


@dataclass(frozen=True, repr=False)
class Run(Overview):
    """The result of a run.

    Attributes
    ----------
    program, machine
        What ran, and on what.
    cycles
        Up to and with the last retirement after halt.
    counters
        What :meth:`vecsim.engines.ledger.Ledger.counters` gives, and by the name of
        :class:`vecsim.engines.record.Counter`, lower case.
    charged
        Every cycle of the run charged to one cause, by the name of ``Cause``; the values sum to
        ``cycles``.
    waited
        Cycles that instructions waited, by cause, summed over instructions (they overlap).
    busy
        Cycles in which a unit started an element or a port transferred a word, by unit.
    ledger
        What each instruction of the program came to; of it `charged` and `waited` are the sums.
    state
        Final registers and memory.
    timeline
        Columns of :data:`vecsim.engines.timeline.COLUMNS`, if it was asked for and not streamed.
    """

    program: Program
    machine: Machine
    cycles: int
    counters: dict[str, int]
    charged: dict[str, int]
    waited: dict[str, int]
    busy: dict[str, int]
    ledger: Ledger
    state: State
    timeline: dict[str, npt.NDArray[np.int64]] | None = None

    @property
    def instructions(self) -> int:
        """Instructions executed."""
        return self.counters["instructions"]

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every instruction that was executed, with what it came to, in the order of the program."""
        return lines_of(self.program, self.ledger)

    @property
    def vector_bytes(self) -> int:
        """Bytes that passed the vector memory ports."""
        return WORD_BYTES * (self.counters["words_loaded"] + self.counters["words_stored"])

    @property
    def bytes_moved(self) -> int:
        """Bytes between memory and processor, vector and scalar."""
        return self.vector_bytes + self.counters["scalar_bytes"]

    @property
    def peak_share(self) -> float:
        """What the vector ports moved, as a share of what they could have moved in all cycles."""
        return self.vector_bytes / (self.cycles * self.machine.peak_bytes_per_cycle) if self.cycles else 0.0

    def overview(self) -> dict[str, object]:
        """Give cycles, instructions, what was moved, and the causes that most cycles are charged to."""
        largest = sorted(self.charged.items(), key=lambda item: -item[1])[:LARGEST_CAUSES]
        return {
            "machine": self.machine.label,
            "cycles": self.cycles,
            "instructions": self.instructions,
            "bytes_moved": self.bytes_moved,
            "peak_share": self.peak_share,
            "charged": {name: cycles for name, cycles in largest if cycles},
        }

    def to_dict(self) -> dict[str, Any]:
        """Give everything but registers, memory and timeline as plain data."""
        return {
            "machine": self.machine.to_dict(),
            "cycles": self.cycles,
            "instructions": self.instructions,
            "bytes_moved": self.bytes_moved,
            "peak_share": self.peak_share,
            "counters": self.counters,
            "charged": self.charged,
            "waited": self.waited,
            "busy": self.busy,
        }


class Engine(Protocol):
    """A program under way, stopped at the boundary between two cycles.

    All engines stop at the same boundaries, in the same state, whatever the way there.
    """

    @property
    def cycle(self) -> int:
        """The cycle that comes next, so as many as have passed; once finished, the cycles of the run.

        After a fault it is the cycle in which the instruction would have issued.
        """

    @property
    def pc(self) -> int:
        """Number of the instruction that issues next."""

    @property
    def finished(self) -> bool:
        """True when halt has issued and everything has retired: ``cycle`` is that of the last retirement."""

    @property
    def state(self) -> State:
        """Registers and memory, as of the instructions issued so far."""

    def advance(self, *, cycle: int | None = None, instructions: int | None = None) -> None:
        """Go on to the boundary that is first of those asked for, or to the end of the program.

        Parameters
        ----------
        cycle
            The number of a cycle: stop before it. One that has passed moves nothing.
        instructions
            So many further instructions: stop after the cycle in which the last of them issues. Others may
            issue in it too, on a machine that issues several in a cycle. Less than 1 moves nothing; behind
            halt, where no instruction comes any more, it goes to the end.

        Raises
        ------
        Fault
            The program does what the machine cannot do, before that boundary; also when it is asked to go on
            after that, until a snapshot is restored.
        """

    def snapshot(self) -> Snapshot:
        """Copy everything that decides what happens next."""

    def restore(self, snapshot: Snapshot) -> None:
        """Go back, or forward, to a snapshot of the same program on the same machine.

        The timeline restarts there; rows of instructions that had left flight are not in a snapshot.

        Raises
        ------
        UserError
            The snapshot is of another program or another machine.
        """

    def result(self) -> Run:
        """Give what the run has come to."""


StartEngine = Callable[[Program, npt.NDArray[np.uint8], Machine, TimelineRequest | None], Engine]


def _simpy(
    program: Program, memory: npt.NDArray[np.uint8], machine: Machine, timeline: TimelineRequest | None
) -> Engine:
    from vecsim.engines.simpy.engine import SimpyEngine

    return SimpyEngine(program, memory, machine, timeline)


def _jit(
    program: Program, memory: npt.NDArray[np.uint8], machine: Machine, timeline: TimelineRequest | None
) -> Engine:
    from vecsim.engines.jit.engine import JitEngine

    return JitEngine(program, memory, machine, timeline)


def _jit_general(
    program: Program, memory: npt.NDArray[np.uint8], machine: Machine, timeline: TimelineRequest | None
) -> Engine:
    from vecsim.engines.jit.engine import JitEngine

    return JitEngine(program, memory, machine, timeline, general=True)


ENGINES: dict[str, StartEngine] = {"jit": _jit, "jit-general": _jit_general, "simpy": _simpy}
"""The engines by the name that ``--engine`` takes; each is imported when it is started.

``simpy`` is the reference model, ``jit`` the same machine compiled, ``jit-general`` the same without the loop
of its own that ``jit`` has for machines with one port."""


def whole_words(memory: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Copy memory (bytes), filled up to whole words with zeros."""
    return np.concatenate([memory, np.zeros(-len(memory) % WORD_BYTES, np.uint8)])


def _bytes(memory: Any) -> npt.NDArray[np.uint8]:
    """Check memory; bytes and byte arrays of Python are taken, too."""
    if isinstance(memory, bytes | bytearray | memoryview):
        memory = np.frombuffer(memory, np.uint8)
    if not isinstance(memory, np.ndarray) or memory.dtype != np.uint8 or memory.ndim != 1:
        kind = f"an array of {memory.dtype}" if isinstance(memory, np.ndarray) else shown(memory)
        raise UserError(
            f"memory: {kind}: bytes are expected, such as numpy.zeros(4096, numpy.uint8); .view(numpy.uint8) "
            "makes them of one dimension of another type"
        )
    return memory


def start(
    program: Program,
    memory: npt.NDArray[np.uint8],
    machine: Machine | str,
    *,
    engine: str = DEFAULT_ENGINE,
    timeline: TimelineRequest | None = None,
) -> Engine:
    r"""Start a program on a copy of memory that holds the program's data, filled up to whole words.

    Parameters
    ----------
    program
        What :func:`isa.assembler.assemble` gives.
    memory
        (n,) bytes, copied.
    machine
        A machine, the name of a preset or the path of a TOML file.
    engine
        ``"jit"``, compiled, ``"jit-general"``, compiled without shortcuts for one port, or ``"simpy"``, the
        reference.
    timeline
        Which instructions' times to keep; none without it.

    Raises
    ------
    UserError
        An unknown engine, data of the program outside memory, or a program that this machine cannot run.

    Examples
    --------
    >>> import numpy as np
    >>> import vecsim
    >>> program = vecsim.assemble("again: addi x1, x1, 1\nj again")
    >>> running = vecsim.start(program, np.zeros(64, np.uint8), "t0")
    >>> running.advance(cycle=1000)
    >>> running.cycle, running.finished
    (1000, False)
    """
    if not isinstance(program, Program):
        raise UserError(
            f"program: {shown(program)}: a Program is expected; vecsim.assemble makes it of a text"
        )
    if timeline is not None and not isinstance(timeline, TimelineRequest):
        raise UserError(f"timeline: {shown(timeline)}: a vecsim.TimelineRequest is expected")
    if text("engine", engine) not in ENGINES:
        raise UserError(
            f"unknown engine {engine!r}; engines are {', '.join(ENGINES)}{nearest(engine, ENGINES)}"
        )
    memory = whole_words(_bytes(memory))
    for segment in program.data:
        if segment.end > len(memory):
            raise UserError(
                f"data at {segment.address} to {segment.end - 1} is outside memory, {len(memory)} bytes"
            )
        memory[segment.address : segment.end] = np.frombuffer(segment.content, np.uint8)
    return ENGINES[engine](program, memory, as_machine(machine), timeline)


def run(
    program: Program,
    memory: npt.NDArray[np.uint8],
    machine: Machine | str,
    *,
    engine: str = DEFAULT_ENGINE,
    timeline: TimelineRequest | None = None,
    max_cycles: int = MAX_CYCLES,
    progress: Callable[[Engine], None] | None = None,
    progress_cycles: int = 20_000,
) -> Run:
    r"""Run a program to its end.

    Parameters
    ----------
    program, memory, machine, engine, timeline
        As :func:`start` takes them.
    max_cycles
        The most that the run may take: one whose last retirement comes later is a fault, whether it is an
        infinite loop or not.
    progress, progress_cycles
        Called with the running engine every so many cycles.

    Raises
    ------
    Fault
        The program does what the machine cannot do, or takes more than ``max_cycles``.
    UserError
        See :func:`start`.

    Examples
    --------
    >>> import numpy as np
    >>> import vecsim
    >>> program = vecsim.assemble("li x1, 6\nli x2, 7\nmul x3, x1, x2\nsw x3, (zero)\nhalt")
    >>> done = vecsim.run(program, np.zeros(64, np.uint8), "vs2003")
    >>> done.instructions, int(done.state.x[3]), int(done.state.memory[0])
    (5, 42, 42)
    """
    max_cycles, every = whole("max_cycles", max_cycles, 1), whole("progress_cycles", progress_cycles, 1)
    if progress is not None:
        function("progress", progress)
    running = start(program, memory, machine, engine=engine, timeline=timeline)
    while not running.finished:
        if running.cycle >= max_cycles:
            ran = counted(max_cycles, "cycle")
            what = f"no end after {ran}: an infinite loop, or raise the limit (--max-cycles)"
            raise Fault(program, min(running.pc, len(program) - 1), running.cycle, what)
        step = max_cycles if progress is None else min(max_cycles, running.cycle + every)
        running.advance(cycle=step)
        if progress is not None:
            progress(running)
    return running.result()


def make_run(
    program: Program, machine: Machine, state: State, record: TimingRecord, timeline: TimelineWriter | None
) -> Run:
    """Give what a run has come to, from an engine's record.

    Parameters
    ----------
    program, machine
        What ran, and on what.
    state, record
        The engine's registers and memory, and its record.
    timeline
        What collected the rows of its timeline, if any were asked for.
    """
    columns, ledger = None, read_ledger(program, record.ledger)
    if timeline is not None:
        timeline.flush()
        columns = timeline.columns() if timeline.request.sink is None else None
    return Run(
        program=program,
        machine=machine,
        cycles=int(record.control[control.LAST_RETIRED]),
        counters=ledger.counters() | _counted(machine, record.counters),
        charged=_named(ledger.charged.sum(axis=0), Cause),
        waited=_named(ledger.waited.sum(axis=0), Cause),
        busy=_named(record.unit_busy, Unit),
        ledger=ledger,
        state=state,
        timeline=columns,
    )


def _counted(machine: Machine, values: npt.NDArray[np.int64]) -> dict[str, int]:
    """Give what was counted by name: what every run counts, then what extensions of the machine count."""
    own = machine.counter_names
    every, added = values[: len(Counter)], values[len(Counter) :].tolist()
    return _named(every, Counter) | dict(zip(own, added, strict=True))


def _named(values: Any, names: type[Cause] | type[Counter] | type[Unit]) -> dict[str, int]:
    """Give an array of the record as a dictionary by lower-case names."""
    return {names(i).name.lower(): int(value) for i, value in enumerate(values)}
