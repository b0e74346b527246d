"""What the products are assembled for: the image of a matrix from address 0 on, and constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from vecsim.formats import BBCS, CRS, JD, HiSM, Layout
from vecsim.formats.image import image_of_arrays
from vecsim.support.errors import UserError

LAYOUT = Layout(0, 4)
MOST_PADDED = 1 << 24
"""Elements with their padding that are placed at most."""
SLICES_SORTED = 16
"""Slices of SELL-C-sigma whose rows are sorted together: sigma = 16 C."""


class Placed(NamedTuple):
    """A matrix in memory.

    Attributes
    ----------
    data
        Bytes of IMAGE.
    symbols
        Constants: sizes, and distances from IMAGE.
    """

    data: npt.NDArray[np.uint8]
    symbols: Mapping[str, int]


Place = Callable[[Any, int], Placed]
"""``(matrix, section)``: places SciPy's compressed rows, float32, for sections of that many elements."""


def _placed(image: Any) -> Placed:
    return Placed(image.data, image.symbols)


def crs(matrix: Any, section: int) -> Placed:
    """Compressed row storage."""
    return _placed(CRS.from_scipy(matrix).image(LAYOUT))


def jd(matrix: Any, section: int) -> Placed:
    """Jagged diagonals."""
    return _placed(JD.from_scipy(matrix).image(LAYOUT))


def bbcs(matrix: Any, section: int) -> Placed:
    """Block based compression storage, block columns as wide as a section."""
    return _placed(BBCS.from_scipy(matrix, section_size=section).image(LAYOUT))


def hism(matrix: Any, section: int) -> Placed:
    """Hierarchical sparse matrix, blocks as wide as a section."""
    return _placed(HiSM.from_scipy(matrix, section_size=section).image(LAYOUT))


def ellpack(matrix: Any, section: int) -> Placed:
    """Every row as wide as the longest."""
    rows = np.arange(matrix.shape[0])
    columns, values = _padded(matrix, rows)
    return _of_arrays({"COLIDX": columns, "VALUES": values}, {"ROWS": len(rows), "WIDTH": len(columns)})


def sell(matrix: Any, section: int) -> Placed:
    """Slices of C = s rows, sorted by length within windows of 16 slices; PERM says where a row belongs."""
    lengths = np.diff(matrix.indptr)
    windows = np.arange(len(lengths)) // (SLICES_SORTED * section)
    order = np.lexsort((-lengths, windows))
    slices = [_padded(matrix, order[k : k + section]) for k in range(0, len(order), section)]
    arrays: dict[str, npt.NDArray[Any]] = {
        "SLICEPTR": np.cumsum([0, *(len(columns) for columns, _ in slices)]).astype(np.int32),
        "COLIDX": np.concatenate([columns.ravel() for columns, _ in slices]),
        "VALUES": np.concatenate([values.ravel() for _, values in slices]),
        "PERM": order.astype(np.int32),
    }
    return _of_arrays(arrays, {"ROWS": len(order)})


def _padded(matrix: Any, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return (width, rows) columns and values of rows; padding is 0 in the last column of its row."""
    begin, lengths = matrix.indptr[rows].astype(np.int64), np.diff(matrix.indptr)[rows].astype(np.int64)
    entry = np.arange(lengths.max(initial=0))[:, None]
    place = np.clip(begin + np.minimum(entry, lengths - 1), 0, max(0, matrix.nnz - 1))
    if place.size > MOST_PADDED:
        raise UserError(f"rows padded to {len(place)} entries make more than {MOST_PADDED} elements")
    columns = np.where(lengths > 0, matrix.indices[place], 0) if place.size else place
    values = np.where(entry < lengths, matrix.data[place], 0) if place.size else place
    return columns.astype(np.int32), values.astype(matrix.dtype)


def _of_arrays(arrays: Mapping[str, npt.NDArray[Any]], sizes: Mapping[str, int]) -> Placed:
    return _placed(image_of_arrays(LAYOUT, [(name, each.ravel()) for name, each in arrays.items()], sizes))


FORMATS: Mapping[str, Place] = {
    "crs": crs,
    "jd": jd,
    "ellpack": ellpack,
    "sell": sell,
    "bbcs": bbcs,
    "hism": hism,
    "chism": hism,
}
"""How a matrix is placed, by the name of the product."""


def check_name(name: str) -> None:
    """Refuse a product that there is not.

    Raises
    ------
    UserError
        Naming those that there are.
    """
    if name not in FORMATS:
        raise UserError(f"no product {name!r} for RISC-V; use one of {', '.join(FORMATS)}")
