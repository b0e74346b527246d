"""Searches that come with the package: written, read, and put before those of the user."""

import pytest
from prediction_loss import leave_families_out, mean_loss

from gpu.compound.tuning import Timing, TuningStore
from gpu.compound.tuning.library import recorded, to_json, to_learn_from
from gpu.compound.tuning.predictor import Result
from gpu.compound.tuning.store import Search
from vecsim.support.errors import UserError

KEPT = [Result("torus/3", {"rows": 2.0}, {"a": 3.0, "b": None}), Result("road/1", {"rows": 4.0}, {"a": 1.5})]
MOST_LOST = 0.03
"""By geometric mean, of the best of the variants that are predicted."""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "gpu.json").write_bytes(to_json("a GPU", KEPT))
    return tmp_path


def test_searches_are_read_as_they_were_written(folder):
    assert recorded("a GPU", folder) == KEPT
    assert recorded("another GPU", folder) == []


def test_those_of_the_user_come_last(folder):
    with TuningStore(folder / "store") as store:
        assert to_learn_from(store, "a GPU", folder) == KEPT
        with pytest.raises(UserError, match="has no search on another GPU"):
            to_learn_from(store, "another GPU", folder)
        search = Search("a GPU", "complex", "float32", "band/2")
        store.begin(search, {"rows": 1.0})
        assert to_learn_from(store, "a GPU", folder) == KEPT  # cut off before a first time
        store.add(search, "a", Timing(2.0, 1))
        assert to_learn_from(store, "a GPU", folder) == [*KEPT, Result("band/2", {"rows": 1.0}, {"a": 2.0})]


@pytest.mark.parametrize("text", ["{", "[]", '{"kind": "searches of vecsim gpu tune"}'])
def test_another_file_is_named(tmp_path, text):
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(UserError, match=r"other.json is not a file of searches"):
        recorded("a GPU", tmp_path)


@pytest.mark.nightly  # ten fits take a minute
def test_predictions_lose_little_on_families_left_out():
    actual = recorded("NVIDIA H200")
    assert len(actual) >= 60
    assert mean_loss(leave_families_out(actual, 8)) <= MOST_LOST
