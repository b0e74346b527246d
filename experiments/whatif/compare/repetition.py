"""The runs of a result, repeated: what is not here, or is another one now, is left out and named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from experiments.whatif.compare.document import Document, Key
from experiments.whatif.compare.layouts import (
    ArrayEntry,
    ExecLayout,
    MatrixEntry,
    RunLayout,
    Specification,
    SweepLayout,
    WhyLayout,
)
from experiments.whatif.sweep import Sweep, SweepTable, sweep
from experiments.whatif.sweep.attributes import Value
from experiments.whatif.sweep.inputs import PREFIX, load_input
from experiments.whatif.sweep.specification import ARGUMENT, DEFINE, OPTION, Point
from experiments.whatif.sweep.texts import Text, riscv_source
from isa import binary
from isa.assembler import assemble_file
from isa.declaration import InstructionSet
from isa.program import Program
from programs.declaration import PROGRAMS_FOLDER
from programs.measurement import measure
from programs.registry import OWN, PROGRAMS, find
from programs.user_format import format_file, is_format_file
from vecsim.data import Matrix, load, values_as
from vecsim.data.conversion import OBJECT
from vecsim.data.memory_files import Array, at_place, put, read_array
from vecsim.data.precision import value_bytes
from vecsim.engines.lines import lines_of_function
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.engines.source import Runnable
from vecsim.machine import Machine, extensions_of, instruction_set_of, machine_class
from vecsim.machine.extension_files import SHIPPED as EXTENSIONS_FOLDER
from vecsim.results.digests import matrix_sha256, program_sha256
from vecsim.results.file_digests import short
from vecsim.support.errors import UserError
from vecsim.support.input_files import PROGRAM, is_regular, read_input

_Arguments = ParamSpec("_Arguments")
_Loaded = TypeVar("_Loaded")

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


def place_here(file: Path) -> Path:
    """Return where a file is that was recorded on another machine.

    A missing one may have come with vecsim, in another folder; or it may be in the working folder, alone or
    with the folders that it was in.
    """
    if file.exists():
        return file
    for folder in (PROGRAMS_FOLDER, EXTENSIONS_FOLDER):
        parts = file.parts
        if folder.name in parts:
            inner = parts[len(parts) - parts[::-1].index(folder.name) :]
            if folder.joinpath(*inner).is_file():
                return folder.joinpath(*inner)
    here = (Path(*file.parts[first:]).absolute() for first in range(1, len(file.parts)))
    return next(filter(is_regular, here), file)


def program_here(program: str) -> str | None:
    """Return the name of a program with the place of its file here; None if that is missing."""
    like, _, file = program.partition(OWN)
    here = [program]
    if like in PROGRAMS and file:
        here.append(f"{like}{OWN}{place_here(Path(file))}")
    elif is_format_file(program):
        path = format_file(program)
        here.append(f"{place_here(Path(path))}{program.removeprefix(path)}")
    return next(filter(_is_found, here), None)


def _is_found(program: str) -> bool:
    try:
        return bool(find(program))
    except UserError:
        return False


class Repetition:
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
        explained = {(each.matrix, each.program): each for each in layout.explanations[::-1]}
        return tuple(
            self.measured(
                number,
                key,
                matrices,
                self.machine(each.machine),
                _engine(each.engine),
                {"value_bits": each.value_bits, "seed": layout.seed},
            )
            for number, key in enumerate(self.document.rows)
            for each in (explained[key[0], key[1]],)
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
        here = program_here(program)
        if matrix is None or here is None:
            return Repeated(key, row.cycles, None, None)
        self.watch(f"{name}: {program}", number, len(self.document.rows))
        now = measure(here, matrix, machine, engine=engine, options=row.options, **how)
        return Repeated(key, row.cycles, now.cycles, row.program_sha256 != now.program_sha256)

    def machine(self, message: Mapping[str, Any]) -> Machine:
        """Return a machine with the numbers that the file states."""
        return self.described.from_dict(message)

    def matrices(self, message: Sequence[MatrixEntry], bits: int) -> dict[str, Matrix | None]:
        """Load matrices; None in place of one that is not here, or not what it was."""
        result: dict[str, Matrix | None] = {}
        for each in message:
            result[each.name] = None
            matrix = self.loaded(each, load, _place(each))
            if matrix is not None:
                csr, _ = values_as(matrix.csr, value_bytes(bits))
                if self.is_same(each, matrix.source, matrix_sha256(csr)):
                    result[each.name] = matrix
        return result

    def loaded(
        self,
        message: MatrixEntry,
        load: Callable[_Arguments, _Loaded],
        *given: _Arguments.args,
        **more: _Arguments.kwargs,
    ) -> _Loaded | None:
        """Load a matrix; None, with a note, if it is not here."""
        if message.source == OBJECT:
            self.other_matrices[message.name] = (
                f"matrix {message.name}: was given in Python (digest {short(message.sha256)}), no file has it"
            )
            return None
        try:
            return load(*given, **more)
        except UserError as error:
            self.other_matrices[message.name] = (
                f"matrix {message.name}: is not here (digest {short(message.sha256)}): {error}"
            )
            return None

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
        ((key, row),) = self.document.rows.items()
        if any(not is_regular(place_here(Path(each.file))) for each in layout.files):  # `changed` names them
            return Repeated(key, row.cycles, None, None)
        width, machine = value_bytes(layout.value_bits), self.machine(layout.machine)
        file = next((each.file for each in layout.files if each.what == "program"), layout.file)
        text = Text(
            str(place_here(Path(file))),
            layout.isa or "",
            layout.define,
            layout.arguments,
            [_array(message, width) for message in layout.load],
            layout.value_bits,
            layout.memory_bytes,
            layout.max_cycles,
        )
        program, memory, on = _started(text, machine)
        now = run(program, memory, on, engine=_engine(layout.engine), max_cycles=layout.max_cycles)
        cycles = _cycles(now, layout.function)
        return Repeated(key, row.cycles, cycles, row.program_sha256 != program_sha256(now.program))

    def sweep(self, layout: SweepLayout) -> tuple[Repeated, ...]:
        """Run a sweep on the machine whose numbers are stated, on the matrices that are what they were.

        Without one of its programs, or if the document has a sample of its rows, each row is run by itself.
        """
        spec, rows, now = layout.sweep, self.document.rows, dict[Key, int | None]()
        if spec.is_of_texts:
            return self.texts(layout)
        machine = self.swept_machine(layout)
        names = self.same_matrices(layout)
        whole = len(rows) == len({row.key for row in self.document.table})
        if not whole or not all(map(_is_found, spec.programs)):
            now |= self.cells(spec, machine, names)
        elif names:
            what = Sweep(
                matrices=tuple(names),
                programs=tuple(spec.programs),
                machine=machine,
                set={name: tuple(values) for name, values in spec.set.items()},
                option={name: tuple(values) for name, values in spec.option.items()},
                design=spec.design,
                at=tuple(spec.at),
                samples=spec.samples,
                design_seed=spec.design_seed,
                value_bits=spec.value_bits,
                seed=spec.seed,
                engine=_engine(spec.engine),
                max_cycles=spec.max_cycles,
            )
            table = sweep(what, store=self.store, watch=lambda done, of: self.watch("sweep", done, of))
            # A Latin hypercube of few values may take a point several times: one row of the document.
            now |= dict(zip(_keys(table, names), table.columns["cycles"], strict=True))
        return tuple(Repeated(key, row.cycles, now.get(key), None) for key, row in rows.items())

    def texts(self, layout: SweepLayout) -> tuple[Repeated, ...]:
        """Run the texts of a sweep that are here with all that they include; without an array nothing."""
        spec, rows, machine = layout.sweep, self.document.rows, self.swept_machine(layout)
        arrays: list[Array] | None = None
        if all(is_regular(place_here(Path(each.file))) for each in layout.load):
            arrays = [_array(each, value_bytes(spec.value_bits)) for each in layout.load]
        here = {program: _text_here(program, layout) for program in spec.programs}
        result = []
        for number, (key, row) in enumerate(rows.items()):
            file, now = here[key[0]], None
            if row.cycles is not None and file is not None and arrays is not None:
                self.watch(" ".join(key), number, len(rows))
                point = _point(spec, key[1:])
                text = Text(
                    file,
                    spec.isa,
                    point.symbols,
                    list(point.arguments.values()),
                    arrays,
                    spec.value_bits,
                    spec.memory,
                    spec.max_cycles,
                )
                program, memory, on = _started(text, machine.changed(point.machine))
                how: dict[str, Any] = {"engine": _engine(spec.engine), "max_cycles": spec.max_cycles}
                now = _cycles(run(program, memory, on, **how), spec.function)
            result.append(Repeated(key, row.cycles, now, None))
        return tuple(result)

    def swept_machine(self, layout: SweepLayout) -> Machine:
        """Return the machine of a sweep."""
        spec = layout.sweep
        if spec.extend and not self.described.extensions:
            raise UserError(f"its machine is extended: add --extend {spec.extend[0]}")
        return self.machine(layout.machine)

    def cells(
        self, spec: Specification, machine: Machine, names: Mapping[str, str]
    ) -> Iterator[tuple[Key, int]]:
        """Run those rows of the document that have cycles, and whose matrix and program are here."""
        matrices = {name: given for given, name in names.items()}
        programs = {program: program_here(program) for program in spec.programs}
        for number, (key, row) in enumerate(self.document.rows.items()):
            program = programs[key[1]]
            if row.cycles is not None and key[0] in matrices and program is not None:
                self.watch(f"{key[0]}: {key[1]}", number, len(self.document.rows))
                point = _point(spec, key[2:])
                yield (
                    key,
                    measure(
                        program,
                        load_input(matrices[key[0]], spec.value_bits).csr,
                        machine.changed(point.machine),
                        value_bits=spec.value_bits,
                        seed=spec.seed,
                        options=point.of_program(program),
                        engine=_engine(spec.engine),
                        max_cycles=spec.max_cycles,
                    ).cycles,
                )

    def same_matrices(self, layout: SweepLayout) -> dict[str, str]:
        """Return what to sweep, and what the file calls it, of the matrices that are what they were."""
        result = {}
        for each in layout.matrices:
            given = str(_place(each))
            matrix = self.loaded(each, load_input, given, layout.sweep.value_bits)
            if matrix is not None and self.is_same(each, given, matrix.digest):
                result[given] = each.name
        return result


def _point(spec: Specification, varied: Sequence[str]) -> Point:
    """Return the point whose values a key names, as ``name=value``."""
    values = dict(each.partition("=")[::2] for each in varied)
    machine = {name: _value(spec.set[name], text) for name, text in values.items() if name in spec.set}
    options = {name: values[OPTION + name] for name in spec.option if OPTION + name in values}
    symbols = {name: int(values[DEFINE + name]) for name in spec.define if DEFINE + name in values}
    arguments = {place: values[ARGUMENT + place] for place in spec.argument}
    return Point(machine, options, symbols, arguments)


def _value(values: Sequence[Value], text: str) -> int | bool:
    """Return the number of a factor that a table writes so."""
    return next(value for value in values if str(value) == text and not isinstance(value, str))


def _engine(message: str) -> str:
    """Name the engine; of two, where one was compiled meanwhile, the last."""
    return message.rpartition(", ")[2]


def _place(message: MatrixEntry) -> str | Path:
    """Return where a matrix is to be had: its file, or its address, or its name."""
    file = Path(message.source)
    if file.is_absolute():
        file = place_here(file)
    if is_regular(file):
        return file
    return message.source if "://" in message.source or message.source.startswith(PREFIX) else message.name


def _text_here(program: str, layout: SweepLayout) -> str | None:
    """Return where a text of a sweep is, if all that it includes is here, too."""
    files = [place_here(Path(each.file)) for each in layout.files if each.what == f"program {program}"]
    return str(files[0]) if files and all(map(is_regular, files)) else None


def _array(message: ArrayEntry, width: int) -> Array:
    """Read what was put into memory, if it is still what it was."""
    place = message.text.partition("=")[0]
    file = place_here(Path(message.file))
    each = read_array(f"{place}={file}", width, "--load")
    if each.sha256 != message.sha256:
        raise UserError(
            f"{each.file} is another file now; restore the one that was loaded (digest {short(each.sha256)}, "
            f"then {short(message.sha256)})"
        )
    return each


def _cycles(done: Run, function: str) -> int:
    """Return the cycles of a run, or those of a function of its program."""
    if not function:
        return done.cycles
    return sum(line.cycles for line in lines_of_function(done.program, done.lines, function))


def _started(text: Text, machine: Machine) -> Runnable:
    """Return a program with its arrays, ready to run."""
    if text.is_riscv:
        return riscv_source(text).on(machine)
    width = value_bytes(text.value_bits)
    program = _program(text.file, text.symbols, width, instruction_set_of(machine.extensions))
    memory = np.zeros(text.memory_bytes, np.uint8)
    arrays = [at_place(each, program, len(memory), "--load") for each in text.arrays]
    return Runnable(put(memory, arrays, program), memory, machine)


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
