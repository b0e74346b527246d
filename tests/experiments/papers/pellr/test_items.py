"""The items of the PELLR paper: made from results, or without any."""

from dataclasses import replace

import pytest
from pellr_cases import MATRICES, records, refused, results

from experiments.papers.kit.registry import chosen, reproduce
from experiments.papers.kit.request import Request
from experiments.papers.pellr import claims, example, figures, structure
from experiments.papers.pellr.paper import PAPER
from experiments.report.folder import files_of
from vecsim.machine import load_machine

FASTEST = "fastest of all formats, % of matrices (over 70, “most cases” in Figure 12); as they are"
MACHINE = load_machine("vs2003")


def speeds(**special):
    return results(records=records(**special))


def verdict(item, text):
    return next(each for each in item.verdicts if text in each.claim)


def claim(item, label, quantity="f64"):
    return next(row for row in item.rows if row.row.startswith(label) and row.quantity == quantity)


def test_every_declared_item_is_made_with_its_name():
    for experiment in PAPER.experiments:
        assert experiment.make(speeds()).name == experiment.name


@pytest.mark.nightly
def test_the_whole_report_from_a_file(tmp_path):
    path = tmp_path / "r.json"
    path.write_bytes(results().to_json())
    report = reproduce(chosen(["pellr"]), Request(MACHINE, recorded={PAPER.recorded_kind: path}))
    assert not any(item.faults for item in report.items)
    files = files_of(report)
    names = {experiment.name for experiment in PAPER.experiments}
    for name in names:
        assert {f"{name}.csv", f"{name}.md"} <= set(files)
    for name in names - {"pellr-claims"}:
        assert files[f"{name}.png"].startswith(b"\x89PNG")
        assert b"<svg" in files[f"{name}.svg"]
    page = files["report.html"].decode()
    assert page.count("data:image/svg+xml") >= len(names) - 1
    assert "a GPU" in page
    assert {"pellr-matrices.csv", "pellr-times.csv"} <= set(files)


def test_claims_are_compared_with_what_was_measured():
    item = claims.make(speeds(memplus_biell=0.8, made_ellr=2.0))
    assert claim(item, "over ELLR, sigma > 10; as they are").ours == pytest.approx(1.5)
    assert claim(item, "over ELLR, sigma > 10; generated").ours == pytest.approx(2)
    assert claim(item, "over BiELL on memplus; as they are").ours == pytest.approx(0.8)
    assert claim(item, "over HYB, sigma < 10; stand-ins as they are").note == "even, lnsp_131"
    assert claim(item, "over HYB's ELL part alone, sigma < 10; as they are").ours == pytest.approx(0.9)
    assert claim(item, "faster than BiJAD, % of matrices (15 of 20); as they are").ours == 100
    assert claim(item, FASTEST).ours == 0


def test_a_number_counts_once():
    item = claims.make(speeds())
    counted = [row for row in item.rows if row.outcome and not row.implied]
    assert (
        len({row.row for row in counted})
        == len(counted)
        == sum(c.counts and bool(c.printed) for c in claims.CLAIMS)
    )
    assert {row.quantity for row in counted} == {"f64"}
    lost = claim(item, "over ELLR on lnsp3937")
    assert (lost.outcome, lost.ours) == ("not testable", None)
    stand_in = claim(item, "over ELLR on lnsp3937; stand-ins as they are")
    assert (stand_in.paper, stand_in.ours) == ("", pytest.approx(1.5))
    for number in figures.RATIO_FIGURES:
        assert all(row.implied for row in figures.ratio_item(speeds(), number).rows)


def test_a_number_on_which_the_types_disagree_is_not_testable(monkeypatch):
    share = next(each for each in claims.CLAIMS if each.method == "biell" and each.measure == "share")
    monkeypatch.setattr(claims, "CLAIMS", (replace(share, printed="33"),))
    actual = tuple(
        replace(each, median_us=1e6) if (each.method, each.dtype) == ("biell", "float64") else each
        for each in records(even_biell=4.0)
    )
    item = claims.make(results(records=actual))
    row = claim(item, share.words, "either type")
    assert (row.paper, row.outcome, row.implied) == ("33", "not testable", False)
    assert claim(item, f"{share.words}; as they are").implied
    agreed = claims.make(speeds(even_biell=4.0))
    assert not claim(agreed, f"{share.words}; as they are").implied


def test_a_ratio_of_times_of_another_gpu_is_not_testable():
    row = claim(claims.make(speeds(memplus_biell=0.82)), "over BiELL on memplus; as they are")
    assert (row.paper, row.ours, row.outcome) == ("0.8172", pytest.approx(0.82), "not testable")


def test_the_highest_ratio_names_its_matrix():
    item = claims.make(speeds(even_bijad=1.4))
    assert claim(item, "over BiJAD, highest ratio; as they are").note.endswith("the highest on even")


