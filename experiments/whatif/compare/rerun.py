"""A result run again from what its file says, and whether the cycles are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.whatif.compare.document import Document, Key
from experiments.whatif.compare.layouts import (
    ArrayEntry,
    ExecLayout,
    Layout,
    MatrixEntry,
    RunLayout,
    SweepLayout,
    WhyLayout,
)
from experiments.whatif.sweep import Sweep, SweepTable, sweep
from experiments.whatif.sweep.inputs import PREFIX, load_input
from isa import binary
from isa.assembler import assemble_file
from isa.declaration import InstructionSet
from isa.program import Program
from programs.measurement import measure
from vecsim.data import Matrix, load, values_as
from vecsim.data.memory_files import Placed, placed, put
from vecsim.data.precision import value_bytes
from vecsim.engines.running import run
from vecsim.machine import Machine, extensions_of, instruction_set_of, machine_class
from vecsim.results.digests import matrix_sha256, program_sha256
from vecsim.results.file_digests import InputFile, changed, short
from vecsim.support.errors import UserError
from vecsim.support.input_files import PROGRAM, is_regular, read_input

Watch = Callable[[str, int, int], None]
"""Called with what runs, its number, and how many there are."""


@dataclass(frozen=True)
class Repeated:
    """A run, again.

    Attributes
    ----------
    key
        What tells it apart; see `Document`.
    then, now
        Cycles; None where there is no result, or where the matrix is another one now.
    program
        Whether the program's image is another one than then; None if that is not known.
    """

    key: Key
    then: int | None
    now: int | None
    program: bool | None

    @property
    def same(self) -> bool:
        """Whether the cycles are."""
        return self.then == self.now


@dataclass(frozen=True)
class Again:
    """A results file, again.

    Attributes
    ----------
    runs
        Each of its runs.
    inputs
        In a line each, which of its matrices and files are not what they were.
    """

    runs: tuple[Repeated, ...]
    inputs: tuple[str, ...]


def rerun(
    document: Document,
    *,
    extend: Sequence[str] = (),
    store: Path | None = None,
    watch: Watch = lambda what, number, of: None,
) -> Again:
    """Run everything in a results file again.

    Parameters
    ----------
    document
        The file.
    extend
        The files of the extensions of its machine: what is not named here is not run.
    store
        Where the cells of a sweep are kept, empty so that all are computed; without it the user's, which
        gives what it has.
    watch
        Called with the progress.

    Raises
    ------
    UserError
        A matrix, a program or an array is no longer there, or an extension is another one.
    """
    again = _Again(document, extend, store, watch)
    layout = document.layout
    try:
        if isinstance(layout, SweepLayout):
            runs = again.sweep(layout)
        elif isinstance(layout, ExecLayout):
            runs = (again.exec(layout),)
        elif isinstance(layout, RunLayout):
            runs = again.run(layout)
        else:
            runs = again.why(layout)
    except UserError as error:
        raise UserError(f"{document.path}: {error}") from None
    return Again(runs, (*again.other_matrices.values(), *changed(_recorded_files(layout))))


def _recorded_files(layout: Layout) -> Iterator[InputFile]:
    """Return the files that a result depends on, those of matrices apart, which are compared by contents."""
    return (
        InputFile(each.what, each.file, each.sha256)
        for each in layout.files
        if not each.what.startswith("matrix ")
    )


class _Again:
    """How the runs of a document are run again.

    Attributes
    ----------
    other_matrices
        By name, those that are not what they were, in a line each.
    """

    def __init__(self, document: Document, extend: Sequence[str], store: Path | None, watch: Watch) -> None:
        self.document, self.store, self.watch = document, store, watch
        self.described = machine_class(extensions_of(extend))
        self.other_matrices: dict[str, str] = {}

    def run(self, layout: RunLayout) -> tuple[Repeated, ...]:
        """Run what `vecsim run` ran."""
        machine = self.machine(layout.machine)
        how = {"value_bits": layout.value_bits, "seed": layout.seed, "max_cycles": layout.max_cycles}
        matrices = self.matrices(layout.matrices, layout.value_bits)
        return tuple(
            self.measured(number, key, matrices, machine, _engine(layout.engine), how)
            for number, key in enumerate(self.document.rows)
        )

    def why(self, layout: WhyLayout) -> tuple[Repeated, ...]:
        """Run what `vecsim why` explained."""
        matrices = self.matrices(layout.matrices, layout.explanations[0].value_bits)
        return tuple(
            self.measured(
                number,
                key,
                matrices,
                self.machine(each.machine),
                _engine(each.engine),
                {"value_bits": each.value_bits, "seed": layout.seed},
            )
            for number, (key, each) in enumerate(zip(self.document.rows, layout.explanations, strict=True))
        )

    def measured(
        self,
        number: int,
        key: Key,
        matrices: Mapping[str, Matrix | None],
        machine: Machine,
        engine: str,
        how: Mapping[str, Any],
    ) -> Repeated:
        """Run a product, unless its matrix is another one now.

        Parameters
        ----------
        number, key
            Its place among the rows, and its matrix and program.
        matrices
            The matrices that are as they were, by name; None for the others.
        machine, engine, how
            On what, and what else `vecsim.measure` takes.
        """
        name, program = key
        matrix, row = matrices[name], self.document.rows[key]
        if matrix is None:
            return Repeated(key, row.cycles, None, None)
        self.watch(f"{name}: {program}", number, len(self.document.rows))
        now = measure(program, matrix, machine, engine=engine, options=row.options, **how)
        return Repeated(key, row.cycles, now.cycles, row.program_sha256 != now.program_sha256)

    def machine(self, message: Mapping[str, Any]) -> Machine:
        """Return a machine with the numbers that the file states."""
        return self.described.from_dict(message)

    def matrices(self, message: Sequence[MatrixEntry], bits: int) -> dict[str, Matrix | None]:
        """Load matrices; None in place of one that is not what it was."""
        result: dict[str, Matrix | None] = {}
        for each in message:
            matrix = load(_place(each))
            csr, _ = values_as(matrix.csr, value_bytes(bits))
            same = self.is_same(each, matrix.source, matrix_sha256(csr))
            result[each.name] = matrix if same else None
        return result

    def is_same(self, message: MatrixEntry, source: str, digest: str) -> bool:
        """Return whether a matrix is what it was, and note it if it is not."""
        if digest != message.sha256:
            self.other_matrices[message.name] = (
                f"matrix {message.name}: {source} is another one now (digest {short(digest)}, then "
                f"{short(message.sha256)}); it is not run"
            )
        return digest == message.sha256

    def exec(self, layout: ExecLayout) -> Repeated:
        """Run what `vecsim exec` ran."""
        width, machine = value_bytes(layout.value_bits), self.machine(layout.machine)
        instructions = instruction_set_of(machine.extensions)
        file = next((each.file for each in layout.files if each.what == "program"), layout.file)
        program = _program(file, layout.define, width, instructions)
        memory = np.zeros(layout.memory_bytes, np.uint8)
        arrays = [_loaded(message, program, len(memory), width) for message in layout.load]
        now = run(
            put(memory, arrays, program),
            memory,
            machine,
            engine=_engine(layout.engine),
            max_cycles=layout.max_cycles,
        )
        ((key, row),) = self.document.rows.items()
        return Repeated(key, row.cycles, now.cycles, row.program_sha256 != program_sha256(program))

    def sweep(self, layout: SweepLayout) -> tuple[Repeated, ...]:
        """Run a sweep on the machine whose numbers are stated, on the matrices that are what they were."""
        spec = layout.sweep
        if spec.extend and not self.described.extensions:
            raise UserError(f"its machine is extended: add --extend {spec.extend[0]}")
        names = self.same_matrices(layout)
        rows, now = self.document.rows, {}
        if names:
            what = Sweep(
                matrices=tuple(names),
                programs=tuple(spec.programs),
                machine=self.machine(layout.machine),
                set={name: tuple(values) for name, values in spec.set.items()},
                option={name: tuple(values) for name, values in spec.option.items()},
                design=spec.design,
                samples=spec.samples,
                design_seed=spec.design_seed,
                value_bits=spec.value_bits,
                seed=spec.seed,
                engine=_engine(spec.engine),
                max_cycles=spec.max_cycles,
            )
            table = sweep(what, store=self.store, watch=lambda done, of: self.watch("sweep", done, of))
            # A Latin hypercube of few values may take a point several times: one row of the document.
            now = dict(zip(_keys(table, names), table.columns["cycles"], strict=True))
        return tuple(Repeated(key, row.cycles, now.get(key), None) for key, row in rows.items())

    def same_matrices(self, layout: SweepLayout) -> dict[str, str]:
        """Return what to sweep, and what the file calls it, of the matrices that are what they were."""
        result = {}
        for each in layout.matrices:
            given = _place(each)
            matrix = load_input(str(given), layout.sweep.value_bits)
            if self.is_same(each, str(given), matrix.digest):
                result[str(given)] = each.name
        return result


def _engine(message: str) -> str:
    """Name the engine; of two, where one was compiled meanwhile, the last."""
    return message.rpartition(", ")[2]


def _place(message: MatrixEntry) -> str | Path:
    """Return where a matrix is to be had: its file, or its address, or its name."""
    file = Path(message.source)
    if is_regular(file):
        return file
    return message.source if "://" in message.source or message.source.startswith(PREFIX) else message.name


def _loaded(message: ArrayEntry, program: Program, memory_bytes: int, width: Any) -> Placed:
    """Read what was put into memory, if it is still what it was."""
    place = message.text.partition("=")[0]
    each = placed(f"{place}={message.file}", program, memory_bytes, width, "--load")
    if each.sha256 != message.sha256:
        raise UserError(
            f"{each.file} is another file now; restore the one that was loaded (digest {short(each.sha256)}, "
            f"then {short(message.sha256)})"
        )
    return each


def _program(file: str, symbols: Mapping[str, int], width: Any, instruction_set: InstructionSet) -> Program:
    content = read_input(file, PROGRAM)
    if binary.is_program_file(content):
        return binary.load(content, instruction_set, file=file)
    return assemble_file(file, symbols=symbols, value_bytes=width, instruction_set=instruction_set)


def _keys(table: SweepTable, names: Mapping[str, str]) -> Iterator[Key]:
    """Return what tells each row of a table apart, as `Document` has it."""
    columns, each_name = table.columns, iter(names.values())
    rows = len(table) // len(names)
    called = [name for name in each_name for _ in range(rows)]
    for at, (matrix, program) in enumerate(zip(called, columns["program"], strict=True)):
        varied = ((name, columns[name][at]) for name in table.sweep.factors)
        yield matrix, program, *(f"{name}={value}" for name, value in varied if value is not None)
