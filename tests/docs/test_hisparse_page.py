"""The pages on the HiSparse paper say what the recorded results say."""

import re

import pytest

from docs.tables import hisparse
from experiments.papers.hisparse import figure2
from experiments.papers.hisparse.methods import TRAVERSALS
from experiments.papers.hisparse.printed import LESS_THAN_CSR, NODE_SIZE
from experiments.papers.hisparse.results import Results
from experiments.papers.kit.source import recorded_results
from gpu.hisparse.traversal.scheduling import ENOUGH
from gpu.runtime.cuda import SIMULATED


@pytest.fixture(scope="module")
def recorded():
    return recorded_results(Results)


def test_tables_are_those_of_the_recorded_results(recorded):
    wanted = set()
    for path in hisparse.PAGES:
        text = path.read_text(encoding="utf-8")
        assert text.count("<!-- hisparse") == 2 * len(list(hisparse.marked(text)))
        assert hisparse.rendered(text, recorded) == text, "run python -m docs.tables.hisparse"
        wanted |= set(hisparse.marked(text))
    assert wanted == set(hisparse.TABLES)


def test_a_changed_number_is_noticed(recorded):
    page = hisparse.PAGES[0].read_text(encoding="utf-8")
    changed = re.sub(r"(\| cuSparse, SpMV, f64 \| 5\.79 \| [^|]* \| )[\d.]+", r"\g<1>5.79", page)
    assert changed != page
    assert hisparse.rendered(changed, recorded) == page


def test_the_text_says_what_the_results_and_kernels_are(recorded):
    page = " ".join(hisparse.PAGES[0].read_text(encoding="utf-8").split())
    assert f"measures with d = {NODE_SIZE}" in page
    saved = figure2.printed_savings().values()
    assert sum(saved) / len(saved) > LESS_THAN_CSR + 5, "save more than the 20 per cent of its text"
    assert len(recorded.of_the_paper) == 9 and "nine generated matrices" in page
    assert len(TRAVERSALS) == 3 and "Two more schedules" in page
    assert SIMULATED or f"| {ENOUGH} blocks of work" in page
