"""Matrices of the suite in files, made by several processes and read by many."""

from __future__ import annotations

import json
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from experiments.gpu_bench.matrix_supply import DTYPES, make
from experiments.gpu_bench.suite import SuiteMatrix
from vecsim.formats.accuracy import ExactProduct
from vecsim.support.worker_processes import WorkerContext, begin_worker

WORKERS = 5
FACTS = "facts.json"
"""Written last: once it exists, the matrix is complete."""
POLLING_SECONDS = 0.1
PARTS = tuple(part.name for part in fields(ExactProduct))


@dataclass(frozen=True, eq=False)
class Stored:
    """A matrix as its files hold it.

    Attributes
    ----------
    csr
        csr_array of float64; None if it is not found.
    exact
        x and the exact product, by type.
    status, missing
        Why there is no matrix: not_found or failed, and the reason.
    sha256
        Digest of the matrix (`vecsim.results.digests.matrix_sha256`).
    """

    csr: Any
    exact: dict[str, ExactProduct]
    status: str
    missing: str
    sha256: str = ""


def store(matrix: SuiteMatrix, folder: Path) -> None:
    """Make a matrix and write it into a folder, unless it exists already."""
    if (folder / FACTS).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    made = make(matrix, False)
    if made.csr is not None:
        arrays = {"data": made.csr.data, "indices": made.csr.indices, "indptr": made.csr.indptr}
        for (_, dtype), exact in made.exact.items():
            arrays |= {f"{dtype} {part}": np.asarray(getattr(exact, part)) for part in PARTS}
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)
    shape = None if made.csr is None else list(map(int, made.csr.shape))
    facts = {"shape": shape, "status": made.status, "missing": made.missing, "sha256": made.sha256}
    (folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")


def storing(matrices: list[tuple[SuiteMatrix, Path]]) -> ProcessPoolExecutor:
    """Begin to store matrices, in their order, in other processes; give their pool, to be shut down."""
    pool = ProcessPoolExecutor(WORKERS, mp_context=WorkerContext(), initializer=begin_worker)
    for matrix, folder in matrices:
        pool.submit(_store_or_say, matrix, folder)
    return pool


def _store_or_say(matrix: SuiteMatrix, folder: Path) -> None:
    """Store a matrix; who waits for it is told if that fails."""
    try:
        store(matrix, folder)
    except Exception as error:  # the other matrices go on
        folder.mkdir(parents=True, exist_ok=True)
        facts = {"shape": None, "status": "failed", "missing": f"{type(error).__name__}: {error}"}
        (folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")


def wait_for(folder: Path, until: float = inf) -> Stored | None:
    """Read a matrix, once it is complete; its arrays are mapped, so that many processes share them.

    Without it at the time `until`, in seconds since the epoch, it gives None.
    """
    while True:
        if time.time() > until:
            return None
        try:
            facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
            break
        except (OSError, ValueError):
            time.sleep(POLLING_SECONDS)
    if facts["shape"] is None:
        return Stored(None, {}, facts["status"], facts["missing"])

    def array(name: str) -> Any:
        # Mapped so that writing stays private: compiled loops take other code for what is read-only.
        return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="c"))

    csr = scipy.sparse.csr_array(
        (array("data"), array("indices"), array("indptr")), shape=tuple(facts["shape"])
    )
    csr.has_canonical_format = True
    exact = {dtype: ExactProduct(**{part: array(f"{dtype} {part}") for part in PARTS}) for dtype in DTYPES}
    return Stored(csr, exact, facts["status"], "", facts["sha256"])
