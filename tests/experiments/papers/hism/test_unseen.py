"""The averages of Table 2 on matrices outside the suite: which files count, and what is left out."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from experiments.papers.hism import suite, unseen
from experiments.papers.hism.suite.origin import needs_no_file
from experiments.papers.hism.table2 import printed_times
from experiments.papers.hism.timing import Measured, Timing
from vecsim.results.digests import matrix_sha256
from vecsim.support.errors import UserError


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("VECSIM_MATRICES", str(tmp_path))
    rng = np.random.default_rng(47)
    mine = scipy.sparse.random_array((30, 40), density=0.1, rng=rng).tocsr()
    member = next(each for each in suite.members() if any(map(needs_no_file, each.origins)))
    scipy.io.mmwrite(tmp_path / "mine.mtx", mine)
    scipy.io.mmwrite(tmp_path / "mine-again.mtx", mine)
    scipy.io.mmwrite(tmp_path / "qc324.mtx", mine[:20])  # a name of the suite
    scipy.io.mmwrite(tmp_path / "renamed.mtx", suite.load(member))  # a pattern of the suite
    scipy.io.mmwrite(tmp_path / "none.mtx", scipy.sparse.coo_array((3, 3)))
    (tmp_path / "broken.mtx").write_text("nothing\n")
    return tmp_path


def test_files_of_the_suite_and_copies_do_not_count(folder):
    (mine,), unread = unseen.unseen_matrices()
    assert mine.name in ("mine", "mine-again")
    assert matrix_sha256(unseen.load_unseen(mine)) == mine.sha256
    assert set(unread) == {"none", "broken"}


def test_a_file_that_changes_is_refused(folder):
    (mine,), _ = unseen.unseen_matrices()
    scipy.io.mmwrite(mine.path, scipy.sparse.eye_array(30).tocsr())
    with pytest.raises(UserError, match=r"mine.*: it changed while the programs ran; run them again"):
        unseen.load_unseen(mine)


def test_what_is_left_out_is_a_gap():
    runs = unseen.UnseenRuns({"a": 5}, Measured({}, {"a": "too large"}), {"b": "unreadable"})
    none = suite_runs_of_nothing()
    assert unseen.item(none, runs).gaps == ("Left out: b: unreadable", "Left out: a: too large")
    rows = unseen.item(none, runs).rows
    assert len(rows) == 2 * 6 * 4
    assert all(row.ours is None for row in rows)


def suite_runs_of_nothing():
    from experiments.papers.hism.suite_runs import SuiteRuns

    members = suite.members()
    figures = {criterion: suite.figure(criterion, members) for criterion in suite.CRITERIA}
    return SuiteRuns({each.name: each for each in members}, figures, figures, {}, Measured({}, {}))


@pytest.mark.parametrize(("chism", "holds"), [(100, True), (130, False)])
def test_the_averages_on_other_matrices_are_judged(chism, holds):
    """As in Table 2 over all, and with a slower CHiSM."""
    times = printed_times("all") | {"chism": chism / 100}
    timings = {p: Timing(p, round(1000 * t), 1, 1, 0.0) for p, t in times.items()}
    runs = unseen.UnseenRuns({"a": 5}, Measured({"a": timings}, {}), {})
    (verdict,) = unseen.item(suite_runs_of_nothing(), runs).verdicts
    assert verdict.holds is holds
    assert "CHiSM vs CRS" in verdict.detail
    nothing = unseen.UnseenRuns({}, Measured({}, {}), {})
    assert unseen.item(suite_runs_of_nothing(), nothing).verdicts[0].holds is None
