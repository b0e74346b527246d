"""Digests of matrices of the collections, pinned: what a server gives under these names must be this.

``pinned.csv`` has a row for each matrix that an experiment names and whose file was available: the path of
the matrix in its collection, and the digest of its pattern and values. The bytes of a file may differ, since
servers pack it again. ``python -m tests.pinned_digests --record`` writes the file.
"""

import csv
from functools import cache
from importlib.resources import files
from typing import Any

from vecsim.data.collections import Entry
from vecsim.results.digests import matrix_sha256
from vecsim.support.errors import UserError

FILE = files("vecsim.data.collections") / "pinned.csv"


@cache
def pinned() -> dict[str, str]:
    """Return `vecsim.results.digests.matrix_sha256` of the matrix, in float64, by the path of its `Entry`."""
    with FILE.open(encoding="ascii") as file:
        return {row["path"]: row["sha256"] for row in csv.DictReader(file)}


def require_pinned(source: str, entry: Entry, csr: Any) -> None:
    """Refuse a matrix that is not the one whose digest is pinned under its name, if one is.

    Parameters
    ----------
    source
        Where it came from, for the message.
    entry
        What it should be.
    csr
        scipy.sparse CSR array of float64, sorted, duplicates summed, explicit zeros kept.

    Raises
    ------
    UserError
        If its digest is another one.
    """
    expected = pinned().get(entry.path)
    if expected is None:
        return
    result = matrix_sha256(csr)
    if result != expected:
        raise UserError(
            f"{source}: is not the matrix {entry.path} that the experiments name: the sha256 of its pattern "
            f"and values is {result}, expected was {expected}"
        )
