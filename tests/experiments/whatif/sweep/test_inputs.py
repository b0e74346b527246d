"""Suites by name: those of their matrices that are here, in one sweep."""

import pytest

from experiments.papers.hism.suite import members, missing
from experiments.whatif.sweep import Sweep, sweep
from experiments.whatif.sweep.inputs import expanded
from vecsim.support.errors import UserError


def test_a_suite_is_those_of_its_matrices_that_are_here():
    lost = {member.name for member in missing()}
    there = [member for member in members() if member.name not in lost]
    assert 0 < len(there) < 132  # files are not here, what is generated is
    names = expanded(["before", "suite:hism", "after"])
    assert names == ("before", *(f"suite:hism/{member.name}" for member in there), "after")
    few = expanded(["suite:hism:3000"])
    assert few == tuple(f"suite:hism/{member.name}" for member in there if member.size <= 3000)


def test_a_member_is_swept_by_its_own_name(tmp_path):
    (smallest, *_) = expanded(["suite:hism"])
    what = Sweep((smallest,), ("crs",))
    assert Sweep(what.matrices, ("crs",)) == what
    table = sweep(what, store=tmp_path / "store", jobs=1)
    assert table.columns["matrix"] == [smallest.rpartition("/")[2]]
    member = next(m for m in members() if m.name == table.columns["matrix"][0])
    assert (table.columns["nnz"], table.columns["rows"]) == ([member.size], [member.rows])
    assert table.columns["locality"][0] == pytest.approx(member.locality)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("suite:hism:3", "no matrix of it is available"),
        ("suite:spec", "unknown suite; write suite:hism"),
        ("suite:hism/xyz", "the suite has no member 'xyz'"),
    ],
)
def test_what_is_no_suite_is_reported(name, message, tmp_path):
    with pytest.raises(UserError, match=f"{name}: {message}"):
        sweep(Sweep((name,), ("crs",)), store=tmp_path / "store")
