"""One run explained: its cycles by cause and by instruction, its bounds, and what would help."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.whatif.why.ablations import ABLATIONS, Ablated, ablated, wider
from experiments.whatif.why.bounds import Bound, bounds
from experiments.whatif.why.wording import parts
from isa.program import Program
from programs.declaration import SmvmProgram
from programs.measurement import multiplicand, prepare, with_width
from programs.registry import ProgramLike, find, program_like
from vecsim.data import MatrixLike
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.lines import Line, by_text, causes_of, lines_of_function
from vecsim.engines.physical import Physical, physical
from vecsim.engines.result import Run
from vecsim.engines.running import MAX_CYCLES, run
from vecsim.engines.source import Fixed, Source
from vecsim.formats.accuracy import relative_error
from vecsim.machine import Machine, as_machine
from vecsim.results.digests import program_sha256
from vecsim.results.file_digests import InputFile
from vecsim.support.arguments import function, whole
from vecsim.support.errors import UserError
from vecsim.support.overview import Overview
from vecsim.support.suggestions import counted

NAMED = 3
"""Parts of the cycles that the sentence names, at most."""
WORTH_NAMING = 0.05
"""Share of the cycles that a part must have to be named, unless it is the first."""
WORTH_DOING = 1.01
"""Speed-up below which a change helps nothing."""
BINDING = 0.9
"""Share of the cycles from which on the largest bound is the limit, which hides other waits."""

Step = Callable[[str, float], None]
"""Called with what is in progress and the share of it that is done."""


@dataclass(frozen=True, repr=False)
class Explanation(Overview):
    """Where the cycles of a program went.

    Attributes
    ----------
    program, title
        Name of the program, and what texts call it.
    machine
        What ran it.
    value_bits, engine
        Bits of a value; what simulated it.
    cycles
        Of the whole run.
    physical
        Time, operations and bytes in a second; None where the machine states no clock.
    program_sha256
        Digest of the program as it was assembled (`vecsim.results.digests`).
    parts
        Cycles by what was done in them, in words, the largest first; they add up to `cycles`.
    causes
        Cycles by what the oldest instruction waited for or did, by name; they add up to `cycles`.
    counters
        What merging, caches and main memory counted, by name; empty where the machine has none of them.
    lines
        Every instruction that was executed, in the order of the program; their cycles add up to `cycles`.
    bounds
        What no order of these instructions could be faster than, the largest first; none of a function.
    ablations
        What would help: all changes together, then each by itself, the best first.
    wider
        The same with twice the rate of the largest bound; None where no machine has that.
    files
        The files that assembling the program read.
    """

    program: str
    title: str
    machine: Machine
    value_bits: int
    engine: str
    cycles: int
    physical: Physical | None
    program_sha256: str
    parts: dict[str, int]
    causes: dict[str, int]
    counters: dict[str, int]
    lines: tuple[Line, ...]
    bounds: tuple[Bound, ...]
    ablations: tuple[Ablated, ...]
    wider: Ablated | None
    files: tuple[InputFile, ...]

    @property
    def subject(self) -> str:
        """What was explained, as texts call it."""
        return self.title

    @property
    def shares(self) -> dict[str, float]:
        """Shares of the cycles, 0 to 1, by the text of the instructions, the largest first."""
        return {text: cycles / self.cycles for text, cycles in by_text(self.lines).items()}

    def in_words(self) -> str:
        """Return it in a few sentences: the limit, where the cycles went, what would help."""
        named = [
            f"{cycles / self.cycles:.0%} {words}"
            for number, (words, cycles) in enumerate(self.parts.items())
            if number == 0 or (number < NAMED and cycles >= WORTH_NAMING * self.cycles)
        ]
        return (
            f"{self.subject}: {counted(self.cycles, 'cycle')}{self._in_units()}{self._limit()} "
            f"The oldest instruction: {', '.join(named)}. {self._advice()}"
        )

    def _in_units(self) -> str:
        return f" ({self.physical.in_words()})" if self.physical else ""

    @property
    def is_bound(self) -> bool:
        """Whether the largest bound leaves next to nothing for latencies and queues to gain.

        Bounds know the numbers of a machine, not the rules that an extension replaces: with such it is False.
        """
        bound = bool(self.bounds) and self.bounds[0].cycles >= BINDING * self.cycles
        return bound and not self._replaced

    @property
    def _replaced(self) -> str:
        return ", ".join(each.name for each in self.machine.extensions if each.replacements)

    def _limit(self) -> str:
        if not self.bounds:  # of a function alone
            return "."
        bound = self.bounds[0]
        singular = "" if bound.name.endswith("s") else "s"
        need, limit = f"need{singular}", f"limit{singular}"
        if self._replaced:
            return f". Without the rules of {self._replaced} {bound.name} {need} at least {bound.cycles:,}."
        share = f"; {bound.name} {need} at least {bound.cycles / self.cycles:.0%} of the cycles"
        if not self.is_bound:
            return f"{share}."
        if self.wider is None:
            return f"{share} and {limit} the run."
        settings = " ".join(self.wider.settings)
        return (
            f"{share} and {limit} the run. "
            f"Twice the rate: {self.wider.speedup:.2f} times as fast ({settings})."
        )

    def _advice(self) -> str:
        together, *single = self.ablations
        other = " other" if self.is_bound else ""
        if not single or single[0].speedup < WORTH_DOING:
            return f"No single{other} change helps."
        best = single[0]
        return (
            f"Best{other} change: {best.name}, {best.speedup:.2f} times as fast ({' '.join(best.settings)}); "
            f"all{other} changes together {together.speedup:.2f}."
        )

    def overview(self) -> dict[str, object]:
        """Return what was explained, and the largest of everything."""
        text, share = next(iter(self.shares.items()))
        first = next(iter(self.bounds), None)
        return {
            "subject": self.subject,
            "machine": self.machine.label,
            "cycles": self.cycles,
            "first": f"{text} {share:.0%}",
            **({"bound": f"{each.name} {each.cycles:,} cycles"} if (each := first) else {}),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "program": self.program,
            "machine": self.machine.to_dict(),
            "value_bits": self.value_bits,
            "engine": self.engine,
            "cycles": self.cycles,
            **({} if self.physical is None else {"physical": self.physical.to_dict()}),
            "program_sha256": self.program_sha256,
            "in_words": self.in_words(),
            "cycles_by_part": self.parts,
            "cycles_by_cause": self.causes,
            "counters": self.counters,
            "lines": [asdict(line) for line in self.lines],
            "bounds": [asdict(bound) for bound in self.bounds],
            "ablations": [asdict(each) for each in self.ablations],
            "wider": None if self.wider is None else asdict(self.wider),
        }


@dataclass(frozen=True, repr=False)
class ProductExplanation(Explanation):
    """Where the cycles of a product went.

    Attributes
    ----------
    options
        The value of each of the program's options.
    matrix, shape, nnz
        Name of the matrix, its rows and columns, its stored entries.
    relative_error
        Of its result; see `vecsim.formats.accuracy`.
    """

    options: dict[str, str]
    matrix: str
    shape: tuple[int, int]
    nnz: int
    relative_error: float

    @property
    def subject(self) -> str:
        """What was explained, as texts call it."""
        return f"{self.title} on {self.matrix}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            **super().to_dict(),
            "options": self.options,
            "matrix": self.matrix,
            "rows": self.shape[0],
            "cols": self.shape[1],
            "nnz": self.nnz,
            "relative_error": self.relative_error,
        }


def why(
    program: SmvmProgram | ProgramLike,
    matrix: MatrixLike,
    machine: Machine | str | os.PathLike[str] = "vs2003",
    *,
    value_bits: int = 32,
    seed: int = 0,
    options: Mapping[str, str] | None = None,
    engine: str = DEFAULT_ENGINE,
    max_cycles: int = MAX_CYCLES,
    step: Step | None = None,
) -> ProductExplanation:
    """Explain the cycles of a product.

    The program runs once, again for each change that might help, and once with twice the rate of what
    bounds it most.

    Parameters
    ----------
    program, matrix, machine, value_bits, seed, options, engine, max_cycles
        As `vecsim.measure` takes them.
    step
        Called with the run that is in progress.

    Returns
    -------
    ProductExplanation
        Its `in_words` is the answer in a sentence.

    Raises
    ------
    UserError
        As `vecsim.measure` does.

    Examples
    --------
    >>> import vecsim
    >>> result = vecsim.why("hism", "laplace2d-30")
    >>> sum(line.cycles for line in result.lines) == sum(result.causes.values()) == result.cycles
    True
    >>> result.cycles >= result.bounds[0].cycles
    True
    """
    chosen = program_like(program)
    value_bits, seed = whole("value_bits", value_bits), whole("seed", seed)
    if step is not None:
        function("step", step)
    described = as_machine(machine)
    given, csr = with_width(matrix, value_bits)
    x = multiplicand(csr.shape[1], seed, csr.dtype)
    prepared = prepare(chosen, csr, described, x, options)
    declared = find(chosen)
    how: dict[str, Any] = {"value_bits": value_bits, "engine": engine, "max_cycles": max_cycles}
    explained, done = _explained(
        declared.name,
        declared.title,
        Fixed(prepared.program, prepared.loaded.memory),
        described,
        prepared.files,
        step,
        **how,
    )
    useful = physical(described.clock_mhz, done.cycles, 2 * int(csr.nnz), done.bytes_moved)
    return ProductExplanation(
        **vars(replace(explained, physical=useful)),
        options=prepared.options,
        matrix=given.name,
        shape=(int(csr.shape[0]), int(csr.shape[1])),
        nnz=int(csr.nnz),
        relative_error=relative_error(csr, x, prepared.loaded.result(done.state.memory)),
    )


def why_program(
    program: Program | Source,
    memory: npt.NDArray[np.uint8] | None = None,
    machine: Machine | str | os.PathLike[str] = "vs2003",
    *,
    name: str = "program",
    function: str = "",
    value_bits: int = 32,
    engine: str = DEFAULT_ENGINE,
    max_cycles: int = MAX_CYCLES,
    files: tuple[InputFile, ...] = (),
    step: Step | None = None,
) -> Explanation:
    r"""Explain the cycles of any program.

    Parameters
    ----------
    program, memory, machine, engine, max_cycles
        As `vecsim.run` takes them; or without memory a source, which gives a program for each machine.
    name
        What texts call it.
    function
        Explain the cycles that are attributed to the instructions of this function of a RISC-V program.
    value_bits
        Bits of a value that it was assembled for.
    files
        The files that it depends on.
    step
        Called with the run that is in progress.

    Raises
    ------
    UserError
        As `vecsim.run`.

    Examples
    --------
    >>> import numpy as np
    >>> import vecsim
    >>> program = vecsim.assemble("li x1, 64\nsetvl x1\nlv.w v1, (x0)\nhalt")
    >>> vecsim.why_program(program, np.zeros(1024, np.uint8)).bounds[0].name
    'memory ports'
    """
    described = as_machine(machine)
    if not isinstance(program, Program):
        source = program
    elif memory is None:
        raise UserError("why_program: a program needs memory; give it an array of bytes")
    else:
        source = Fixed(program, memory)
    how: dict[str, Any] = {"value_bits": value_bits, "engine": engine, "max_cycles": max_cycles}
    return _explained(name, name, source, described, files, step, function=function, **how)[0]


def _explained(
    program: str,
    title: str,
    source: Source,
    machine: Machine,
    files: tuple[InputFile, ...],
    step: Step | None,
    *,
    value_bits: int,
    engine: str,
    max_cycles: int,
    function: str = "",
) -> tuple[Explanation, Run]:
    """Return an explanation, and the run on the machine as it is."""
    runs = 0

    def simulated(on: Machine) -> Run:
        nonlocal runs
        if step is not None:
            step(program, runs / (len(ABLATIONS) + 3))
        runs += 1
        text, memory, on = source.on(on)
        return run(text, memory, on, engine=engine, max_cycles=max_cycles)

    def lines(run: Run) -> tuple[Line, ...]:
        return lines_of_function(run.program, run.lines, function) if function else run.lines

    def cycles_on(on: Machine) -> int:
        return sum(line.cycles for line in lines(simulated(on)))

    done = simulated(machine)
    text, shown = done.program, lines(done)
    cycles, limits = sum(line.cycles for line in shown), () if function else bounds(done)
    return (
        Explanation(
            program=program,
            title=f"{function} of {title}" if function else title,
            machine=machine,
            value_bits=value_bits,
            engine=engine,
            cycles=cycles,
            physical=None if function else done.physical,
            program_sha256=program_sha256(text),
            parts=parts(text, shown),
            causes=causes_of(shown) if function else dict(done.cycles_by_cause),
            counters={} if function else done.memory_counters,
            lines=shown,
            bounds=limits,
            ablations=ablated(machine, cycles, cycles_on),
            wider=wider(machine, limits[0], cycles, cycles_on) if limits else None,
            files=files,
        ),
        done,
    )
