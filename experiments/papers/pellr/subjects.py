"""The matrices: those that the paper names, what stands in for the missing ones, and generated ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy.sparse

from experiments.papers.hism.suite.origin import fetch
from experiments.papers.pellr.row_lengths import DISTRIBUTIONS, generate

Kind = Literal["file", "pattern", "stand-in", "ours", "filled", "generated"]

KINDS: dict[str, str] = {
    "file": "the paper's matrix, from the collection's file",
    "pattern": "entries where the paper's matrix has them, other values (no time depends on them)",
    "stand-in": "another matrix in place of one that is not found",
    "ours": "a matrix of the collections that the paper's text does not name",
    "filled": "a matrix repeated along the diagonal until it fills the GPU as often as it filled the paper's",
    "generated": "made for its row lengths",
}
"""What the kinds of matrices mean."""

QUADRO_P600_THREADS = 3 * 2048
"""Threads that the paper's GPU holds at once: GP107 with 384 cores, 3 multiprocessors of 2048 threads."""
MOST_FILLED_ENTRIES = 8_000_000
"""Non-zeros up to which a matrix is repeated."""


@dataclass(frozen=True)
class Subject:
    """A matrix to be measured.

    Attributes
    ----------
    name
        Of the matrix itself.
    kind
        One of `KINDS`.
    origin
        How it is had, for `experiments.papers.hism.suite.origin.fetch`; empty if generated.
    stands_for
        The paper's name of it, or of the matrix that it stands in for; empty for ours and generated ones.
    note
        What a reader must know.
    printed
        What the paper's text prints of the matrix: sigma, mean, range (its Table 1 is not in the text).
    """

    name: str
    kind: Kind
    origin: str = ""
    stands_for: str = ""
    note: str = ""
    printed: dict[str, float] = field(default_factory=dict)


NAMED = (
    Subject("memplus", "file", "file memplus", "memplus", "", {"sigma": 22, "mean": 7.1, "range": 572}),
    Subject("qh1484", "file", "file qh1484", "qh1484"),
    Subject(
        "e40-pattern",
        "pattern",
        "driven_cavity cells=40 boundary=dropped",
        "e40r5000",
        "driven cavity of 40 x 40 elements; the smaller e05r0000 and e20r0000 agree entry by entry",
    ),
    Subject(
        "cavity25-pattern",
        "pattern",
        "driven_cavity cells=20 boundary=kept",
        "cavity25",
        "driven cavity of 20 x 20 elements; cavity14 of its family agrees entry by entry",
    ),
    Subject(
        "s3dkt3m2-pattern",
        "pattern",
        "cylindrical_shell rows=101 columns=151 along=axis",
        "s3dkt3m2",
        "order, entries and bandwidth are those of the collection's",
    ),
    Subject(
        "lnsp_131",
        "stand-in",
        "file lnsp_131",
        "lnsp3937",
        "the same equations on a coarser grid",
        {"sigma": 3.1, "range": 10},
    ),
    Subject(
        "rail_5177",
        "stand-in",
        "file rail_5177",
        "mhd4800b",
        "nearest available in order and row lengths; another application",
        {"sigma": 2, "range": 9},
    ),
    Subject("dwa512", "stand-in", "file dwa512", "dw2048", "a smaller waveguide of the same set"),
    Subject("bcsstk16", "stand-in", "file bcsstk16", "bcsstk24", "a structure of the same collection"),
    Subject(
        "bcsstk29",
        "stand-in",
        "file bcsstk29",
        "msc23052",
        "a structure of like mean row length; the pattern alone, all values 1",
        {"range": 166},
    ),
    Subject(
        "bcsstk33",
        "stand-in",
        "file bcsstk33",
        "bcsstk36",
        "a structure of like row lengths; the pattern alone, all values 1",
        {"range": 170},
    ),
    Subject(
        "plate-146x146",
        "stand-in",
        "elastic_brick nodes=2x146x146",
        "boneS01",
        "a plate of 145 x 145 hexahedra, of its order and mean row length; no porous bone",
    ),
)
"""The twelve matrices that the paper's text names, of its twenty."""

OURS = tuple(
    Subject(name, "ours", f"file {name}")
    for name in (
        "pde2961",
        "epb0",
        "utm1700a",
        "OPF_3754",
        "bcsstk13",
        "s1rmq4m1",
        "orani678",
        "adder_dcop_05",
    )
)
"""Eight more, so that ours are twenty too: square, real, of rising sigma."""

GENERATED = tuple(Subject(each.name, "generated", note=each.description) for each in DISTRIBUTIONS)


def load(subject: Subject) -> Any:
    """Return the matrix of a subject as scipy.sparse.csr_array of float64.

    Raises
    ------
    UserError
        If its file is not found.
    """
    if subject.kind == "generated":
        return generate(next(each for each in DISTRIBUTIONS if each.name == subject.name))
    return fetch(subject.origin)


def filled(matrix: Any, threads: int) -> tuple[Any, int]:
    """Repeat a matrix along the diagonal until it fills a GPU as often as it fills the paper's itself.

    Parameters
    ----------
    matrix
        A scipy.sparse.csr_array.
    threads
        Threads that the GPU holds at once.

    Returns
    -------
    repeated, copies
        As many as the ratio of the two GPUs, less where they would have over 8 million non-zeros.
    """
    wanted = max(1, round(threads / QUADRO_P600_THREADS))
    copies = max(1, min(wanted, MOST_FILLED_ENTRIES // max(1, matrix.nnz)))
    rows, columns = matrix.shape
    shift = np.arange(copies, dtype=np.int64)[:, None]
    pointers = (matrix.indptr[:-1] + shift * matrix.nnz).ravel()
    repeated = scipy.sparse.csr_array(
        (
            np.tile(matrix.data, copies),
            (matrix.indices + shift * columns).ravel().astype(np.int32),
            np.append(pointers, copies * matrix.nnz).astype(np.int32),
        ),
        shape=(rows * copies, columns * copies),
    )
    return repeated, copies
