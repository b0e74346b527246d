"""The pages of the papers, and README, say what the recorded results say."""

import json
import re
from functools import partial
from statistics import geometric_mean

import pytest

from docs.tables import hbp, hism, hisparse, layouts, marked, papers, pellr, reorder
from experiments.papers.hbp import results as hbp_results
from experiments.papers.hism import suite
from experiments.papers.hism.assignment import ASSIGNMENT
from experiments.papers.hism.figures import FIGURES
from experiments.papers.hism.suite.origin import needs_no_file
from experiments.papers.hism.table2 import PRINTED
from experiments.papers.hism.timing import METHODS
from experiments.papers.hism.unseen import NAME as UNSEEN_ITEM
from experiments.papers.hism.unseen import SUITE, UNSEEN
from experiments.papers.hisparse import results as hisparse_results
from experiments.papers.kit.source import recorded_results
from experiments.papers.layouts import claims as layout_claims
from experiments.papers.layouts import results as layout_results
from experiments.papers.layouts import tables
from experiments.papers.layouts.preferences import chosen
from experiments.papers.pellr import claims, results
from experiments.papers.pellr.wins import share_best
from experiments.report.agreement import outcome_of_number
from experiments.whatif.reorder.search import search
from programs.declaration import SCHEDULE
from programs.measurement import measure, prepare_product
from programs.registry import PROGRAMS
from vecsim.cli.commands.reorder import MATRICES
from vecsim.machine import load_machine

RECORDED = {
    hbp: partial(recorded_results, hbp_results.Results),
    hisparse: partial(recorded_results, hisparse_results.Results),
    pellr: partial(recorded_results, results.Results),
    layouts: partial(recorded_results, layout_results.Results),
    hism: hism.recorded_items,
    papers: papers.recorded_parts,
    reorder: reorder.recorded,
}
"""What loads the data of each module of docs.tables."""
VS2003 = load_machine("vs2003")
NAMES = {title: program for program, title in METHODS.items()}


@pytest.fixture(scope="module", params=list(RECORDED), ids=lambda module: module.NAME)
def paper(request):
    return request.param, RECORDED[request.param]()


@pytest.fixture(scope="module")
def of_pellr():
    return recorded_results(results.Results)


@pytest.fixture(scope="module")
def of_layouts():
    return recorded_results(layout_results.Results)


def outcomes(module, data):
    return {each.claim: each.holds for item in module._items(data) for each in item.verdicts}


def test_parts_of_pages_are_made_of_the_recorded_results(paper):
    module, data = paper
    wanted = set()
    for page in module.PAGES:
        text = page.read_text(encoding="utf-8")
        parts = set(marked.marked(text, module.NAME))
        assert text.count(f"<!-- {module.NAME} ") == 2 * len(parts)
        made = marked.rendered(text, module.NAME, module.PARTS_OF_PAGES, data)
        assert made == text, f"run python -m docs.tables.{module.NAME}"
        wanted |= parts
    assert wanted == set(module.PARTS_OF_PAGES)


def test_a_changed_number_is_noticed(of_pellr):
    page = pellr.PAGES[0].read_text(encoding="utf-8")
    changed = re.sub(r"(\| over ELLR on memplus; as they are, f64 \| 1\.1 \| )[\d.]+", r"\g<1>1.10", page)
    assert changed != page
    assert marked.rendered(changed, pellr.NAME, pellr.PARTS_OF_PAGES, of_pellr) == page


def test_the_text_on_pellr_says_what_the_numbers_say(of_pellr):
    rows = {(row.row, row.quantity): row for row in claims.make(of_pellr).rows}
    over_ellr = {part: rows[f"over ELLR, sigma > 10; {part}", "f64"] for part in results.PARTS.values()}
    assert {part: outcome_of_number("timed", 1.5, row.ours) for part, row in over_ellr.items()} == {
        "as they are": "contradicted",
        "repeated": "confirmed",
        "generated": "confirmed",
    }
    assert all(of_pellr.waves(matrix) < 1 for matrix in of_pellr.sets["alone"])
    assert len(of_pellr.sets["alone"]) == 20
    for part in ("as they are", "repeated"):
        assert rows[f"over HYB's ELL part alone, sigma < 10; {part}", "f64"].ours < 1
    wins = share_best(of_pellr, "alone", "float64")
    assert wins.of(results.PELLR) < 0.7 * 20 < wins.of("jad", "csrv") + wins.of("biell", "bijad") + 10
    assert wins.of("jad", "csrv") > 10
    by_warp = claims.mean_ratio(of_pellr.ratios(of_pellr.sets["filled"], results.BY_WARP, "float64"))
    assert abs(by_warp.value - 1) < 0.02
    assert sum(each.group == "stand-in" for each in of_pellr.sets["alone"]) == 7
    large = [each for each in of_pellr.sets["alone"] if each.sigma > 10]
    spared = {each.name: each.iterations["ellr"] / each.iterations["pellr"] for each in large}
    assert max(spared, key=lambda name: spared[name]) == "memplus"
    held = outcomes(pellr, of_pellr)
    assert held["The advantage over HYB falls as sigma grows"] is True
    assert held["On memplus PELLR is slower than HYB"] is True