def test_means_have_their_leave_one_out_ranges():
    row = claim(claims.make(speeds(even_biell=4.0)), "over HYB, sigma < 10; stand-ins as they are")
    assert row.without_one == (pytest.approx(2), pytest.approx(2))
    wins = claim(
        claims.make(speeds(even_biell=4.0)), "faster than BiELL, % of matrices (17 of 20); as they are"
    )
    assert (wins.ours, *wins.without_one) == (pytest.approx(100 / 3), 0, 50)


def test_pellr_is_the_fastest_where_it_is():
    item = claims.make(speeds(**{f"{m.name}_biell": 1.2 for m in MATRICES if m.name != "even"}))
    fastest = claim(item, FASTEST)
    assert fastest.ours == pytest.approx(200 / 3)
    faster = claim(item, "faster than BiELL, % of matrices (17 of 20); as they are")
    assert faster.ours == pytest.approx(200 / 3)


def test_verdicts_on_figure_6():
    item = figures.ratio_item(speeds(), 6)
    assert verdict(item, "for all, or almost all, matrices").holds is True
    assert verdict(item, "no obvious advantage").holds is False
    assert verdict(item, "4.5 of lnsp3937 comes of").holds is False
    slower = figures.ratio_item(speeds(even_ellr=0.9, made_ellr=1.2), 6)
    of_all = verdict(slower, "for all, or almost all, matrices")
    assert of_all.holds is False
    assert "0.90 (even)" in of_all.detail
    assert "repeated (holds): f64 1.50" in of_all.detail
    assert verdict(slower, "no obvious advantage").holds is True


@pytest.mark.parametrize(("iterations", "holds"), [(1000, None), (2000, False), (500, True)])
def test_the_reason_for_memplus_is_judged_by_formula_1(iterations, holds):
    from dataclasses import replace

    large = {} if holds is None else {"sigma": 15.0, "iterations": {"ellr": 3000, "pellr": iterations}}
    changed = tuple(replace(each, **large) if each.name == "even" else each for each in MATRICES)
    figure = figures.ratio_item(results(matrices=changed), 6)
    assert verdict(figure, "Sorting helps memplus little").holds is holds


def test_the_printed_number_stands_next_to_the_matrix_itself_alone():
    printed = {row.row: row.paper for row in figures.ratio_item(speeds(), 6).rows if row.paper}
    assert printed == {"memplus": "1.1"}


def test_what_is_cut_is_said():
    actual = results(records=refused(records(), "memplus", "pellr"))
    notes = {row.row: row.note for row in figures.ratio_item(actual, 6).rows}
    assert "both cut: one slice would take over 6 GB" in notes["memplus"]
    assert "both cut" not in notes["even"]
    assert "0.6 waves" in notes["even"]


def test_verdicts_on_the_other_figures():
    actual = speeds(**{"memplus_hyb-third": 0.7, "memplus x 4_hyb-third": 0.7, "even_hyb-third": 4.0})
    hyb = figures.ratio_item(actual, 8)
    assert verdict(hyb, "On memplus PELLR is slower than HYB").holds is True
    assert verdict(hyb, "advantage over HYB falls as sigma grows").holds is None
    assert verdict(hyb, "HYB loses by its coordinates").holds is None
    assert verdict(hyb, "coordinates of HYB matter less").holds is None
    assert "HYB over its ELL part: 3.14" in verdict(hyb, "coordinates of HYB matter less").detail
    biell = figures.ratio_item(actual, 9)
    assert verdict(biell, "On lnsp3937 and mhd4800b").holds is None
    assert "stand-ins as they are: f64 0.50" in verdict(biell, "On lnsp3937 and mhd4800b").detail
    assert verdict(biell, "first warp").detail == "the longest warp takes 40 with PELLR, 9 with BiELL"
    bijad = figures.ratio_item(actual, 10)
    assert verdict(bijad, "nearest of the compared").holds is True
    four = figures.speed_item(actual, 11)
    assert verdict(four, "faster than HYB in most cases").holds is None
    assert verdict(four, "HYB is the fastest of the four only on memplus").holds is None
    everything = figures.speed_item(actual, 12)
    assert verdict(everything, "CSRV is slower than cuCSR").holds is False
    assert verdict(everything, "JAD pads less than ELL and is faster").holds is False
    assert verdict(everything, "BiJAD is faster than JAD").holds is True
    assert verdict(everything, "ELL is slow where rows differ").holds is False
    assert verdict(everything, "CSRV and cuCSR depends on the mean").holds is None
    assert verdict(everything, "HYB is the fastest of all on memplus").holds is None
    assert verdict(everything, "Texture memory").holds is None


