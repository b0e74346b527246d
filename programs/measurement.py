"""One program on one matrix on one machine: load, assemble, run, check the result."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from isa.declaration import InstructionSet
from isa.program import Program
from programs.declaration import SmvmProgram
from programs.loading import Loaded, layout_for, place_vectors
from programs.registry import ProgramLike, find, program_like
from vecsim.data import Matrix, MatrixLike, as_matrix, value_bytes, values_as
from vecsim.data.conversion import is_given_by_values
from vecsim.data.precision import rounding
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.physical import Physical, physical
from vecsim.engines.protocol import Engine
from vecsim.engines.result import Run
from vecsim.engines.running import MAX_CYCLES, run
from vecsim.engines.timeline import TimelineRequest
from vecsim.formats.accuracy import relative_error
from vecsim.machine import Machine, as_machine, instruction_set_of
from vecsim.results.digests import program_sha256
from vecsim.results.file_digests import InputFile, input_files, recorded_files
from vecsim.support.arguments import whole
from vecsim.support.errors import MatrixWarning, UserError
from vecsim.support.overview import Overview
from vecsim.support.suggestions import counted


@dataclass(frozen=True)
class Prepared:
    """A program assembled for a matrix that is in memory.

    Attributes
    ----------
    program, loaded
        What an engine runs, and on which memory.
    options
        The value of every option of the program.
    storage_bytes
        Bytes of the matrix in its format.
    """

    name: ProgramLike
    program: Program
    loaded: Loaded
    options: dict[str, str]
    storage_bytes: int

    @property
    def files(self) -> tuple[InputFile, ...]:
        """The files that assembling the program read."""
        return files_of_program(self.name, self.options, self.program.inputs)


@dataclass(frozen=True, repr=False)
class Measurement(Overview):
    """What a program took, and how right it was.

    Attributes
    ----------
    program
        Name of the program.
    matrix, shape, nnz
        Name of the matrix, its rows and columns, its stored entries.
    value_bits
        Bits of a value of the matrix and the vectors, 32 or 64.
    run
        The engine's result.
    relative_error
        See `vecsim.formats.accuracy`; r by SciPy in float64 on the values as stored.
    storage_bytes
        Bytes of the matrix in its format, in simulated memory.
    options
        The value of every option of the program.
    program_sha256
        Digest of the program as it was assembled for this matrix (`vecsim.results.digests`).
    engine, seed
        What simulated it, and where x came from.
    files
        The files that assembling the program read.
    jittered
        Cycles with each perturbed placement of the arrays, if any were asked for.
    """

    program: str
    matrix: str
    shape: tuple[int, int]
    nnz: int
    value_bits: int
    run: Run
    relative_error: float
    storage_bytes: int
    options: dict[str, str]
    program_sha256: str
    engine: str
    seed: int
    files: tuple[InputFile, ...] = ()
    jittered: tuple[int, ...] = ()

    @property
    def cycles(self) -> int:
        """Cycles of the run."""
        return self.run.cycles

    @property
    def instructions(self) -> int:
        """Instructions executed."""
        return self.run.instructions

    @property
    def cycles_per_nnz(self) -> float:
        """Cycles for each stored entry."""
        return self.run.cycles / self.nnz if self.nnz else float("nan")

    @property
    def bytes_moved(self) -> int:
        """Bytes between memory and processor."""
        return self.run.bytes_moved

    @property
    def peak_share(self) -> float:
        """Share of the vector ports' peak bandwidth, 0 to 1."""
        return self.run.peak_share

    @property
    def physical(self) -> Physical | None:
        """Time and rates, with two operations for each stored entry; None where no clock is stated."""
        return physical(self.run.machine.clock_mhz, self.cycles, 2 * self.nnz, self.bytes_moved)

    def overview(self) -> dict[str, object]:
        """Return what was measured on what, by name."""
        return {
            "program": self.program,
            "matrix": self.matrix,
            "shape": self.shape,
            "nnz": self.nnz,
            "value_bits": self.value_bits,
            "machine": self.run.machine.label,
            "engine": self.engine,
            "cycles": self.cycles,
            "cycles_per_nnz": self.cycles_per_nnz,
            "peak_share": self.peak_share,
            "relative_error": self.relative_error,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything but registers and memory as plain data, as ``vecsim run --json`` does."""
        return {
            "program": self.program,
            "matrix": self.matrix,
            "rows": self.shape[0],
            "cols": self.shape[1],
            "nnz": self.nnz,
            "value_bits": self.value_bits,
            "engine": self.engine,
            "seed": self.seed,
            "options": self.options,
            "program_sha256": self.program_sha256,
            "relative_error": self.relative_error,
            "storage_bytes": self.storage_bytes,
            "cycles_per_nnz": self.cycles_per_nnz,
            **({"jittered": list(self.jittered)} if self.jittered else {}),
            **self.run.to_dict(),
            **({} if self.physical is None else {"physical": self.physical.to_dict()}),
        }


def multiplicand(columns: int, seed: int, dtype: npt.DTypeLike) -> npt.NDArray[np.floating]:
    """Return x, uniform in [0, 1), rounded to the type of the values; a seed gives one x for ever.

    Raises
    ------
    UserError
        The type is none of floating point: all of x would be rounded to 0, and any product be right.
    """
    if np.dtype(dtype).kind != "f":
        raise UserError(f"x in [0, 1) cannot have the type {np.dtype(dtype)}: float32 or float64 is needed")
    x = np.random.Generator(np.random.PCG64(seed)).random(columns)
    rounded = x.astype(dtype)
    below_one = np.nextafter(np.asarray(1, dtype), np.asarray(0, dtype))
    clipped: npt.NDArray[np.floating] = np.minimum(rounded, below_one)
    return clipped


def prepare(
    name: ProgramLike,
    matrix: Any,
    machine: Machine,
    x: npt.NDArray[np.floating],
    options: Mapping[str, str] | None = None,
    *,
    placement: int = 0,
) -> Prepared:
    """Write a matrix and x into simulated memory and assemble the program for it.

    Parameters
    ----------
    name
        Of the program.
    matrix
        SciPy sparse matrix of (m, n), float32 or float64; at least one row and one column.
    machine
        Its section size decides the layout.
    x
        (n,) the vector to multiply by; rounded to the type of the matrix.
    options
        Of the program; those not named have their default.
    placement
        As of `vecsim.formats.Layout`.

    Raises
    ------
    UserError
        An unknown program or option, a matrix of another type or without rows or columns, or one too large
        for the address space.
    """
    chosen_program = find(name)
    options = chosen_program.choose({} if options is None else options)
    symbols = chosen_program.symbols(options)
    rows, columns = matrix.shape
    if not (rows and columns):
        raise UserError(
            f"the matrix has {counted(rows, 'row')} and {counted(columns, 'column')}: a product needs at "
            "least one of each"
        )
    if matrix.dtype not in (np.float32, np.float64):
        raise UserError(f"the matrix has values of type {matrix.dtype}: float32 or float64 is needed")
    width: Literal[4, 8] = 4 if matrix.dtype == np.float32 else 8
    chosen_program.require_room(matrix, machine.section_size, width)
    instruction_set = instruction_set_of(machine.extensions)
    image = chosen_program.load(matrix, machine, layout_for(width, placement), symbols)
    loaded = place_vectors(image, matrix.shape, x, machine, width, placement)
    return Prepared(
        name, _assembled(name, options, loaded, instruction_set), loaded, options, image.storage_bytes
    )


def prepare_product(
    name: ProgramLike,
    matrix: MatrixLike,
    machine: Machine,
    *,
    value_bits: int = 32,
    seed: int = 0,
    options: Mapping[str, str] | None = None,
) -> Prepared:
    """Write a matrix and x into simulated memory and assemble the program, as :func:`measure` does.

    Parameters
    ----------
    name, matrix, machine, value_bits, seed, options
        As :func:`measure` takes them.

    Raises
    ------
    UserError
        See `as_matrix`, `values_as` and :func:`prepare`.
    """
    _, csr = with_width(matrix, value_bits)
    return prepare(name, csr, machine, multiplicand(csr.shape[1], seed, csr.dtype), options)


def on_same_memory(prepared: Prepared, name: ProgramLike, options: Mapping[str, str]) -> Prepared:
    """Assemble a program for memory that was prepared for another of the same format.

    Parameters
    ----------
    prepared
        What :func:`prepare` gave.
    name, options
        The program and what is chosen of it. Options that decide how memory is laid out (positions) must be
        those that it was prepared with: that is not checked.

    Raises
    ------
    UserError
        An unknown program or option, or a program of another format.
    """
    program, other = find(name), find(prepared.name)
    if program.format != other.format:
        raise UserError(f"{program.name} needs a matrix in {program.format}, not in {other.format}")
    chosen = program.choose(options)
    return replace(
        prepared,
        name=name,
        program=_assembled(name, chosen, prepared.loaded, prepared.program.instruction_set),
        options=chosen,
    )


def _assembled(
    name: ProgramLike, options: dict[str, str], loaded: Loaded, instruction_set: InstructionSet
) -> Program:
    program = find(name)
    symbols = program.symbols(options) | dict(loaded.symbols)
    return program.text(options.get("schedule", "")).assemble(symbols, loaded.value_bytes, instruction_set)


def files_of_program(
    name: ProgramLike, options: Mapping[str, str], digests: Mapping[str, str]
) -> tuple[InputFile, ...]:
    """Return the files that assembling a program read.

    Parameters
    ----------
    name, options
        Of the program.
    digests
        `isa.program.Program.inputs`.
    """
    program = find(name)
    what = f"program {program.name}"
    declaration = input_files(what, program.declaration)
    text = program.text(options.get("schedule", ""))
    return tuple(dict.fromkeys((*declaration, *recorded_files(what, text.file.parent, digests))))


def measure(
    program: SmvmProgram | ProgramLike,
    matrix: MatrixLike,
    machine: Machine | str | os.PathLike[str] = "vs2003",
    *,
    value_bits: int = 32,
    seed: int = 0,
    options: Mapping[str, str] | None = None,
    engine: str = DEFAULT_ENGINE,
    max_cycles: int = MAX_CYCLES,
    timeline: TimelineRequest | None = None,
    progress: Callable[[Engine], None] | None = None,
    jitter: int = 0,
) -> Measurement:
    """Run a program on a matrix and compare its result with SciPy's.

    Values have 32 bits unless 64 are asked for, whatever the type of the matrix, as on the command line. A
    `MatrixWarning` tells when that changes values of a SciPy matrix or an array, and what reading a file
    changed.

    Parameters
    ----------
    program
        One of `vecsim.PROGRAMS` or its name, the key; ``"crs:my.s"`` for your assembly file with the format,
        symbols and options of that program; ``"my.py"`` for your format (docs/tutorial/own-format.md), or a
        `vecsim.UserFormat`.
    matrix
        A `vecsim.Matrix`; a name, path or address that `vecsim.load` takes; a SciPy sparse matrix or an array
        of (m, n), of any real type.
    machine
        A machine, the name of a preset or the path of a TOML file.
    value_bits
        Bits of a value of the matrix, x and y: 32 or 64.
    seed
        Where x, (n,) uniform in [0, 1), comes from; a seed gives one x for ever.
    options
        Of the program; those not named have their default.
    engine
        ``"jit"``, compiled, or ``"simpy"``, the reference: both give the same.
    max_cycles
        A program that has not ended by then is taken for an infinite loop.
    timeline
        Which instructions' times to keep; none without it.
    progress
        Called with the running engine now and then.
    jitter
        How many times to run it again with other addresses of the arrays: the spread of the `jittered` cycles
        says how far a small difference of cycles can be trusted.

    Returns
    -------
    Measurement
        Its `relative_error` says how right the result was; a wrong one raises nothing.

    Raises
    ------
    UserError
        See `as_matrix`, `values_as`, :func:`prepare` and :func:`vecsim.engines.running.run`.

    Examples
    --------
    >>> import vecsim
    >>> result = vecsim.measure("hism", "laplace2d-30")
    >>> result.shape, result.nnz, result.value_bits
    ((900, 900), 4380, 32)
    >>> result.relative_error < 1e-6
    True
    >>> wide = vecsim.measure("hism", "laplace2d-30", "t0", value_bits=64)
    >>> wide.bytes_moved > result.bytes_moved
    True
    """
    described, program = as_machine(machine), program_like(program)
    value_bits, seed, jitter = whole("value_bits", value_bits), whole("seed", seed), whole("jitter", jitter)
    named, csr = with_width(matrix, value_bits)
    x = multiplicand(csr.shape[1], seed, csr.dtype)
    how: dict[str, Any] = {"engine": engine, "max_cycles": max_cycles, "progress": progress}
    prepared = prepare(program, csr, described, x, options)
    result = run(prepared.program, prepared.loaded.memory, described, timeline=timeline, **how)
    jittered = []
    for placement in range(1, jitter + 1):
        moved = prepare(program, csr, described, x, options, placement=placement)
        jittered.append(run(moved.program, moved.loaded.memory, described, **how).cycles)
    return Measurement(
        program=find(program).name,
        matrix=named.name,
        shape=(int(csr.shape[0]), int(csr.shape[1])),
        nnz=int(csr.nnz),
        value_bits=value_bits,
        run=result,
        relative_error=relative_error(csr, x, prepared.loaded.result(result.state.memory)),
        storage_bytes=prepared.storage_bytes,
        options=prepared.options,
        program_sha256=program_sha256(prepared.program),
        engine=engine,
        seed=seed,
        files=prepared.files,
        jittered=tuple(jittered),
    )


def with_width(matrix: MatrixLike, value_bits: int) -> tuple[Matrix, Any]:
    """Return a matrix, and its csr_array with values of this many bits; a `MatrixWarning` says what
    changed.
    """
    width = value_bytes(value_bits)
    given = as_matrix(matrix)
    csr, lost = values_as(given.csr, width)
    notes = [*lost] if isinstance(matrix, Matrix) else [*given.warnings, *lost]
    if is_given_by_values(matrix):
        notes += rounding(given.csr, csr)
    for note in notes:
        warnings.warn(note, MatrixWarning, stacklevel=3)
    return given, csr
