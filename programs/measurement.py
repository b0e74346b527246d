"""One program on one matrix on one machine: load, assemble, run, check the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from isa.assembler import assemble_file
from isa.program import Program
from programs.loading import Loaded, layout_for, place_vectors
from programs.registry import find
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.protocol import MAX_CYCLES, Engine, Run, run
from vecsim.engines.timeline import TimelineRequest
from vecsim.formats.accuracy import relative_error
from vecsim.machine import Machine

ALLOWED_ERROR = 1e-5
"""The relative error above which a result counts as wrong."""


@dataclass(frozen=True)
class Prepared:
    """A program assembled for a matrix that lies in memory.

    Attributes
    ----------
    program, loaded
        What an engine runs, and on which memory.
    options
        The value of every option of the program.
    storage_bytes
        Bytes of the matrix in its format.
    """

    name: str
    program: Program
    loaded: Loaded
    options: dict[str, str]
    storage_bytes: int


@dataclass(frozen=True)
class Measurement:
    """What a program took, and how right it was.

    Attributes
    ----------
    run
        The engine's result.
    nnz
        Stored entries of the matrix.
    relative_error
        See `vecsim.formats.accuracy`; r by SciPy in float64 on the values as stored.
    """

    program: str
    run: Run
    nnz: int
    relative_error: float
    storage_bytes: int
    options: dict[str, str]

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
        """Share of the vector ports' peak bandwidth."""
        return self.run.peak_share


def multiplicand(columns: int, seed: int, dtype: npt.DTypeLike) -> npt.NDArray[np.floating]:
    """Give x, uniform in [0, 1), rounded to the type of the values; a seed gives one x for ever."""
    x = np.random.Generator(np.random.PCG64(seed)).random(columns)
    rounded = x.astype(dtype)
    below_one = np.nextafter(np.asarray(1, dtype), np.asarray(0, dtype))
    clipped: npt.NDArray[np.floating] = np.minimum(rounded, below_one)
    return clipped


def prepare(
    name: str,
    matrix: Any,
    machine: Machine,
    x: npt.NDArray[np.floating],
    options: Mapping[str, str] | None = None,
) -> Prepared:
    """Lay a matrix (scipy.sparse, float32 or float64) and x out in memory and assemble the program for it.

    Raises
    ------
    UserError
        An unknown program or option, or a matrix too large for the address space.
    """
    chosen_program = find(name)
    options = chosen_program.choose(options or {})
    symbols = chosen_program.symbols(options)
    value_bytes: Literal[4, 8] = 4 if matrix.dtype == np.float32 else 8
    image = chosen_program.load(matrix, machine, layout_for(value_bytes), symbols)
    loaded = place_vectors(image, matrix.shape, x, machine, value_bytes)
    program = assemble_file(
        chosen_program.source, symbols=symbols | dict(loaded.symbols), value_bytes=value_bytes
    )
    return Prepared(name, program, loaded, options, image.storage_bytes)


def measure(
    name: str,
    matrix: Any,
    machine: Machine,
    *,
    seed: int = 0,
    options: Mapping[str, str] | None = None,
    engine: str = DEFAULT_ENGINE,
    max_cycles: int = MAX_CYCLES,
    timeline: TimelineRequest | None = None,
    progress: Callable[[Engine], None] | None = None,
) -> Measurement:
    """Run a program on a matrix and compare its result with SciPy's.

    Raises
    ------
    UserError
        See :func:`prepare` and :func:`vecsim.engines.protocol.run`.
    """
    x = multiplicand(matrix.shape[1], seed, matrix.dtype)
    prepared = prepare(name, matrix, machine, x, options)
    result = run(
        prepared.program,
        prepared.loaded.memory,
        machine,
        engine=engine,
        timeline=timeline,
        max_cycles=max_cycles,
        progress=progress,
    )
    y = prepared.loaded.result(result.state.memory)
    error = relative_error(matrix, x, y)
    return Measurement(name, result, int(matrix.nnz), error, prepared.storage_bytes, prepared.options)
