"""The built-ins that bear the name of a matrix of a collection, against that matrix."""

import csv
from pathlib import Path

import numpy as np
import pytest
from tiers import one_in

from vecsim.data import BUILTINS, load_builtin, read

NAMED = [name for name, builtin in BUILTINS.items() if not builtin.is_family]

# Files that every entry is compared with. Digits of the values: 1e-8 unless said here.
FILES = [
    "tols90",
    "cdde1",
    "olm500",
    "olm1000",
    "pde2961",
    "bwm200",
    "rdb200",
    "rdb1250l",
    "gr_30_30",
    "lap_25",
    "nos1",
    "nos7",
    "LF10",
    "LFAT5",
    "Trefethen_20",
    "Trefethen_20b",
    "bibd_9_3",
    "bibd_9_5",
    "ch3-3-b1",
    "ch3-3-b2",
    "ch4-4-b1",
    "ch4-4-b2",
    "ch4-4-b3",
    "ch5-5-b1",
    "ch5-5-b3",
    "bfly",
    "mycielskian3",
]
DIGITS = {"bwm200": 1e-5}

# Lines of SuiteSparse's ss_index.mat: entries with explicit zeros; below, above: the bandwidths; matched,
# equal: the part of the entries next to the diagonal whose mirror image is an entry, of the same value.
with (Path(__file__).parent / "collection_index.csv").open() as lines:
    INDEX = {line["name"]: line for line in csv.DictReader(lines)}
# This file alone was printed with five digits.
RANGE_DIGITS = {"rdb2048_noL": 1e-4}


@pytest.mark.parametrize("name", FILES)
def test_equals_the_file(name, real_matrix):
    original = read(real_matrix(name)).csr
    matrix = load_builtin(name).csr
    assert matrix.shape == original.shape
    np.testing.assert_array_equal(matrix.indptr, original.indptr)
    np.testing.assert_array_equal(matrix.indices, original.indices)
    np.testing.assert_allclose(matrix.data, original.data, rtol=DIGITS.get(name, 1e-8))


def test_the_pattern_of_nos2_equals_the_reconstructed_file(real_matrix):
    # The values next to the diagonal are those of the original.
    original = read(real_matrix("reconstructed/nos2")).csr
    matrix = load_builtin("nos2").csr
    np.testing.assert_array_equal(matrix.indptr, original.indptr)
    np.testing.assert_array_equal(matrix.indices, original.indices)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    beside = rows != matrix.indices
    np.testing.assert_allclose(matrix.data[beside], original.data[beside], rtol=1e-8)


def test_every_named_builtin_is_in_the_index():
    assert set(NAMED) == set(INDEX)


@pytest.mark.parametrize("name", one_in(6, NAMED))
def test_agrees_with_the_index(name):
    line = {key: float(value) for key, value in INDEX[name].items() if key != "name"}
    matrix = load_builtin(name).csr
    assert matrix.has_canonical_format
    assert (*matrix.shape, matrix.nnz) == (line["rows"], line["columns"], line["entries"])

    digits = RANGE_DIGITS.get(name, 1e-8)
    assert matrix.data.min() == pytest.approx(line["least"], rel=digits)
    assert matrix.data.max() == pytest.approx(line["greatest"], rel=digits)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    away = rows - matrix.indices
    assert (away.max(), -away.min()) == (line["below"], line["above"])
    if matrix.shape[0] == matrix.shape[1]:
        assert symmetry(matrix) == pytest.approx((line["matched"], line["equal"]), abs=1e-12)


def symmetry(matrix):
    """Return the part of the entries next to the diagonal with a mirror image, and with an equal one."""
    mirrored = matrix.T.tocsr()
    mirrored.sort_indices()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    rows_mirrored = np.repeat(np.arange(matrix.shape[0]), np.diff(mirrored.indptr))
    places = rows * matrix.shape[1] + matrix.indices
    mirror_places = rows_mirrored * matrix.shape[1] + mirrored.indices
    _, here, there = np.intersect1d(places, mirror_places, assume_unique=True, return_indices=True)
    beside = rows[here] != matrix.indices[here]
    equal = np.isclose(matrix.data[here], mirrored.data[there], rtol=1e-10, atol=0)
    of = np.count_nonzero(rows != matrix.indices)
    return (beside.sum() / of, (beside & equal).sum() / of) if of else (1, 1)
