import re
from collections import Counter

import numpy as np
import pytest
import scipy.sparse

from experiments.gpu_bench.matrix_supply import make, rounded_product, supply
from experiments.gpu_bench.suite import CLASSES, main, select, statistics_of, suite
from vecsim.data import NotFoundLocallyError
from vecsim.results.digests import matrix_sha256
from vecsim.support.errors import UserError

BY_NAME = {each.name: each for each in suite()}


def test_the_suite_has_the_classes_that_were_asked_for():
    counts = Counter(each.class_ for each in suite())
    assert counts["small"] == counts["large_structured"] == 8
    assert counts["skewed"] == 6 + 11
    assert sum(each.later for each in suite()) == 11
    assert counts["uniform"] + counts["other"] >= 4
    assert set(counts) == set(CLASSES)
    assert len(BY_NAME) == len(suite())


@pytest.mark.parametrize("matrix", suite(), ids=lambda each: each.name)
def test_every_matrix_is_a_file_or_has_a_seed_and_says_what_it_looks_like(matrix):
    assert matrix.generated == bool(matrix.generator)
    assert matrix.generated == ("seed" in matrix.arguments)
    assert matrix.statistics is not None
    entries = matrix.statistics.entries
    if matrix.class_ == "small":
        assert 20_000 <= entries <= 620_000
    if matrix.class_ == "large_structured":
        assert 1e7 <= entries <= 5e7
    for paper in matrix.stands_for:
        assert {"paper", "name"} < set(paper)


@pytest.mark.parametrize(
    "name",
    [
        "bfly",
        "orani678",
        pytest.param("memplus", marks=pytest.mark.ci),
        pytest.param("circuit-322k", marks=pytest.mark.ci),
    ],
)
def test_statistics_are_those_of_the_matrix(name, real_matrices):
    try:
        csr = BY_NAME[name].make()
    except NotFoundLocallyError as error:
        pytest.skip(str(error))
    assert statistics_of(csr) == BY_NAME[name].statistics
    assert csr.indices.dtype == csr.indptr.dtype == np.int32


def test_memplus_stands_for_itself_with_the_printed_row_statistics():
    ours, (printed,) = BY_NAME["memplus"].statistics, BY_NAME["memplus"].stands_for
    assert round(ours.mean, 1) == printed["mean"]
    assert round(ours.sigma) == printed["sigma"]


def test_a_class_or_a_matrix_is_selected_and_anything_else_refused():
    assert {each.class_ for each in select("skewed")} == {"skewed"}
    assert [each.name for each in select("memplus")] == ["memplus"]
    assert select(None) == suite()
    with pytest.raises(
        UserError, match=r"--only lost: is neither a class \(small, .*nor a matrix \(bcsstk29"
    ):
        select("lost")


def test_check_suite_tells_what_differs(capsys):
    assert main(["bfly"]) == 0
    assert "as in the file" in capsys.readouterr().out
    assert main(["lost"]) == 2
    assert re.search(r"the suite has no lost: it has bcsstk29", capsys.readouterr().err)


def test_the_error_is_relative_to_the_sizes_that_were_added():
    csr = scipy.sparse.csr_array(np.array([[1.0, -1.0], [0.0, 0.0], [2.0, 0.0]]))
    exact = rounded_product(csr, np.array([3.0, 2.0]), "float64")
    np.testing.assert_array_equal(exact.y, [1, 0, 6])
    assert exact.error(np.array([1.5, 0, 6])) == pytest.approx(0.5 / 5)
    assert exact.error(np.array([1.0, 1e-9, 6])) == np.inf
    assert not exact.error(np.array([np.nan, 0, 6])) <= 1
    assert not exact.error(np.array([1.0, np.nan, 6])) <= 1


def test_the_rounded_product_is_that_of_the_rounded_inputs():
    csr = scipy.sparse.csr_array(np.array([[0.1]]))
    exact = rounded_product(csr, np.array([0.3]), "float32")
    assert exact.y[0] == float(np.float32(0.1)) * float(np.float32(0.3))
    is_transposed = rounded_product(
        scipy.sparse.csr_array([[1.0, 2.0]]), np.array([3.0]), "float64", transposed=True
    )
    np.testing.assert_array_equal(is_transposed.y, [3, 6])


@pytest.mark.ci
def test_matrices_come_from_other_processes_as_they_are_made_here(monkeypatch, tmp_path):
    wanted = BY_NAME["bfly"], BY_NAME["memplus"]
    # Neither in a folder nor downloaded before.
    monkeypatch.setenv("VECSIM_MATRICES", "")
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))
    with supply(wanted, transposed=True) as supplied:
        built, missing = list(supplied)
    here = make(wanted[0], transposed=False)
    assert (built.csr != here.csr).nnz == 0
    assert built.csr.has_canonical_format
    assert built.sha256 == here.sha256 == matrix_sha256(built.csr)
    assert all(array.flags.writeable for array in (built.csr.data, built.csr.indices, built.csr.indptr))
    for key, exact in here.exact.items():
        np.testing.assert_array_equal(built.exact[key].y, exact.y)
        np.testing.assert_array_equal(built.exact[key].x, exact.x)
    assert (missing.csr, missing.status) == (None, "not_found")
    assert "memplus" in missing.missing
