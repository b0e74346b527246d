"""The order of the programs on vs2003 as the HiSM paper (IPDPS 2003) reports it."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse

from programs.measurement import measure
from vecsim.data import load_builtin, read
from vecsim.machine import load_machine


def cycles(matrix, *names):
    machine = load_machine("vs2003")
    measurements = {name: measure(name, matrix.astype(np.float32), machine) for name in names}
    assert max(m.relative_error for m in measurements.values()) <= 1e-5
    return {name: m.cycles for name, m in measurements.items()}


def slower(took, *names):
    """Whether the programs stand from slowest to fastest."""
    return all(took[a] > took[b] for a, b in pairwise(names))


@pytest.fixture
def real(real_matrix):
    """Return a real matrix by its name; skip the test where it is not found."""
    return lambda name: read(real_matrix(name)).csr


def test_qc324(real):
    took = cycles(real("qc324"), "crs", "jd", "hism", "chism")
    assert slower(took, "jd", "crs", "hism")
    assert slower(took, "jd", "crs", "chism")


def test_bcspwr10(real):
    took = cycles(real("bcspwr10"), "jd", "bbcs", "hism")
    assert slower(took, "hism", "jd")
    assert slower(took, "hism", "bbcs")


def test_gre_185(real):
    assert slower(cycles(real("gre_185"), "hism", "chism"), "chism", "hism")


# The same without files: matrices made to have what decides the order.


def test_dense_blocks_on_the_diagonal():
    """As in qc324, equal columns in consecutive rows: JD gathers one element of x again and again."""
    blocks = scipy.sparse.block_diag([np.full((48, 48), 0.5)] * 6, format="csr")
    took = cycles(blocks, "crs", "jd", "hism", "chism")
    assert slower(took, "jd", "crs", "chism", "hism")


def test_a_gather_from_one_bank_is_what_slows_jd_down():
    blocks = scipy.sparse.block_diag([np.full((48, 48), 0.5)] * 3, format="csr").astype(np.float32)
    conflicts, none = (
        measure("jd", blocks, load_machine("vs2003", [f"bank_busy={busy}"])) for busy in (4, 1)
    )
    assert conflicts.run.waited["bank_conflict"] > blocks.nnz
    assert none.run.waited["bank_conflict"] == 0
    assert conflicts.cycles > 1.5 * none.cycles


def test_entries_far_apart():
    """As in bcspwr10, blocks of a few entries: every block costs HiSM an exchange of segments."""
    rng = np.random.default_rng(10)
    n = 1300
    row, column = np.arange(n).repeat(2), rng.integers(0, n, 2 * n)
    scattered = scipy.sparse.coo_array((np.ones(2 * n), (row, column)), shape=(n, n)).tocsr()
    took = cycles(scattered, "jd", "bbcs", "hism")
    assert slower(took, "hism", "jd")
    assert slower(took, "hism", "bbcs")


def test_a_small_band():
    """As in gre_185, few entries: moving all s * s elements of the cache costs more than it saves."""
    band = scipy.sparse.diags_array([1.0] * 5, offsets=[-14, -1, 0, 1, 14], shape=(185, 185)).tocsr()
    assert slower(cycles(band, "hism", "chism"), "chism", "hism")


def test_many_blocks():
    """As in memplus, many blocks in a block row of the level above: the cache saves exchanges of y."""
    took = cycles(load_builtin("laplace2d-40").csr, "crs", "jd", "hism", "chism")
    assert slower(took, "crs", "jd", "hism", "chism")
