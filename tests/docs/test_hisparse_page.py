"""The pages on the HiSparse paper say what the recorded results say."""

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


def test_the_text_says_what_the_results_and_kernels_are(recorded):
    page = " ".join(hisparse.PAGES[0].read_text(encoding="utf-8").split())
    assert f"measures with d = {NODE_SIZE}" in page
    saved = figure2.printed_savings("CSR").values()
    assert sum(saved) / len(saved) > LESS_THAN_CSR + 5, "save more than the 20 per cent of its text"
    assert len(recorded.of_the_paper) == 9 and "nine generated matrices" in page
    assert len(TRAVERSALS) == 3 and "Two more schedules" in page
    assert SIMULATED or f"| {ENOUGH} blocks of work" in page
