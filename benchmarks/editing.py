"""Speed of edits: entries inserted into HiSparse one by one, against a merge into CSR and against converting.

python -m benchmarks.editing [--extent N] [--count N]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from vecsim.data import load
from vecsim.errors import UserError
from vecsim.formats import HiSparse
from vecsim.formats.insertion.search import first_not_below

REPEATS = 5
SINGLE_EDITS = 200
ANYWHERE, NEAR = WHERE = ("anywhere", "near entries")
SIGMA = 10
"""Standard deviation by which entries are moved for new ones near them, as in the HiSparse paper's sums."""
MAX_DRAWS = 50
"""Times that twice the positions asked for are drawn before too few of them are new."""

Positions = tuple[NDArray[np.int64], NDArray[np.int64]]


def seconds(work: Callable[[], Any], prepare: Callable[[], Any] = lambda: None) -> float:
    """Give the least processor time of some repetitions, each prepared anew."""
    best = float("inf")
    for _ in range(REPEATS):
        prepare()
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def new_positions(csr: Any, count: int, near: bool) -> Positions:
    """Draw positions that are not stored, each once: anywhere, or near entries that are.

    Raises
    ------
    UserError
        If the matrix has not so many, or hardly any near its entries.
    """
    rng = np.random.default_rng(8128)
    shape = csr.shape
    empty = shape[0] * shape[1] - csr.nnz
    if not 0 < count <= empty:
        raise UserError(
            f"--count {count}: a matrix of {shape[0]} x {shape[1]} with {csr.nnz} entries takes up "
            f"1 to {empty} more"
        )
    rows, columns = np.zeros(0, np.int64), np.zeros(0, np.int64)
    stored = np.repeat(np.arange(shape[0]), np.diff(csr.indptr)) * shape[1] + csr.indices
    for _ in range(MAX_DRAWS):
        if near:
            entries = np.sort(rng.integers(0, csr.nnz, 2 * count))
            row, column = np.divmod(stored[entries], shape[1])
            row = np.clip(row + rng.normal(0, SIGMA, len(row)).round().astype(int), 0, shape[0] - 1)
            column = np.clip(column + rng.normal(0, SIGMA, len(row)).round().astype(int), 0, shape[1] - 1)
        else:
            row, column = (rng.integers(0, extent, 2 * count) for extent in shape)
        keys = np.unique(np.concatenate((rows * shape[1] + columns, row * shape[1] + column)))
        keys = rng.permutation(keys[stored[np.searchsorted(stored, keys) % len(stored)] != keys])
        rows, columns = np.divmod(keys[:count], shape[1])
        if len(rows) == count:
            return rows, columns
    raise UserError(
        f"--count {count}: only {len(rows)} new positions were found {NEAR if near else ANYWHERE} "
        f"in a matrix of {shape[0]} x {shape[1]}: use a smaller count or a larger extent"
    )


def merged(csr: Any, positions: Positions, values: NDArray[np.float64]) -> Any:
    """Insert entries that are not stored into sorted CSR, all at once: found by bisection, one copy each."""
    order = np.lexsort(positions[::-1])
    rows, columns, values = positions[0][order], positions[1][order], values[order]
    starts, ends = csr.indptr[rows].astype(np.int64), csr.indptr[rows + 1].astype(np.int64)
    places, _ = first_not_below(lambda at, _: csr.indices[at], starts, ends, columns)
    more = np.zeros(len(csr.indptr), csr.indptr.dtype)
    more[1:] = np.cumsum(np.bincount(rows, minlength=csr.shape[0]))
    indices, data = np.insert(csr.indices, places, columns), np.insert(csr.data, places, values)
    return sp.csr_array((data, indices, csr.indptr + more), shape=csr.shape)


class Case:
    """A matrix in HiSparse, and the entries that it is to take up."""

    def __init__(self, csr: Any, positions: Positions) -> None:
        """Convert the matrix, and draw the values of the entries."""
        self.csr = csr
        self.positions = positions
        self.values = np.random.default_rng(3).random(len(positions[0]))
        self.matrix: HiSparse | None = HiSparse.from_scipy(csr)
        self.editor = self.matrix.editor()

    def begin_again(self) -> None:
        """Take the entries out again, in place or by beginning with the matrix that was kept."""
        if self.matrix is not None:
            self.editor = self.matrix.editor()
            # What the last editor had is freed here, not in what is timed.
            self.matrix.content.pool.collect()
        elif self.editor.nnz > self.csr.nnz:
            self.editor.delete(*self.positions)

    def insert_all(self) -> None:
        """Insert them one by one, in one compiled call."""
        self.editor.insert(*self.positions, self.values)

    def insert_some_by_themselves(self) -> None:
        """Insert some of them, each in a call from Python."""
        for row, column, value in list(zip(*self.positions, self.values, strict=True))[:SINGLE_EDITS]:
            self.editor.insert(row, column, value)

    def check(self) -> None:
        """Raise AssertionError unless the edited matrix is the merged one."""
        found, wanted = self.editor.matrix().to_scipy(), merged(self.csr, self.positions, self.values)
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))


def measured(case: Case) -> dict[str, float]:
    """Give seconds of processor time by what was done."""
    case.begin_again()
    case.insert_all()
    case.check()
    found = {"insert, the matrix kept": seconds(case.insert_all, case.begin_again)}
    case.begin_again()
    found["single, the matrix kept"] = seconds(case.insert_some_by_themselves, case.begin_again)
    case.begin_again()
    case.matrix = None
    case.insert_all()
    found["insert, in place"] = seconds(case.insert_all, case.begin_again)
    case.check()
    case.begin_again()
    addend = sp.csr_array((case.values, case.positions), shape=case.csr.shape)
    found["merge by NumPy"] = seconds(lambda: merged(case.csr, case.positions, case.values))
    found["sum by SciPy"] = seconds(lambda: case.csr + addend)
    found["conversion"] = seconds(lambda: HiSparse.from_scipy(case.csr))
    found["single, the matrix kept"] /= min(SINGLE_EDITS, len(case.values))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure on a five-point stencil, float64; 2 if there is none of that extent or no room."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.editing", description=__doc__)
    parser.add_argument("--extent", type=int, default=1415, help="points along each side of the grid")
    parser.add_argument("--count", type=int, default=10_000, help="entries that are inserted")
    given = parser.parse_args(arguments)
    try:
        csr = load(f"laplace2d-{given.extent}").csr
        drawn = {where: new_positions(csr, given.count, where == NEAR) for where in WHERE}
    except UserError as error:
        print(f"editing: error: {error}", file=sys.stderr)
        return 2
    small = load("laplace2d-30").csr
    measured(Case(small, new_positions(small, 100, True)))  # compiles
    columns = {where: measured(Case(csr, positions)) for where, positions in drawn.items()}
    title = f"{given.count:,} entries into {csr.nnz:,}: ms of processor time, best of {REPEATS}"
    table = Table("", *WHERE, title=title)
    for name in columns[WHERE[0]]:
        table.add_row(name, *(f"{1e3 * columns[where][name]:.3f}" for where in WHERE))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