def test_verdicts_are_judged_on_the_matrices_as_they_are():
    actual = speeds(**{f"{m.name}_hyb-third": 0.5 for m in MATRICES if m.group in ("filled", "generated")})
    advantage = verdict(figures.ratio_item(actual, 8), "significant advantage over HYB")
    assert advantage.holds is None
    assert "repeated (does not hold)" in advantage.detail
    slower = verdict(figures.ratio_item(speeds(even_ellr=0.9, made_ellr=1.2), 6), "almost all, matrices")
    assert "repeated (holds)" in slower.detail
    only_repeated = results(matrices=tuple(m for m in MATRICES if m.group == "filled"))
    assert verdict(figures.ratio_item(only_repeated, 8), "significant advantage").holds is None


@pytest.mark.parametrize(
    ("hyb", "ell", "holds"), [(0.8, 0.5, True), (2.0, 1.5, False), (2.0, 0.5, None), (2.0, None, None)]
)
def test_a_claim_on_hyb_holds_with_any_cost_of_its_coordinates(hyb, ell, holds):
    from dataclasses import replace

    parts = {} if ell is None else {"ell_launches": 60 * ell}
    actual = tuple(
        replace(each, parts=parts | ({"ell_launches": 100 * ell} if each.dtype == "float64" and ell else {}))
        if each.method == "hyb-third"
        else each
        for each in records(**{"memplus_hyb-third": hyb})
    )
    figure = figures.ratio_item(results(records=actual), 8)
    assert verdict(figure, "On memplus PELLR is slower than HYB").holds is holds


def test_no_number_over_hyb_is_tested():
    rows = [row for row in claims.make(speeds()).rows if row.row.startswith("over HYB, sigma") and row.paper]
    assert [(row.outcome, row.implied) for row in rows] == [("not testable", False)] * 2
    (memplus,) = (r for r in claims.make(speeds()).rows if r.row == "over HYB on memplus")
    assert memplus.implied


def test_every_claim_is_made_once():
    items = [experiment.make(speeds()) for experiment in PAPER.experiments]
    made = [each.claim for item in items for each in item.verdicts]
    assert len(made) == len(set(made))
    assert not any("goal" in each.lower() for each in made)


def test_the_example_and_what_the_device_counted():
    item = example.make(speeds())
    printed = {row.quantity: row.outcome for row in item.rows if row.paper}
    assert printed == dict.fromkeys(("ELLPACK-R", "PELLR", "BiJAD"), "confirmed")
    assert {row.kind for row in item.rows if row.paper} == {"decoded"}
    assert verdict(item, "BiELL takes fewer").detail == "fewer on 5, as many on 0 of 5"
    assert verdict(item, "BiJAD may pad less").holds is False
    assert verdict(item, "COO takes more").holds is True
    assert verdict(item, "many iterations less than ELL").detail.startswith("times as many with ELL: 6.09")
    assert verdict(item, "two arrays more than ELL").holds is True
    assert verdict(item, "N_w row lengths are enough").holds is True
    assert verdict(item, "work of the example").holds is False
    assert verdict(item, "that warps take on the GPU").detail == "equal in all 10 counts on the device"
    from dataclasses import replace

    wrong = (replace(MATRICES[0], counted={"ellr": 2999}), *MATRICES[1:])
    item = example.make(results(matrices=wrong))
    assert verdict(item, "that warps take on the GPU").holds is False


def test_the_structure_of_memplus():
    item = structure.make(speeds())
    assert {(row.row, row.quantity, row.paper, row.ours) for row in item.rows} == {
        ("memplus", "sigma", "22", 22.04),
        ("memplus", "mean", "7.1", 10.0),
        ("memplus", "longest - shortest", "572", 573.0),
    }
    # 64 and more entries are the bins from the eighth on: none in these.
    assert verdict(item, "Only few rows").detail.startswith("0 of 6,000 rows have 64 or more")
    assert verdict(item, "Many dots").holds is True


def test_statistics_of_stand_ins_are_not_those_of_the_paper():
    from dataclasses import replace

    changed = replace(MATRICES[1], printed={"sigma": 3.1})
    (row,) = (row for row in structure.make(results(matrices=(changed,))).rows)
    assert (row.row, row.paper, row.ours, row.outcome) == ("lnsp3937", "3.1", None, "not testable")
    assert row.note.startswith("its stand-in lnsp_131 has 3.5;")


def test_wrong_and_missing_results_are_named():
    from dataclasses import replace

    actual = [*records()]
    actual[0] = replace(actual[0], error=0.5)
    actual[5] = replace(actual[5], status="failed", reason="no memory", median_us=None, error=None)
    item = figures.ratio_item(results(records=tuple(actual)), 6)
    assert item.faults == ("csrs on memplus, float64: relative error 5.0e-01",)
    assert "Not measured: lost: no file" in item.gaps
    assert any("jad on memplus (no memory)" in gap for gap in item.gaps)
