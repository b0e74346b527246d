"""The decoded tables of the paper agree with themselves and with its text."""

import pytest

from experiments.papers.hisparse.printed import FIGURE_4, NO_TREE, NODE_SIZE, TABLE_1, TABLE_2, TIMES_FASTER


@pytest.mark.parametrize("name", FIGURE_4)
def test_leaves_have_the_non_zeros_and_inner_nodes_the_nodes_below(name):
    printed = FIGURE_4[name]
    most = printed.leaves.sparse * printed.leaves.mean + printed.leaves.dense * NODE_SIZE**2
    least = printed.leaves.sparse * printed.leaves.mean
    # Printed with one decimal of a thousand or of a million.
    assert least <= 1.01 * printed.nnz
    assert most >= 0.94 * printed.nnz
    children = printed.inner.count * printed.inner.mean
    below = printed.leaves.count + printed.inner.count - 1
    if name == "asia_osm":
        assert children == pytest.approx(printed.leaves.count, rel=0.03)
    elif name not in NO_TREE:
        assert children == pytest.approx(below, rel=0.03)
    else:
        assert children > 5 * below
        assert printed.leaves.dense
    assert printed.mean == pytest.approx(printed.nnz / printed.rows, rel=0.06)
    assert printed.longest <= printed.rows


@pytest.mark.parametrize("table", [TABLE_1, TABLE_2])
def test_ratios_of_the_tables_are_those_of_the_text(table):
    for key, libraries in table.items():
        own = float(libraries["HiSparse"].mean)
        for library, said in TIMES_FASTER.get(key, {}).items():
            # "7x" is 7.0, "19x" 19.5, "about 2x" 2.2.
            assert float(libraries[library].mean) / own == pytest.approx(float(said), rel=0.11)


def test_every_time_is_printed_once():
    assert {key: len(libraries) for key, libraries in TABLE_1.items()} == {
        ("spmv", "float32"): 7,
        ("spmv_t", "float32"): 4,
        ("spmv", "float64"): 5,
        ("spmv_t", "float64"): 4,
    }
    assert [len(libraries) for libraries in TABLE_2.values()] == [3] * 6
    # The lowest standard deviation is that of HiSparse "in all cases" of the sums, as the text says.
    for libraries in TABLE_2.values():
        assert min(libraries, key=lambda name: float(libraries[name].deviation)) == "HiSparse"
