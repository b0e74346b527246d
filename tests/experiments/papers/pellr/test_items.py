"""The items of the PELLR paper: made from results, or without any."""

import pytest
from pellr_cases import MATRICES, records, refused, results

from experiments.papers.kit.registry import chosen, reproduce
from experiments.papers.kit.request import Request
from experiments.papers.pellr import claims, example, figures, structure
from experiments.papers.pellr.paper import PAPER
from experiments.report.folder import files_of
from vecsim.machine import load_machine

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


@pytest.mark.ci
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
    assert claim(item, "over HYB, sigma < 10; as they are").note == "even, lnsp_131"
    assert claim(item, "faster than BiJAD, % of matrices (15 of 20); as they are").ours == 100
    assert claim(item, "fastest of all formats, % of matrices; as they are").ours == 0
    assert claim(item, "fastest of all formats, % of matrices; generated", "f32").ours == 0
    printed = [(row.row.partition(";")[0], row.paper) for row in item.rows]
    assert len(set(printed)) == len(claims.CLAIMS) == 13


def test_pellr_is_the_fastest_where_it_is():
    item = claims.make(speeds(**{f"{m.name}_biell": 1.2 for m in MATRICES if m.name != "even"}))
    assert claim(item, "fastest of all formats, % of matrices; as they are").ours == pytest.approx(200 / 3)
    assert claim(item, "faster than BiELL, % of matrices (17 of 20); as they are").ours == pytest.approx(
        200 / 3
    )


def test_verdicts_on_figure_6():
    item = figures.ratio_item(speeds(), 6)
    assert verdict(item, "for all matrices (as they are)").holds is True
    assert verdict(item, "about 1.5 times faster (generated)").holds is True
    assert verdict(item, "no obvious advantage (as they are)").holds is False
    assert verdict(item, "On lnsp3937 4.5").holds is False
    assert verdict(item, "at least 1.3").holds is True
    slower = figures.ratio_item(speeds(even_ellr=0.9, made_ellr=1.2), 6)
    assert verdict(slower, "for all matrices (as they are)").holds is False
    assert "0.90 (even)" in verdict(slower, "for all matrices (as they are)").detail
    assert verdict(slower, "no obvious advantage (as they are)").holds is True
    assert verdict(slower, "at least 1.3").holds is False


def test_the_printed_number_stand_next_to_the_matrix_itself_alone():
    printed = {row.row: row.paper for row in figures.ratio_item(speeds(), 6).rows if row.paper}
    assert printed == {"memplus": "1.1"}


def test_what_is_cut_is_said():
    actual = results(records=refused(records(), "memplus", "ellr"))
    notes = {row.row: row.note for row in figures.ratio_item(actual, 6).rows}
    assert "ELLR cut into slices" in notes["memplus"]
    assert "ELLR cut" not in notes["even"]
    assert "0.6 waves" in notes["even"]


def test_verdicts_on_the_other_figures():
    actual = speeds(**{"memplus_hyb-third": 0.7, "memplus x 4_hyb-third": 0.7, "even_hyb-third": 4.0})
    hyb = figures.ratio_item(actual, 8)
    assert verdict(hyb, "On memplus HYB is faster").holds is True
    assert verdict(hyb, "advantage falls as sigma grows (as they are)").holds is True
    biell = figures.ratio_item(actual, 9)
    assert verdict(biell, "in most cases (17 of 20) (as they are)").holds is False
    assert verdict(biell, "in most cases (17 of 20) (as they are)").detail.startswith("f64: 0 of 3")
    bijad = figures.ratio_item(actual, 10)
    assert verdict(bijad, "nearest of the compared (as they are)").holds is True
    assert verdict(bijad, "highest ratio").holds is True
    four = figures.speed_item(actual, 11)
    assert verdict(four, "HYB is the fastest of the four only on memplus (as they are, f64)").holds is False
    everything = figures.speed_item(actual, 12)
    assert verdict(everything, "over 70 %").holds is False
    assert verdict(everything, "CSRV is slower than cuCSR").holds is False


def test_the_example_and_what_the_device_counted():
    item = example.make(speeds())
    assert verdict(item, "18 iterations with ELLR and 14").holds is True
    assert verdict(item, "work of the example").holds is False
    assert verdict(item, "that warps take on the GPU").detail == "equal in all 10 counts on the device"
    from dataclasses import replace

    wrong = (replace(MATRICES[0], counted={"ellr": 2999}), *MATRICES[1:])
    item = example.make(results(matrices=wrong))
    assert verdict(item, "that warps take on the GPU").holds is False


def test_the_structure_of_memplus():
    item = structure.make(speeds())
    assert {(row.quantity, row.paper) for row in item.rows} == {
        ("sigma", "22"),
        ("mean", "7.1"),
        ("longest - shortest", "572"),
    }
    # 64 and more entries are the bins from the eighth on: none in these.
    assert verdict(item, "Only few rows").detail.startswith("0 of 6,000 rows have 64 or more")
    assert verdict(item, "Many dots").holds is True


def test_wrong_and_missing_results_are_named():
    from dataclasses import replace

    actual = [*records()]
    actual[0] = replace(actual[0], error=0.5)
    actual[3] = replace(actual[3], status="failed", reason="no memory", median_us=None, error=None)
    item = figures.ratio_item(results(records=tuple(actual)), 6)
    assert item.faults == ("csrv on memplus, float64: relative error 5.0e-01",)
    assert "Not measured: lost: no file" in item.gaps
    assert any("jad on memplus (no memory)" in gap for gap in item.gaps)
