from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from gpu.choice.cost_model import estimate, estimates, ranked
from gpu.choice.lower_bounds import LowerBounds
from gpu.choice.structure import Structure
from gpu.kernel_registry import KERNELS, work_counts_of

pytestmark = pytest.mark.ci

NAMES = [name for name, kernel in KERNELS.items() if kernel.work is not None]


def coordinates(rows, columns, shape):
    places = rows.astype(np.int32), columns.astype(np.int32)
    built = scipy.sparse.csr_array((np.ones(len(rows)), places), shape=shape)
    built.sum_duplicates()
    return built


def matrix_of(kind, dtype=np.float64):
    rng = np.random.default_rng(6)
    rows = 90_000
    row = np.repeat(np.arange(rows), 7)
    if kind == "band":
        built = coordinates(
            row, np.minimum(row + np.tile([0, 1, 2, 300, 301, 302, 900], rows), rows - 1), (rows,) * 2
        )
    elif kind == "anywhere":
        built = coordinates(row, rng.integers(0, rows, len(row)), (rows,) * 2)
    elif kind == "blocks":
        coarse = matrix_of("anywhere")[:4000, :4000]
        built = scipy.sparse.csr_array(
            scipy.sparse.kron(coarse + scipy.sparse.eye_array(4000), np.ones((3, 3)))
        )
    elif kind == "power law":
        lengths = np.minimum((2 * (1 - rng.random(rows)) ** -0.9).astype(int), 30_000)
        row = np.repeat(np.arange(rows), lengths)
        built = coordinates(row, (rows * rng.random(len(row)) ** 3).astype(int), (rows,) * 2)
    elif kind == "few long rows":
        built = coordinates(np.repeat(np.arange(40), 5000), rng.integers(0, 300_000, 200_000), (40, 300_000))
    else:
        built = coordinates(row[:700], row[:700] // 2, (100, 100))
    built.indices, built.indptr = built.indices.astype(np.int32), built.indptr.astype(np.int32)
    return built.astype(dtype)


KINDS = ["band", "anywhere", "blocks", "power law", "few long rows", "small"]
OF_CI = ("blocks", "power law", "small")


@pytest.mark.parametrize(
    "kind", [kind if kind in OF_CI else pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS]
)
@pytest.mark.parametrize("padded", [False, pytest.param(True, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("dtype", [np.float32, pytest.param(np.float64, marks=pytest.mark.nightly)])
@pytest.mark.nightly
def test_no_work_is_estimated_to_take_less_than_its_bound(kind, padded, dtype):
    structure = Structure.of(matrix_of(kind, dtype))
    bounds = LowerBounds.of_structure(structure, padded=padded)
    for name in NAMES:
        least, work = KERNELS[name].work(bounds), KERNELS[name].work(structure)
        if least is None:
            assert work is None, name
        elif work is not None:
            assert estimate(name, least, structure) <= estimate(name, work, structure), name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.nightly
def test_formats_come_in_the_order_of_the_estimates(kind, dtype):
    matrix = matrix_of(kind, dtype)
    actual = estimates(work_counts_of(), Structure.of(matrix))
    assert list(ranked(work_counts_of(), matrix)) == sorted(actual.items(), key=lambda each: each[1])


@pytest.mark.nightly
def test_what_cannot_win_is_not_counted(monkeypatch):
    counted = []

    def recording(name, work):
        def count(structure):
            if type(structure) is Structure:
                counted.append(name)
            return work(structure)

        return count

    for name in NAMES:
        monkeypatch.setitem(KERNELS, name, replace(KERNELS[name], work=recording(name, KERNELS[name].work)))
    assert next(ranked(work_counts_of(), matrix_of("band")))[0] in counted
    assert len(counted) <= 6
