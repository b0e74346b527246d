"""How a matrix and its vectors are placed in simulated memory, for every program alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from vecsim.formats import Image, Layout
from vecsim.machine import Machine
from vecsim.support.errors import UserError

BASE = 64
"""First address that a loader uses; nothing is stored at address 0."""

ALLOWED_ERROR = 1e-5
"""The relative error above which a result counts as wrong."""

STACK_BYTES = 4096
"""Stack next to what a program asks for."""

ADDRESS_SPACE = 1 << 31
"""Bytes that the simulated addresses can name."""


@dataclass(frozen=True)
class MatrixImage:
    """What a program's loader gives: a format's image and what it was made from.

    Attributes
    ----------
    image
        Bytes and symbols of the matrix.
    storage_bytes
        Bytes of the format in memory, without gaps (accounting ``image``).
    work_elements
        Values that the program needs as work space (symbol WORK).
    stack_bytes
        Stack that the program needs beyond :data:`STACK_BYTES`.
    """

    image: Image
    storage_bytes: int
    work_elements: int = 0
    stack_bytes: int = 0


@dataclass(frozen=True)
class Loaded:
    """Memory before the run, and the symbols that the program is assembled with.

    Attributes
    ----------
    memory
        (n,) uint8.
    symbols
        Those of the format's image with X, Y, WORK, SECTION_BITS and VALUE_SHIFT.
    rows, value_bytes
        Elements of y that belong to the matrix, and the bytes of each.
    """

    memory: npt.NDArray[np.uint8]
    symbols: Mapping[str, int]
    rows: int
    value_bytes: int

    def result(self, memory: npt.NDArray[np.uint8]) -> npt.NDArray[np.floating]:
        """Read y, (rows,) float32 or float64, out of memory after the run."""
        y = self.symbols["Y"]
        return memory[y : y + self.rows * self.value_bytes].view(f"<f{self.value_bytes}").copy()


def layout_for(value_bytes: Literal[4, 8], placement: int = 0) -> Layout:
    """Return where every image begins, its arrays aligned to 16 bytes; later in a perturbed placement."""
    layout = Layout(BASE, value_bytes, placement=placement)
    return replace(layout, base=BASE + layout.shift("image"))


def require_room(size: int) -> None:
    """Refuse what does not fit the address space.

    Raises
    ------
    UserError
        `size` bytes are more than there are.
    """
    if size > ADDRESS_SPACE:
        raise UserError(
            f"the matrix is too large for the simulated address space: matrix, vectors and stack need {size} "
            f"bytes, addresses reach {ADDRESS_SPACE}"
        )


def vector_bytes(shape: tuple[int, int], section_size: int, value_bytes: int) -> int:
    """Return the bytes of x and y with their padding; see :func:`place_vectors`."""
    x, y = _padded(shape[1], section_size), _padded(shape[0], section_size**2)
    return (x + y) * value_bytes


def place_vectors(
    matrix: MatrixImage,
    shape: tuple[int, int],
    x: npt.NDArray[np.floating],
    machine: Machine,
    value_bytes: Literal[4, 8],
    placement: int = 0,
) -> Loaded:
    """Place x, y and work space after a matrix image.

    x is padded with zeros to a multiple of s elements, y to a multiple of s * s: a program may move whole
    segments of both (HiSM paper, section 3.1.1).

    Parameters
    ----------
    matrix
        What a program's loader gave.
    shape
        Rows m and columns n of the matrix.
    x
        (n,) the vector to multiply by; rounded to the type of a value.
    machine
        Its section size s decides the padding.
    value_bytes
        Bytes of an element of x and y, 4 or 8.
    placement
        As of `vecsim.formats.Layout`.

    Raises
    ------
    UserError
        Everything together needs more than the address space.
    """
    s = machine.section_size
    layout = layout_for(value_bytes, placement)
    at_x = layout.align(matrix.image.end) + layout.shift("X")
    at_y = layout.align(at_x + _padded(shape[1], s) * value_bytes) + layout.shift("Y")
    at_work = layout.align(at_y + _padded(shape[0], s * s) * value_bytes) + layout.shift("WORK")
    end = at_work + matrix.work_elements * value_bytes
    size = layout.align(end + matrix.stack_bytes + STACK_BYTES)
    require_room(size)
    memory = np.zeros(size, np.uint8)
    memory[matrix.image.base : matrix.image.end] = matrix.image.data
    stored = x.astype(layout.value_type)
    memory[at_x : at_x + stored.nbytes] = stored.view(np.uint8)
    symbols = dict(matrix.image.symbols)
    symbols |= {"X": at_x, "Y": at_y, "WORK": at_work}
    symbols |= {"SECTION_BITS": s.bit_length() - 1, "VALUE_SHIFT": value_bytes.bit_length() - 1}
    return Loaded(memory, symbols, shape[0], value_bytes)


def _padded(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple
