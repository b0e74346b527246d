"""Numbers in the names of generated matrices, as columns and as parameters of a report."""

import numpy as np
import pytest

import vecsim
from experiments.whatif.explain.matrix_factors import with_matrix_parameters
from experiments.whatif.sweep.matrix_parameters import matrix_parameters

NAMES = [f"uniform-{rows}-{each}-seed{seed}" for rows in (100, 200) for each in (4, 8) for seed in (1, 2)]


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    store = tmp_path_factory.mktemp("factors") / "store"

    def sweep(matrices, **more):
        return vecsim.sweep(vecsim.Sweep(matrices, ("crs", "hism"), **more), store=store, jobs=1)

    return sweep


def test_the_table_has_the_numbers_in_which_matrices_of_one_family_differ(swept):
    table = swept("uniform-100,200-4:8:4-seed1:2")
    columns = table.columns
    assert columns["matrix"] == [name for name in NAMES for _ in range(2)]
    expected = zip(columns["matrix.N"], columns["matrix.K"], columns["matrix.seed"], strict=True)
    assert [f"uniform-{rows}-{each}-seed{seed}" for rows, each, seed in expected] == columns["matrix"]
    assert table.meanings["matrix.K"] == "K in uniform-N-K: N rows of K entries anywhere"
    assert table.arrow().schema.field("matrix.K").metadata[b"meaning"].startswith(b"K in uniform-N-K")


@pytest.mark.parametrize(
    "names",
    [["uniform-100-4"], ["uniform-100-4", "pde900"], ["pde900", "pde225"], ["rmat-5-2", "uniform-9-2"]],
)
def test_other_matrices_have_no_numbers(names):
    assert matrix_parameters(names, ["built-in"] * len(names))[0] == {}


def test_a_matrix_of_a_file_has_no_numbers_whatever_its_name():
    assert matrix_parameters(["rmat-5-2", "rmat-6-2"], ["built-in", "/a/rmat-6-2.mtx"])[0] == {}


def test_decimals_and_whole_numbers():
    numbers, _ = matrix_parameters(["powerlaw-90-8-1.5", "powerlaw-90-8-2"], ["built-in"] * 2)
    assert numbers == {"matrix.A": (1.5, 2.0)}


def test_the_report_divides_the_variance_among_the_numbers(swept):
    table = swept("uniform-100,200-4:8:4-seed1:2", set={"banks": (8, 16)})
    explained = vecsim.explain(table)
    factors = with_matrix_parameters(explained.cells)
    assert factors.varied == {"banks": ("8", "16"), "matrix.N": ("100", "200"), "matrix.K": ("4", "8")}
    assert factors.matrices == ("matrix.seed=1", "matrix.seed=2")
    # The share of K by hand: the variance of its two means over the variance of all logarithms.
    rows = zip(
        table.columns["program"], table.columns["matrix.K"], table.columns["cycles_per_nnz"], strict=True
    )
    logs = {4: [], 8: []}
    for program, each, cycles in rows:
        if program == "crs":
            logs[each].append(np.log(cycles))
    share = np.var([np.mean(logs[4]), np.mean(logs[8])]) / np.var(logs[4] + logs[8])
    titles = {item.title: item for item in explained.items}
    assert {"Speed against matrix.N", "Speed against matrix.K", "Speed against banks and matrix.K"} <= set(
        titles
    )
    shares = {(row.row, row.quantity): row.ours for row in titles["What explains the variance"].rows}
    assert shares["crs", "matrix.K"] == pytest.approx(share)
    assert ("crs", "matrix") not in shares


def test_a_surface_over_samples_has_the_numbers(swept):
    how = {"set": {"banks": (4, 8, 16), "startup": (0, 10, 20, 40)}}
    table = swept("uniform-100,200-4:12:4", design="latin-hypercube", samples=8, **how)
    (model, _) = with_matrix_parameters(vecsim.explain(table).cells).fits
    assert set(model.effects) == {"banks", "startup", "matrix.N", "matrix.K"}
    assert model.effects["matrix.K"].ratio > model.effects["matrix.N"].ratio


@pytest.mark.parametrize(
    ("matrices", "more"),
    [
        (("uniform-100-4", "uniform-200-8"), {}),
        (("uniform-100,200-4"), {"design": "one-at-a-time"}),
    ],
)
def test_where_effects_cannot_be_separated_matrices_stay_matrices(swept, matrices, more):
    cells = vecsim.explain(swept(matrices, set={"banks": (8, 16)}, **more)).cells
    assert with_matrix_parameters(cells) is cells


def test_a_sweep_of_matrices_alone_is_explained(swept):
    items = vecsim.explain(swept("uniform-100,200-4:8:4")).items
    assert items[0].title == "Speed against matrix.N"
    assert vecsim.explain(swept(("laplace2d-5", "laplace2d-6", "laplace2d-7", "pde225"))).items
