"""What makes the image of a program at a point of a sweep: of a product on a matrix, or of a text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from experiments.whatif.sweep.inputs import Input
from experiments.whatif.sweep.specification import ARGUMENT, DEFINE, Point, Sweep
from experiments.whatif.sweep.texts import Text, is_text, prepare_text
from programs.measurement import Prepared, files_of_program, multiplicand, prepare
from programs.registry import ProgramLike, find
from programs.user_format import UserFormat
from vecsim.formats.accuracy import ExactProduct, exact_product
from vecsim.machine import Machine
from vecsim.results.file_digests import InputFile, recorded_files
from vecsim.riscv.reading import is_riscv
from vecsim.riscv.timing.program import with_registers

Options = dict[str, str]
"""By name the value of every option of a product, or of every symbol of a text."""


class Images(Protocol):
    """Makes the images of one program on one input.

    Attributes
    ----------
    name
        Of the program.
    """

    name: str

    def options(self, point: Point) -> Options:
        """Return what a point chooses; UserError if it cannot be."""

    def key(self, machine: Machine, options: Options) -> tuple[str, ...]:
        """Return what decides the image, but for code, input, options, extensions and files."""

    def machine(self, machine: Machine) -> Machine:
        """Return the machine that runs an image for a machine: its registers may be those of the program."""

    def files(self, options: Options, digests: Mapping[str, str]) -> tuple[InputFile, ...]:
        """Return the files that assembling read; `isa.program.Program.inputs` has their digests."""

    def make(self, machine: Machine, options: Options, placement: int) -> Prepared:
        """Make an image, of a product with its arrays placed so; UserError if it cannot be."""

    def error(self, prepared: Prepared, memory: npt.NDArray[np.uint8]) -> float:
        """Return the relative error of the result in memory after a run; 0 if there is nothing to compare."""


def images_of(sweep: Sweep, program: ProgramLike, given: Input) -> Images:
    """Return what makes the images of a program of a sweep on a matrix or with arrays."""
    if isinstance(program, str) and is_text(program):
        return _OfText(sweep, program, given)
    return _OfProduct(sweep, program, given)


class _OfProduct:
    """Images of a product."""

    def __init__(self, sweep: Sweep, program: ProgramLike, given: Input) -> None:
        self._sweep, self._program, self._matrix = sweep, program, given
        self.name = program if isinstance(program, str) else program.name
        self._chosen: dict[tuple[tuple[str, str], ...], Options] = {}

    def options(self, point: Point) -> Options:
        given = tuple(point.options.items())
        if given not in self._chosen:
            self._chosen[given] = find(self._program).choose(point.of_program(self._program))
        return self._chosen[given]

    def key(self, machine: Machine, options: Options) -> tuple[str, ...]:
        return (*self._named, str(self._sweep.seed), str(machine.section_size))

    @cached_property
    def _named(self) -> tuple[str, str]:
        program, own = find(self._program), isinstance(self._program, UserFormat)
        return program.name, str(id(self._program)) if own else program.sha256

    def machine(self, machine: Machine) -> Machine:
        return machine

    def files(self, options: Options, digests: Mapping[str, str]) -> tuple[InputFile, ...]:
        return files_of_program(self._program, options, digests)

    def make(self, machine: Machine, options: Options, placement: int) -> Prepared:
        return prepare(self._program, self._matrix.csr, machine, self._x, options, placement=placement)

    def error(self, prepared: Prepared, memory: npt.NDArray[np.uint8]) -> float:
        return self._exact.error(prepared.loaded.result(memory))

    @cached_property
    def _x(self) -> Any:
        return multiplicand(self._matrix.csr.shape[1], self._sweep.seed, self._matrix.csr.dtype)

    @cached_property
    def _exact(self) -> ExactProduct:
        return exact_product(self._matrix.csr, self._x)


class _OfText:
    """Images of a text with arrays."""

    def __init__(self, sweep: Sweep, program: str, given: Input) -> None:
        self._sweep, self._file, self._given = sweep, program, given
        self.name = program
        self._is_riscv = is_riscv(program, sweep.isa or None)

    def options(self, point: Point) -> Options:
        symbols = {f"{DEFINE}{name}": str(value) for name, value in point.symbols.items()}
        return symbols | {f"{ARGUMENT}{place}": value for place, value in point.arguments.items()}

    def key(self, machine: Machine, options: Options) -> tuple[str, ...]:
        of = (self._file, str(self._sweep.memory), str(self._sweep.value_bits))
        if not self._is_riscv:
            return of
        return (*of, self._sweep.isa, str(self._sweep.max_cycles), str(machine.riscv.record_numbers))

    def machine(self, machine: Machine) -> Machine:
        return with_registers(machine) if self._is_riscv else machine

    def files(self, options: Options, digests: Mapping[str, str]) -> tuple[InputFile, ...]:
        return recorded_files(f"program {self._file}", Path(self._file).parent, digests)

    def make(self, machine: Machine, options: Options, placement: int) -> Prepared:
        sweep = self._sweep
        text = Text(
            self._file,
            sweep.isa,
            {n.removeprefix(DEFINE): int(value) for n, value in options.items() if n.startswith(DEFINE)},
            [value for name, value in options.items() if name.startswith(ARGUMENT)],
            self._given.arrays,
            sweep.value_bits,
            sweep.memory,
            sweep.max_cycles,
        )
        return prepare_text(text, machine)

    def error(self, prepared: Prepared, memory: npt.NDArray[np.uint8]) -> float:
        return 0.0
