"""What the benchmark of sweeps compares with single runs."""

from benchmarks.sweep import difference
from experiments.whatif.sweep import Sweep, sweep


def test_a_row_that_is_no_single_run_is_noticed(tmp_path):
    spec = Sweep(("laplace2d-5",), ("crs", "hism"), set={"banks": (0, 8), "section_size": (16,)})
    table = sweep(spec, store=tmp_path / "store", jobs=1)
    assert [difference(table, row) for row in range(4)] == [""] * 4
    table.columns["cycles"][3] += 1
    table.columns["fault"][0] = "another"
    message = f"cycles {table.columns['cycles'][3] - 1}, in the table {table.columns['cycles'][3]}"
    assert difference(table, 3) == f"laplace2d-5, hism, row 3: {message}"
    assert difference(table, 0).endswith("in the table 'another'")
