"""The page of the HBP paper says what the recorded results say."""

import pytest

from docs.tables import hbp, hbp_orders
from experiments.papers.hbp import combining, preparation, products
from experiments.papers.hbp.printed import ON_THE_4090, PREPROCESSING
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import id_of
from experiments.papers.kit.source import recorded_results
from gpu.hbp.container import BLOCK_ROWS


@pytest.fixture(scope="module")
def recorded():
    return recorded_results(Results)


@pytest.fixture(scope="module")
def page():
    return hbp.PAGES[0].read_text(encoding="utf-8")


def outcomes(item):
    return {each.claim: each.holds for each in item.verdicts}


def test_the_text_says_what_the_verdicts_say(recorded, page):
    text = " ".join(page.split())
    first = preparation.make(recorded).verdicts[0]
    assert first.holds is False
    assert f"puts the rows of blocks in order {PREPROCESSING['sort'][0]} times as fast as a sort" in text
    for kernel in ("probing-words", "probing"):
        assert max(preparation.times_longer(recorded, "sort", kernel, "order").values()) < 1
    combined = outcomes(combining.make(recorded))
    assert combined["The combine step grows faster than the product in blocks"]
    assert not combined["Adding sums to the result with atomics costs more than the combine step"]
    primary = (
        "On larger matrices (up to m7) the combine step is the primary factor that limits the 2D partition"
    )
    assert combined[primary] is False
    assert f"up to {max(each.nnz for each in recorded.matrices) / 1e6:.0f} million entries" in text
    slower = recorded.ratios(recorded.matrices, "crs-scalar", "float64", products.PUBLISHED)
    assert {name.partition("-")[0] for name, ratio in slower.items() if ratio < 1} == {"m3", "m10"}
    sizes = recorded.ratios(recorded.matrices, "hbp-probing-competitive", "float64", "hbp-probing")
    assert sum(ratio < 1 for ratio in sizes.values()) > len(sizes) / 2, "more competition helps more"


def test_the_least_bytes_of_an_order_are_those_of_the_blocks(recorded, page):
    (blocks,) = (each.blocks for each in recorded.blocks if each.matrix == hbp_orders.KRONECKER)
    assert blocks == hbp_orders.KRONECKER_BLOCKS
    moved = 8 * BLOCK_ROWS * blocks
    assert f"this is {moved / 1e6:.0f} MB, or {moved / 3.0e6:.0f} us at 3.0 TB/s" in " ".join(page.split())


def test_the_ten_matrices_are_all_but_the_kronecker_graphs(recorded):
    others = {id_of(each) for each in recorded.matrices if "kronecker" not in each.name}
    assert others == set(ON_THE_4090)
