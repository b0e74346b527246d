"""What the paper says of many matrices, on suites worked by hand."""

import pytest
from suite_cases import member

from experiments.papers.hism.suite_claims import bbcs_traffic, cache_traffic, exceptions, independence
from experiments.papers.hism.timing import METHODS, Timing


def timing(cycles=(500, 400, 150, 120, 100), moved=(500, 400, 150, 120, 100)):
    """Cycles and bytes of CRS, JD, BBCS, HiSM, CHiSM on one matrix."""
    return {p: Timing(p, c, 1, b, 0.0) for p, c, b in zip(METHODS, cycles, moved, strict=True)}


def test_chism_moves_more_on_very_small_matrices_and_less_on_others():
    timings = {
        "tiny": timing(moved=(1, 1, 1, 100, 300)),
        "one level": timing(moved=(1, 1, 1, 100, 100)),
        "large": timing(moved=(1, 1, 1, 100, 80)),
    }
    small, others = cache_traffic({"tiny": 1000, "one level": 10, "large": 1001}, timings)
    assert (small.holds, others.holds) == (True, True)
    assert small.detail == (
        "bytes moved by CHiSM over those of HiSM: 2.00 on average of 2 matrices, fewer on 0"
    )
    small, others = cache_traffic({"tiny": 1001, "one level": 10, "large": 1001}, timings)
    assert (small.holds, others.holds) == (False, False)  # 1 is not more; 1.9 is not less
    assert [each.holds for each in cache_traffic({}, {})] == [None, None]


@pytest.mark.parametrize(("bbcs", "holds"), [(150, True), (450, False), (600, False)])
def test_bbcs_moves_less_than_crs_and_jd(bbcs, holds):
    (verdict,) = bbcs_traffic({"a": timing(moved=(500, 400, bbcs, 1, 1))})
    assert verdict.holds is holds


def test_row_lengths_matter_if_cycles_a_non_zero_follow_them():
    members = {f"m{k}": member(f"m{k}", size=100 * k, average_per_row=float(k)) for k in range(1, 9)}
    same = {name: timing(tuple(each.size * c for c in range(5, 0, -1))) for name, each in members.items()}
    assert independence(members, same).holds is True
    follows = same | {}
    for name, each in members.items():
        cycles = [5 * each.size, 4 * each.size, 3 * each.size, 2 * each.size, 100]  # CHiSM: 1 / k a non-zero
        follows[name] = timing(tuple(cycles))
    verdict = independence(members, follows)
    assert verdict.holds is False
    assert "CHiSM -1.00" in verdict.detail
    assert independence(members, {"m1": same["m1"]}).holds is None


def test_exceptions_are_rare_up_to_one_in_twenty():
    usual = {f"m{k}": timing() for k in range(19)}
    assert exceptions(usual | {"low": timing((500, 110, 150, 120, 100))}).holds is True
    verdict = exceptions(
        usual | {"low": timing((500, 110, 150, 120, 100)), "m0": timing((110, 9, 9, 120, 1))}
    )
    assert (verdict.holds, verdict.detail) == (False, "2 of 20 matrices: m0, low")
    assert exceptions({}).holds is None
