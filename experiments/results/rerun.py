"""A result run again from what its file says, and whether the cycles are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.results.document import Document
from experiments.results.layouts import EXEC, SWEEP, WHY
from experiments.sweep import Sweep, SweepTable, sweep
from isa import binary
from isa.assembler import assemble_file
from isa.declaration import InstructionSet
from isa.program import Program
from programs.measurement import measure
from vecsim.data import load, values_as
from vecsim.data.memory_files import Placed, placed, put
from vecsim.data.precision import value_bytes
from vecsim.digests import matrix_sha256, program_sha256
from vecsim.engines.protocol import run
from vecsim.errors import UserError
from vecsim.input_files import PROGRAM, read_input
from vecsim.machine import Machine, extensions_of, instruction_set_of, machine_class

Watch = Callable[[str, int, int], None]
"""Told what runs, and which of how many it is."""


@dataclass(frozen=True)
class Repeated:
    """A run, once more.

    Attributes
    ----------
    key
        What tells it apart; see `Document`.
    then, now
        Cycles; None where there is no result.
    program
        Whether the program's image is another one than then; None if that is not known.
    """

    key: tuple[str, ...]
    then: int | None
    now: int | None
    program: bool | None

    @property
    def same(self) -> bool:
        """Whether the cycles are."""
        return self.then == self.now


def rerun(
    document: Document,
    *,
    extend: Sequence[str] = (),
    store: Path | None = None,
    watch: Watch = lambda what, number, of: None,
) -> tuple[Repeated, ...]:
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
        Told how far it is.

    Raises
    ------
    UserError
        A matrix or a program is no longer there, or the matrix is another one than then; the file is damaged,
        or of `vecsim why`.
    """
    if document.kind == WHY:
        raise UserError(
            f"{document.path}: is of {WHY}; run that again, and compare the two by `vecsim compare`"
        )
    described = machine_class(extensions_of(extend))
    try:
        if document.kind == SWEEP:
            return _sweep(document, extend, store, watch)
        if document.kind == EXEC:
            return (_exec(document, described),)
        return _run(document, described, watch)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{document.path}: is damaged, or of another version: {error}") from None


def _run(document: Document, described: type[Machine], watch: Watch) -> tuple[Repeated, ...]:
    content = document.content
    machine = described.from_dict(content["machine"])
    width = int(content["value_bits"])
    matrices = {each["name"]: _matrix(document, each, width) for each in content["matrices"]}
    found = []
    for number, (key, row) in enumerate(document.rows.items()):
        matrix, program = key
        watch(f"{matrix}: {program}", number, len(document.rows))
        now = measure(
            program,
            matrices[matrix],
            machine,
            value_bits=width,
            seed=int(content["seed"]),
            options=row.options,
            engine=_engine(content),
            max_cycles=int(content["max_cycles"]),
        )
        found.append(Repeated(key, row.cycles, now.cycles, row.program_sha256 != now.program_sha256))
    return tuple(found)


def _engine(content: Mapping[str, Any]) -> str:
    """Name the engine; of two, where one was compiled meanwhile, the last."""
    return str(content["engine"]).rpartition(", ")[2]


def _matrix(document: Document, told: Mapping[str, Any], width: int) -> Any:
    source, name = str(told["source"]), str(told["name"])
    matrix = load(Path(source) if Path(source).is_file() else name if "://" not in source else source)
    csr, _ = values_as(matrix.csr, value_bytes(width))
    if matrix_sha256(csr) != told["sha256"]:
        raise UserError(
            f"{document.path}: matrix {name}: {matrix.source} is another one now (digest "
            f"{matrix_sha256(csr)[:12]}, then {str(told['sha256'])[:12]})"
        )
    return matrix


def _exec(document: Document, described: type[Machine]) -> Repeated:
    content = document.content
    file, width = str(content["file"]), value_bytes(int(content["value_bits"]))
    machine = described.from_dict(content["machine"])
    program = _program(file, dict(content["define"]), width, instruction_set_of(machine.extensions))
    memory = np.zeros(int(content["memory_bytes"]), np.uint8)
    arrays = [_loaded(document, told, program, len(memory), width) for told in content.get("load", ())]
    now = run(
        put(memory, arrays, program),
        memory,
        machine,
        engine=_engine(content),
        max_cycles=int(content["max_cycles"]),
    )
    ((key, row),) = document.rows.items()
    return Repeated(key, row.cycles, now.cycles, row.program_sha256 != program_sha256(program))


def _loaded(
    document: Document, told: Mapping[str, Any], program: Program, memory_bytes: int, width: Any
) -> Placed:
    """Read what was put into memory, if it is still what it was."""
    each = placed(str(told["text"]), program, memory_bytes, width, "--load")
    if each.sha256 != told["sha256"]:
        raise UserError(f"{document.path}: {each.file} is another file now than the one that was loaded")
    return each


def _program(file: str, symbols: Mapping[str, int], width: Any, instruction_set: InstructionSet) -> Program:
    content = read_input(file, PROGRAM)
    if binary.is_program_file(content):
        return binary.load(content, instruction_set, file=file)
    return assemble_file(file, symbols=symbols, value_bytes=width, instruction_set=instruction_set)


def _sweep(
    document: Document, extend: Sequence[str], store: Path | None, watch: Watch
) -> tuple[Repeated, ...]:
    told = dict(document.content["sweep"])
    for name in ("matrices", "programs"):
        told[name] = tuple(told[name])
    for name in ("set", "option"):
        told[name] = {key: tuple(values) for key, values in told[name].items()}
    if told.get("extend") and not extend:
        raise UserError(f"{document.path}: its machine is extended: --extend {told['extend'][0]}")
    what = Sweep(**told | {"extend": tuple(extend)})
    table = sweep(what, store=store, watch=lambda done, total: watch("sweep", done, total))
    # A Latin hypercube of few values may take a point several times: one row of the document.
    now = dict(zip(_keys(table), table.columns["cycles"], strict=True))
    return tuple(Repeated(key, row.cycles, now[key], None) for key, row in document.rows.items())


def _keys(table: SweepTable) -> Iterator[tuple[str, ...]]:
    """Give what tells each row of a table apart, as `Document` has it."""
    columns = table.columns
    for at, (matrix, program) in enumerate(zip(columns["matrix"], columns["program"], strict=True)):
        varied = ((name, columns[name][at]) for name in table.sweep.factors)
        yield matrix, program, *(f"{name}={value}" for name, value in varied if value is not None)