def test_coordinates_cost_about_14_us(of_pellr):
    costs = sorted(
        record.median_us - record.parts["ell_launches"]
        for record in of_pellr.records
        if record.method == results.HYB
        and record.dtype == "float64"
        and record.median_us > 1.1 * record.parts["ell_launches"]
    )
    assert 13 < costs[len(costs) // 2] < 18
    times = [of_pellr.time(each, results.PELLR, "float64") for each in of_pellr.sets["alone"]]
    assert sum(time < 14 for time in times) > 10


def test_the_text_on_layouts_says_what_the_numbers_say(of_layouts):
    for entry in layout_claims.ENTRIES:
        for dtype in layout_results.REALS:
            paper, ours = (
                layout_claims.mean_ratio(of_layouts.gains(entry, dtype, scope, large=True)).value
                for scope in layout_results.SCOPES
            )
            assert paper > ours
    for dtype in layout_results.REALS:
        ratios = of_layouts.speedups("complex", dtype, "", layout_results.PAPERS.joint, large=True)
        assert min(ratios.values()) > 1
        assert len(ratios) >= 3
    assert tables._most_on("GP100") == 2.09
    held = outcomes(layouts, of_layouts)
    assert held["ELLPACK-R is preferred for all quaternionic matrices (5.2)"] is False
    outer = {each.best.rsplit("-", 2)[0] for each in chosen(of_layouts, "quaternion")}
    assert outer <= {"sliced-16", "sliced-32"}
    shares = [
        share
        for entry in layout_claims.ENTRIES
        for dtype in layout_results.REALS
        for share in of_layouts.shares(entry, dtype, large=True).values()
    ]
    assert max(shares) > 100


def test_recorded_times_of_the_hism_paper_are_those_of_this_code():
    """Of the members that need no file; the others are compared where the suite is."""
    items = {item.name: item for item in hism.recorded_items()}
    members = {member.name: member for member in suite.members()}
    checked = 0
    for row in (row for number in FIGURES for row in items[f"hism-fig{number}"].rows):
        member = members.get(row.row)
        if member is None or not any(map(needs_no_file, member.origins)) or member.size > 25_000:
            continue
        csr, program = suite.load(member), NAMES[row.quantity]
        cycles = {
            name: measure(name, csr.astype("f4"), options=ASSIGNMENT[name]).cycles
            for name in {program, "chism"}
        }
        assert row.ours == pytest.approx(cycles[program] / cycles["chism"], rel=1e-9), row
        checked += 1
    assert checked >= len(METHODS)


def test_readme_quotes_the_averages_on_the_suite_and_on_other_matrices():
    text = " ".join((marked.ROOT / "README.md").read_text(encoding="utf-8").split())
    rows = hism.rows_of(hism.recorded_items(), UNSEEN_ITEM)
    for where, words in ((SUITE, "of its suite"), (UNSEEN, "other matrices")):
        off = [rows[f"{label}, {where}", "all"].difference_percent for label in PRINTED]
        least, most = (f"{round(each):+d}".replace("+0", "0") for each in (min(off), max(off)))
        assert f"{least} to {most} %" in text, (where, words)
    count = rows[f"{next(iter(PRINTED))}, {UNSEEN}", "all"].note.split()[0]
    assert f"{count} other matrices" in text


def test_readme_quotes_the_measured_speeds_of_a_gpu():
    text = " ".join((marked.ROOT / "README.md").read_text(encoding="utf-8").split())
    large, skewed = (
        json.loads((marked.ROOT / "benchmarks/results" / file).read_text())["records"]
        for file in ("gpu-nvidia-h200-2026-11-22.json", "skewed-nvidia-h200-2026-11-25.json")
    )
    wanted = ("large_structured", "float64", "spmv", "final", "warm")
    ratios = [
        each["ratio"]
        for each in large
        if tuple(each[name] for name in ("class", "dtype", "operation", "stage", "cache")) == wanted
        and each["ratio"] is not None
    ]
    gains = [
        min(m["us"] for m in each["methods"] if m["library"] != "vecsim")
        / min(m["us"] for m in each["methods"] if m["library"] == "vecsim")
        for each in skewed
        if (each["class"], each["dtype"]) == ("skewed", "float64")
    ]
    assert (
        f"{geometric_mean(ratios):.2f} times as fast as the best of cuSPARSE on {len(ratios)} large" in text
    )
    assert f"{geometric_mean(gains):.2f} times on {len(gains)} skewed" in text


@pytest.mark.ci
def test_a_search_finds_no_order_that_gains_more_than_2_per_cent():
    rows = {row[:3]: row.ratio for row in reorder.recorded()}
    cases = {
        (name, schedule, preset)
        for name, program in PROGRAMS.items()
        for schedule in SCHEDULE.values
        for preset in ("vs2003", "t0", "wide")
    }
    assert cases <= set(rows)
    assert min(rows.values()) >= 0.98
    prepared = [(prepare_product("bbcs", MATRICES[0], VS2003, options={"schedule": "plain"}), VS2003)]
    assert search(prepared, across=False).ratio >= 0.98  # of this code
