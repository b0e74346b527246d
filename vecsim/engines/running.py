"""The engines by name; start and run a program on one of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.fault import Fault
from vecsim.engines.protocol import Engine, StartEngine
from vecsim.engines.result import Run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import WORD_BYTES, Machine, as_machine
from vecsim.support.arguments import function, shown, text, whole
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted, nearest

MAX_CYCLES = 10_000_000_000
"""Cycles after which a run is taken for an infinite loop, unless the user says otherwise."""
OTHER_LIMIT = ", or raise the limit (--max-cycles)"
"""The end of the message of an infinite loop, of no use where a user cannot set the limit."""


def _simpy(
    program: Program, memory: npt.NDArray[np.uint8], machine: Machine, timeline: TimelineRequest | None
) -> Engine:
    from vecsim.engines.simpy.engine import SimpyEngine

    return SimpyEngine(program, memory, machine, timeline)


def _jit(
    program: Program,
    memory: npt.NDArray[np.uint8],
    machine: Machine,
    timeline: TimelineRequest | None,
    *,
    general: bool = False,
) -> Engine:
    from vecsim.engines.jit.engine import JitEngine

    return JitEngine(program, memory, machine, timeline, general=general)


ENGINES: dict[str, StartEngine] = {"jit": _jit, "jit-multiport": partial(_jit, general=True), "simpy": _simpy}
"""The engines by the name that ``--engine`` takes; each is imported when it is started.

``simpy`` is the reference model, ``jit`` the same machine compiled, ``jit-multiport`` the same
without the special loop that ``jit`` has for machines with one port."""


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
            f"memory: {kind}: bytes are expected, such as numpy.zeros(4096, numpy.uint8); use "
            ".view(numpy.uint8) "
            "for an array of another type"
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
        What :func:`isa.assembler.assemble` returns.
    memory
        (n,) bytes, copied.
    machine
        A machine, the name of a preset or the path of a TOML file.
    engine
        ``"jit"``, compiled, ``"jit-multiport"``, compiled without shortcuts for one port, or ``"simpy"``, the
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
            f"unknown engine {engine!r}; use one of {', '.join(ENGINES)}{nearest(engine, ENGINES)}"
        )
    memory = whole_words(_bytes(memory))
    for segment in program.data:
        if segment.end > len(memory):
            raise UserError(
                f"data at {segment.address} to {segment.end - 1} is outside memory; it must be "
                f"below {len(memory)}"
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
        Called with the running engine every this many cycles.

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
            what = f"no end after {ran}: an infinite loop{OTHER_LIMIT}"
            raise Fault(program, min(running.pc, len(program) - 1), running.cycle, what)
        step = max_cycles if progress is None else min(max_cycles, running.cycle + every)
        running.advance(cycle=step)
        if progress is not None:
            progress(running)
    return running.result()
