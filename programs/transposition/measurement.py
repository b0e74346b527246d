"""A transposition on one matrix: load, assemble, run, read the result back, compare it with SciPy's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from isa.assembler import assemble_file
from programs.hism.reading import read_hism
from programs.loading import STACK_BYTES, layout_for, require_room
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.formats import CRS, HiSM
from vecsim.machine import Machine, extensions_of, instruction_set_of, machine_class
from vecsim.support.errors import UserError

FORMATS = ("hism", "crs")


@dataclass(frozen=True)
class Transposition:
    """A transposition that was simulated; the result is SciPy's transpose, entry by entry.

    Attributes
    ----------
    format
        ``hism`` or ``crs``.
    nnz
        Entries of the matrix.
    run
        The engine's result.
    """

    format: str
    nnz: int
    run: Run

    @property
    def cycles_per_nnz(self) -> float:
        """Cycles for each entry."""
        return self.run.cycles / max(self.nnz, 1)


def with_unit(machine: Machine) -> Machine:
    """Return a machine with the transposition unit in addition to what it has."""
    extensions = extensions_of((*machine.extensions, "transposition"))
    built = machine_class(extensions)
    return built.model_validate(machine.model_dump()).with_origin(machine.origin)


def transpose(format: str, matrix: Any, machine: Machine, *, engine: str = DEFAULT_ENGINE) -> Transposition:
    """Transpose a matrix in simulated memory.

    Parameters
    ----------
    format
        ``hism``: in place, with the extension ``transposition``, which the machine is given;
        ``crs``: next to the matrix, with the instructions of every machine.
    matrix
        SciPy sparse matrix of (m, n); its values are rounded to float32.
    machine
        Its section size is that of blocks.
    engine
        What simulates it.

    Raises
    ------
    UserError
        Another format, a matrix that does not fit, or a result that is not the transpose.
    """
    if format not in FORMATS:
        raise UserError(f"the format of a transposition must be hism or crs, not {format!r}")
    csr = sp.csr_array(matrix).astype(np.float32)
    csr.sum_duplicates()
    if format == "hism":
        machine = with_unit(machine)
    memory, symbols = (_hism if format == "hism" else _crs)(csr, machine)
    program = assemble_file(
        Path(__file__).parent / f"{format}.s",
        symbols=symbols,
        instruction_set=instruction_set_of(machine.extensions),
    )
    done = run(program, memory, machine, engine=engine)
    memory = done.state.memory
    if format == "hism":
        match = read_hism(memory, symbols, csr.shape[::-1], machine.section_size)
    else:
        match = _read_crs(memory, symbols, csr)
    _compare(match, csr.T.tocsr(), format)
    return Transposition(format, csr.nnz, done)


def _hism(csr: Any, machine: Machine) -> tuple[npt.NDArray[np.uint8], dict[str, int]]:
    image = HiSM.from_scipy(csr, section_size=machine.section_size).image(layout_for(4))
    symbols = dict(image.symbols)
    memory = _memory(image.end + STACK_BYTES)
    memory[image.base : image.end] = image.data
    return memory, symbols


def _crs(csr: Any, machine: Machine) -> tuple[npt.NDArray[np.uint8], dict[str, int]]:
    image = CRS.from_scipy(csr).image(layout_for(4))
    symbols = dict(image.symbols) | {"ROWS": csr.shape[0], "COLUMNS": csr.shape[1]}
    end = image.end
    for name, count in (("T_ROWPTR", csr.shape[1] + 5), ("T_COLIDX", csr.nnz), ("T_VALUES", csr.nnz)):
        symbols[name] = _aligned(end)
        end = symbols[name] + 4 * count
    memory = _memory(end + STACK_BYTES)
    memory[image.base : image.end] = image.data
    return memory, symbols


def _aligned(address: int) -> int:
    return address + 15 & -16


def _memory(size: int) -> npt.NDArray[np.uint8]:
    require_room(size)
    return np.zeros(_aligned(size), np.uint8)


def _read_crs(memory: npt.NDArray[np.uint8], symbols: dict[str, int], csr: Any) -> Any:
    def words(name: str, count: int, dtype: str) -> npt.NDArray[Any]:
        return memory[symbols[name] : symbols[name] + 4 * count].view(dtype)

    pointers = words("T_ROWPTR", csr.shape[1] + 1, "<i4")
    columns, values = words("T_COLIDX", csr.nnz, "<i4"), words("T_VALUES", csr.nnz, "<f4")
    return sp.csr_array((values, columns, pointers), csr.shape[::-1])


def _compare(match: Any, expected: Any, format: str) -> None:
    match.sort_indices()
    expected.sort_indices()
    for name in ("indptr", "indices", "data"):
        if not np.array_equal(getattr(match, name), getattr(expected, name)):
            raise UserError(
                f"the transposition of {format} differs from SciPy's result in {name}; please report this"
            )
