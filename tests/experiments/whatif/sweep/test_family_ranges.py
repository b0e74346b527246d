"""Values in names of matrices: what they stand for, and what is refused before anything is simulated."""

import pytest

from experiments.whatif.sweep import Sweep, sweep
from experiments.whatif.sweep.family_ranges import members
from vecsim.support.errors import UserError


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("rmat-4:8:2-8", ["rmat-4-8", "rmat-6-8", "rmat-8-8"]),
        ("uniform-100-4:16:x2", ["uniform-100-4", "uniform-100-8", "uniform-100-16"]),
        ("powerlaw-100-8-1.8,2.1", ["powerlaw-100-8-1.8", "powerlaw-100-8-2.1"]),
        (
            "block-24-2,3-1:2",
            ["block-24-2-1", "block-24-2-2", "block-24-3-1", "block-24-3-2"],
        ),
        ("uniform-9-2-seed1:2", ["uniform-9-2-seed1", "uniform-9-2-seed2"]),
        ("laplace2d-3:5", ["laplace2d-3", "laplace2d-4", "laplace2d-5"]),
        ("uniform-9-2", ["uniform-9-2"]),
        ("https://localhost:80/a-1,2.mtx", ["https://localhost:80/a-1,2.mtx"]),
        ("folder/x-1:2", ["folder/x-1:2"]),
    ],
)
def test_a_name_stands_for_several(name, names):
    assert members(name) == names


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("uniform-9:3-2", "uniform-9:3-2: 9:3 is not a range; write FIRST:LAST"),
        ("powerlaw-9-2-1.5:2.5", "1.5:2.5 is not a range of whole numbers; write a list such as 1.5,2,2.5"),
        ("uniform-1:1000-1:1000", "too many matrices; at most 10,000"),
        ("rmat-26:28-1", "in rmat-S-D, S must be from 1 to 27"),
        ("rmat-4:5", "'rmat-4' is not a built-in matrix; write rmat-S-D"),
        ("uniform-9-1,,2", "a value is missing"),
    ],
)
def test_wrong_values(name, message, monkeypatch):
    monkeypatch.setenv("VECSIM_MEMORY_LIMIT", "100G")
    with pytest.raises(UserError, match=message):
        Sweep((name,))


def test_a_sweep_over_the_numbers_of_matrices(tmp_path):
    what = Sweep(("uniform-40-2:8:x2", "laplace2d-3"), ("crs",))
    table = sweep(what, store=tmp_path / "store", jobs=1)
    assert table.columns["matrix"] == ["uniform-40-2", "uniform-40-4", "uniform-40-8", "laplace2d-3"]
    assert table.columns["nnz"] == [80, 160, 320, 33]
    assert not any(table.columns["fault"])
