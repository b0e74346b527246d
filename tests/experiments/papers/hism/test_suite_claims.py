"""What the paper says of many matrices, on suites worked by hand."""

from dataclasses import replace

import pytest
from suite_cases import member

from experiments.papers.hism.suite_claims import (
    bbcs_traffic,
    cache_traffic,
    exceptions,
    independence,
    row_length,
    small_cache_traffic,
)
from experiments.papers.hism.timing import METHODS, Timing


def timing(cycles=(500, 400, 150, 120, 100), moved=(500, 400, 150, 120, 100)):
    """Cycles and bytes of CRS, JD, BBCS, HiSM, CHiSM on one matrix."""
    return {p: Timing(p, c, 1, b, 0.0) for p, c, b in zip(METHODS, cycles, moved, strict=True)}


def test_chism_moves_more_on_very_small_matrices():
    timings = {
        "tiny": timing(moved=(1, 1, 1, 100, 300)),
        "one level": timing(moved=(1, 1, 1, 100, 100)),
        "large": timing(moved=(1, 1, 1, 100, 80)),
    }
    small = small_cache_traffic({"tiny": 1000, "one level": 10, "large": 1001}, timings)
    assert small.holds is True
    assert small.detail == (
        "bytes moved by CHiSM over those of HiSM: 2.00 on average of 2 matrices, fewer on 0"
    )
    assert small_cache_traffic({"tiny": 1001, "one level": 10, "large": 1001}, timings).holds is False
    assert small_cache_traffic({}, {}).holds is None


@pytest.mark.parametrize(
    ("large", "holds", "words"),
    [
        ((1000, 800), None, "1.23 on average of 3 matrices, fewer on 1; 0.90 of the bytes of all together"),
        ((1000, 10), True, "0.97 on average of 3 matrices, fewer on 1; 0.19 of the bytes of all together"),
        ((1000, 1100), False, "1.33 on average of 3 matrices, fewer on 0; 1.17 of the bytes of all together"),
    ],
)
def test_the_cache_saves_accesses_if_both_averages_agree(large, holds, words):
    moved = {"tiny": (100, 190), "one level": (10, 10), "large": large}
    verdict = cache_traffic({name: timing(moved=(1, 1, 1, *both)) for name, both in moved.items()})
    assert verdict.holds is holds
    assert verdict.detail == f"bytes moved by CHiSM over those of HiSM: {words}"
    assert cache_traffic({}).holds is None


@pytest.mark.parametrize(("bbcs", "holds"), [(150, True), (450, False), (600, False)])
def test_bbcs_moves_less_than_crs_and_jd(bbcs, holds):
    verdict = bbcs_traffic({"a": timing(moved=(500, 400, bbcs, 1, 1))})
    assert verdict.holds is holds


def suite_of_rows(count=12):
    """Matrices whose rows, sizes and localities are in different orders."""
    return {
        f"m{k}": member(
            f"m{k}",
            size=100 * (1 + 5 * k % count),
            locality=float(7 * k % count),
            average_per_row=float(k + 1),
        )
        for k in range(count)
    }


def test_row_lengths_matter_if_cycles_a_non_zero_follow_them():
    members = suite_of_rows()
    same = {name: timing(tuple(each.size * c for c in range(5, 0, -1))) for name, each in members.items()}
    assert independence(members, same).holds is True
    follows = {
        name: timing(
            (*(each.size * c for c in range(5, 1, -1)), round(1e6 * each.size / each.average_per_row))
        )
        for name, each in members.items()
    }
    verdict = independence(members, follows)
    assert verdict.holds is False
    assert verdict.detail.count("CHiSM -1.00 ") == 2
    assert independence(members, {"m1": same["m1"]}).holds is None


def test_row_lengths_do_not_matter_if_locality_explains_the_cycles():
    members = {name: replace(each, locality=each.average_per_row) for name, each in suite_of_rows().items()}
    cycles = {name: timing((round(1e6 * each.size / each.locality),) * 5) for name, each in members.items()}
    verdict = independence(members, cycles)
    assert verdict.holds is True
    assert "CHiSM +0.00 (p = 1); with them: CRS -1.00" in verdict.detail


def test_row_length_tells_crs_from_jd():
    members = suite_of_rows()
    faster = {
        name: timing((100, round(100 * each.average_per_row), 1, 1, 1)) for name, each in members.items()
    }
    verdict = row_length(members, faster)
    assert verdict.holds is True
    assert verdict.detail == (
        "rank correlation of non-zeros a row and cycles of JD over those of CRS: +1.00 (p = 0) on 12 matrices"
    )
    slower = {
        name: timing((round(100 * each.average_per_row), 100, 1, 1, 1)) for name, each in members.items()
    }
    assert row_length(members, slower).holds is False
    assert row_length(members, {}).holds is None


def test_exceptions_are_rare_up_to_one_in_twenty():
    usual = {f"m{k}": timing() for k in range(19)}
    assert exceptions(usual | {"low": timing((500, 110, 150, 120, 100))}).holds is True
    verdict = exceptions(
        usual | {"low": timing((500, 110, 150, 120, 100)), "m0": timing((110, 9, 9, 120, 1))}
    )
    assert (verdict.holds, verdict.detail) == (False, "2 of 20 matrices: m0, low")
    assert exceptions({}).holds is None
