"""Problems of transposed products, y = A^T x, in the formats of the five products."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from programs.course.declaration import Setting
from programs.course.problem import Needed, Problem
from programs.loading import layout_for
from vecsim.formats import BBCS, CRS, JD, HiSM, Image


def crs_transposed(given: Setting) -> Problem:
    """CRS: values and columns in sequence, y gathered and scattered for each entry."""
    return _product(given, CRS.from_scipy(given.matrix).image(layout_for(_bytes(given))), 1, 2)


def jd_transposed(given: Setting) -> Problem:
    """JD: as CRS, and x once through the permutation."""
    image = JD.from_scipy(given.matrix).image(layout_for(_bytes(given)))
    rows, columns = given.matrix.shape
    room = {"SORTED": rows * _bytes(given), "TAG": 4 * columns}
    return _product(given, image, 1, 2, room)


def bbcs_transposed(given: Setting) -> Problem:
    """BBCS: values and descriptors in sequence, y by sections; x gathered for the rows of a block column."""
    s = given.machine.section_size
    image = BBCS.from_scipy(given.matrix, section_size=s).image(layout_for(_bytes(given)))
    return _product(given, image, 0.25, 0, {"SUMS": 12 * s})


def hism_transposed(given: Setting) -> Problem:
    """HiSM: values and positions in sequence; x and y by sections."""
    return _product(given, _hism(given), 0.5, 0)


def chism_transposed(given: Setting) -> Problem:
    """CHiSM: as HiSM, with s x s elements of y in the vector cache."""
    return _product(given, _hism(given), 0.5, 0)


def _hism(given: Setting) -> Image:
    s = given.machine.section_size
    return HiSM.from_scipy(given.matrix, section_size=s).image(layout_for(_bytes(given)))


def _bytes(given: Setting) -> Any:
    return given.value_type.itemsize


def _product(
    given: Setting, image: Image, position_words: float, indexed: int, room: Mapping[str, int] | None = None
) -> Problem:
    """Return the problem of a product; of each entry its value, its position and indexed values are moved."""
    matrix = given.matrix
    rows, columns = matrix.shape
    x = given.numbers(rows)
    y = np.asarray(matrix.T.astype(np.float64) @ x.astype(np.float64)).astype(given.value_type)
    contiguous = matrix.nnz * (given.words + position_words) + (rows + columns) * given.words
    needed = Needed(int(contiguous), indexed * matrix.nnz * given.words, matrix.nnz)
    s = given.machine.section_size
    return Problem(
        {"X": x}, {"Y": y}, matrix.nnz, "non-zero", needed, image=image, room=room or {}, padding=s * s
    )
