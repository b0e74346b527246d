"""``--trace FILE``: a run written down for a trace viewer while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from vecsim.cli.printing.console import warn
from vecsim.cli.printing.output import OutputFile
from vecsim.results.provenance import provenance
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from isa.program import Program
    from vecsim.engines.timeline import TimelineRequest
    from vecsim.machine import Machine
    from vecsim.traces import Window

TraceOption = Annotated[
    str | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        help="Write what every unit, port and bank does in every cycle: FILE.json for "
        "Perfetto, FILE.kanata for Konata; add .gz to compress it.",
    ),
]
WindowOption = Annotated[
    str | None,
    typer.Option("--window", metavar="FROM:TO", help="The cycles that --trace writes; default all."),
]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Tracing:
    """A trace that the user wants: the file, and the cycles in it."""

    file: OutputFile
    window: Window

    def of(
        self,
        program: Program,
        machine: Machine,
        simulate: Callable[[TimelineRequest], Result],
        cycles: Callable[[Result], int],
    ) -> Result:
        """Simulate, and write what happens.

        Parameters
        ----------
        program, machine
            What is simulated, and on what.
        simulate
            Gets what is to be asked of the engine.
        cycles
            Returns the cycles of what it gave.
        """
        from vecsim.traces import recording

        about = provenance().to_dict()
        with recording(self.file.path, program, machine, self.window, about, self.file.name) as stream:
            done = simulate(stream.request)
            stream.finish(cycles(done))
        if not stream.instructions:
            name, ran = self.file.name, cycles(done)
            warn(f"{name}: it is empty; no instruction of the run of {counted(ran, 'cycle')} is in --window")

        return done


def read_tracing(trace: str | None, window: str | None, inputs: Iterable[str]) -> Tracing | None:
    """Read ``--trace`` and ``--window``; None without them.

    Raises
    ------
    UserError
        A window without a trace, a suffix that names no format, or a file that cannot be written.
    """
    from vecsim.traces import WHOLE, read_window
    from vecsim.traces.recording import format_of

    if trace is None:
        if window is not None:
            raise UserError(f"--window {window}: a window needs a trace; add --trace FILE")
        return None
    format_of(trace)
    return Tracing(OutputFile(trace, "--trace", inputs), WHOLE if window is None else read_window(window))
