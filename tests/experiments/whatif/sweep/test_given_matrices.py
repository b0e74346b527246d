"""Matrices given to a sweep as objects: cells are filed by content, whichever process computes them."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse

import vecsim
from experiments.whatif.archive.contents import archive_files
from vecsim.support.errors import MatrixWarning, UserError

A = scipy.sparse.random_array((50, 60), density=0.1, rng=np.random.default_rng(1), dtype=np.float32)
B = scipy.sparse.eye_array(40, format="csr", dtype=np.float32)


def swept(matrices, store, jobs=1, **more):
    return vecsim.sweep(vecsim.Sweep(matrices, ("crs", "hism"), **more), store=store, jobs=jobs)


@pytest.mark.ci
def test_cells_are_those_of_measure_in_every_process(tmp_path):
    table = swept({"a": A, "b": B}, tmp_path / "store", jobs=2, set={"banks": (8, 16)})
    rows = zip(*(table.columns[name] for name in ("matrix", "program", "banks", "cycles")), strict=True)
    for matrix, program, banks, cycles in rows:
        machine = vecsim.load_machine("vs2003", {"banks": banks})
        assert cycles == vecsim.measure(program, {"a": A, "b": B}[matrix], machine).cycles


def test_cells_are_filed_by_content_whatever_the_name_and_the_kind(tmp_path):
    store = tmp_path / "store"
    assert swept({"a": A, "b": B}, store).computed == 4
    assert swept((A.tocsr().toarray(), ("c", B.tocoo())), store).computed == 0
    other = A.tocsr()
    other.data[0] += 1
    assert swept({"a": other}, store).computed == 2
    grid = vecsim.load("laplace2d-5")
    assert swept("laplace2d-5", store).computed == 2
    assert swept(grid, store).computed == 0
    assert swept(dataclasses.replace(grid, csr=grid.csr * 2), store).computed == 2


def test_a_matrix_that_changes_in_place_is_another_one(tmp_path):
    matrix = B.copy()
    what = vecsim.Sweep({"b": matrix}, ("crs",))
    first = vecsim.sweep(what, store=tmp_path / "store", jobs=1)
    what.matrices[0].csr.data[:] = 3
    again = vecsim.sweep(what, store=tmp_path / "store", jobs=1)
    assert again.computed == 1
    assert again.matrices[0].sha256 != first.matrices[0].sha256


def test_rounded_values_are_reported(tmp_path):
    with pytest.warns(MatrixWarning, match="a: 241 of 300 values were rounded to 32 bits"):
        swept({"a": scipy.sparse.coo_array(A.astype(np.float64) * 0.1)}, tmp_path / "store")


def test_what_no_file_has_is_reported_where_it_is_saved(tmp_path):
    table = swept({"a": A, "b": B}, tmp_path / "store", set={"banks": (8, 16)})
    assert vecsim.explain(table).cells.matrices == ("a", "b")
    with pytest.warns(MatrixWarning, match="a, b: given in Python, so that this result cannot be repeated"):
        folder = table.save(tmp_path / "saved")
    again = vecsim.rerun(folder)
    assert [line.split(" (")[0] for line in again.inputs] == [
        "matrix a: was given in Python", "matrix b: was given in Python",
    ]  # fmt: skip
    assert again.left_out == 8
    with pytest.raises(UserError, match="saved: matrix a was given in Python: write it to a file by"):
        archive_files(folder)
