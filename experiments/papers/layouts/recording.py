"""Matrices made and kept for other processes, and what they are like: into the results of the package.

python -m experiments.papers.layouts.recording FILE
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.papers.kit.measurement import one_line
from experiments.papers.kit.source import recorded_results
from experiments.papers.layouts.results import MatrixRecord, Results
from experiments.papers.layouts.subjects import SUBJECTS, Subject
from experiments.report.parameter_charts import Five
from gpu.compound import CompoundMatrix
from gpu.compound.entry_type import EntryType
from gpu.compound.pattern_statistics import FiveNumbers, pattern_statistics
from gpu.compound.reference import reference_product
from vecsim.results.atomic_files import write_file
from vecsim.support.errors import UserError

SEED = 8128
"""Of x."""


def recorded_file(number: int, folder: Path) -> Path | str:
    """Make a matrix, x and the exact product, and keep them in a file; in a line why it could not be made.

    Parameters
    ----------
    number
        Of the subject.
    folder
        Where the file goes.
    """
    try:
        matrix = SUBJECTS[number].make()
    except UserError as error:
        return one_line(error)
    path = folder / f"{number}.npz"
    keep(matrix, path)
    return path


def keep(matrix: CompoundMatrix, path: Path) -> None:
    """Keep a matrix, a random x and the exact product in a file.

    Parameters
    ----------
    matrix
        The matrix.
    path
        The file, ``.npz``.
    """
    x = np.random.default_rng(SEED).uniform(-1, 1, (matrix.shape[1], len(matrix.entry.vector)))
    np.savez(
        path,
        shape=matrix.shape,
        indptr=matrix.indptr,
        indices=matrix.indices,
        components=np.stack(matrix.components),
        x=x,
        y=reference_product(matrix, x),
    )


def read_recorded(path: Path, entry: EntryType) -> tuple[CompoundMatrix, Any, Any]:
    """Return a matrix that `keep` has kept, x and the exact product.

    Parameters
    ----------
    path
        The file.
    entry
        What the entries are.
    """
    with np.load(path) as file:
        components = [*file["components"]]
        places = (tuple(file["shape"].tolist()), file["indptr"], file["indices"])
        return CompoundMatrix.from_arrays(entry, *places, components), file["x"], file["y"]


def described(subject: Subject, matrix: CompoundMatrix | None, missing: str = "") -> MatrixRecord:
    """Return the record that describes a matrix, or says why it could not be made.

    Parameters
    ----------
    subject
        What it is.
    matrix
        None if it could not be made.
    missing
        Why.
    """
    blank = MatrixRecord(subject.name, subject.entry.name, subject.stands_for, subject.note, missing=missing)
    if matrix is None:
        return blank
    result = pattern_statistics(matrix)
    return replace(
        blank,
        rows=matrix.shape[0],
        columns=matrix.shape[1],
        nnz=matrix.nnz,
        row_lengths=_five(result.row_lengths, 1),
        bandwidths=_five(result.bandwidths, 100 / max(1, matrix.shape[1])),
    )


def _five(result: FiveNumbers, factor: float) -> Five:
    least, lower, median, upper, greatest = (factor * number for number in astuple(result))
    return (least, lower, median, upper, greatest)


def described_here(subject: Subject) -> MatrixRecord:
    """Make a matrix, and say what it is like."""
    try:
        return described(subject, subject.make())
    except UserError as error:
        return described(subject, None, one_line(error))


def main(given: Sequence[str] | None = None) -> int:
    """Write the file; 2 where it cannot be written."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.papers.layouts.recording", description=__doc__
    )
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args(given)
    try:
        result = replace(recorded_results(Results), matrices=tuple(map(described_here, SUBJECTS)))
        write_file(arguments.file, result.to_json())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
