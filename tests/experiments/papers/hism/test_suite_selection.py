from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from experiments.papers.hism import suite
from experiments.papers.hism.suite import CRITERIA, survey
from experiments.papers.hism.suite.candidates import candidates
from experiments.papers.hism.suite.choice import FAMILY_LIMIT, SIMILAR, choose, distances, likeness
from experiments.papers.hism.suite.figures import steps_away
from experiments.papers.hism.suite.selection import select
from experiments.papers.hism.suite.stated_by_paper import NAMED, RANGES

CANDIDATES = candidates()
MADE = tuple(survey.sources())
CHOSEN = [candidate for candidate in CANDIDATES if candidate.member in suite.members()]


def test_the_suite_is_what_the_rules_choose():
    assert tuple(select()) == suite.members()


def test_every_member_was_a_candidate():
    assert len(CHOSEN) == 132


def test_no_two_candidates_have_the_same_pattern():
    assert len({candidate.member.pattern_sha256 for candidate in CANDIDATES}) == len(CANDIDATES)
    for criterion, (low, high) in RANGES.items():
        values = [getattr(candidate.member, criterion) for candidate in CANDIDATES]
        assert min(values) >= low * 0.99
        assert max(values) < high * 1.01


def test_families_are_small_and_none_alike():
    assert max(Counter(candidate.family for candidate in CHOSEN).values()) <= FAMILY_LIMIT
    # What the paper names, or a figure needs, may be near another.
    nearest = {
        CANDIDATES[k].member.name
        for criterion in CRITERIA
        for k in steps_away(criterion, [c.member for c in CANDIDATES]).argmin(axis=0)
    }
    fixed = [c.member.original in NAMED or c.member.name in nearest for c in CHOSEN]
    apart = distances(CHOSEN)
    for i, j in combinations(range(132), 2):
        if CHOSEN[i].letters == CHOSEN[j].letters and not (fixed[i] and fixed[j]):
            assert apart[i, j] >= SIMILAR


def test_distance_and_likeness_by_hand():
    by_name = {candidate.member.name: candidate for candidate in CANDIDATES}
    few = [by_name[name] for name in ("bcsstm20", "bcsstm26", "bcspwr10")]
    first, second = few[0].member, few[1].member
    # Both have one entry a row; sizes 485 and 1922.
    size = np.log(second.size / first.size) / (np.log(3_753_461 / 48) / 9)
    place = np.log(second.locality / first.locality) / (np.log(12.85 / 0.07) / 9)
    assert distances(few)[0, 1] == pytest.approx(np.hypot(size, place))
    # Of two sets of the collection, with the same letters.
    assert likeness(few)[0, 1] == pytest.approx(np.exp(-np.hypot(size, place) - 0.5))
    assert likeness(few)[0, 2] == pytest.approx(np.exp(-distances(few)[0, 2] - 1))
    np.testing.assert_array_equal(likeness(few).diagonal(), 0)


def test_a_smaller_suite_keeps_what_the_paper_names():
    small = choose(CANDIDATES, 60)
    assert len(small) == 60
    assert set(NAMED) <= {candidate.member.original for candidate in small}
    assert small == choose(CANDIDATES, 60)


def test_too_few_candidates():
    with pytest.raises(ValueError, match="too few for a suite of 266"):
        choose(CANDIDATES, len(CANDIDATES))


@pytest.mark.parametrize("built", MADE, ids=lambda built: built.name)
def test_what_is_made_says_for_what(built):
    names = {candidate.member.name: candidate.member for candidate in CANDIDATES}
    if built.provenance == "generated":
        # Under the collection's own name; of a file that was found it is the second origin.
        assert built.name == built.original
        assert built.origin in names[built.name].origins
    else:
        assert built.note
        assert names[built.name].original == built.original


@pytest.mark.ci
def test_survey_measures_what_is_listed(monkeypatch):
    listed = {candidate.member.name: candidate.member for candidate in CANDIDATES}
    few = ("olm100", "tols340", "wilson-4", "coupled-155x38")
    sources = [source for source in (*MADE, *survey._built_in(survey.matrix_market())) if source.name in few]
    monkeypatch.setattr(survey, "_sources", lambda market: iter(sources))
    monkeypatch.setattr(survey, "_kinds", lambda market: {})
    actual = survey.survey()
    assert [member.name for member in actual] == ["olm100", "tols340", "wilson-4", "coupled-155x38"]
    for member in actual:
        expected = listed[member.name]
        measured = (member.size, member.locality, member.average_per_row, member.pattern_sha256)
        assert measured == (
            expected.size,
            expected.locality,
            expected.average_per_row,
            expected.pattern_sha256,
        )
        assert member.collection == expected.collection
