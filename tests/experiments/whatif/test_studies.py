"""The studies: their specifications, what is recorded of them, and the sentences on the page."""

import re
import runpy
from dataclasses import replace
from pathlib import Path

import pytest

import vecsim
from experiments.whatif.explain.cells import read_cells
from experiments.whatif.studies import STUDIES, conclusions, recorded, remarks, specification, summary, varied
from experiments.whatif.sweep import sweep
from vecsim.cli import main

DOCS = Path(__file__).parents[3] / "docs"
PAGE = DOCS / "studies.md"


@pytest.mark.parametrize("name", STUDIES)
def test_the_page_says_what_the_numbers_say(name):
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"`vecsim sweep {name}`" in page
    for sentence in conclusions(name):
        assert sentence in page


def test_every_picture_of_the_pages_is_there_and_made_by_the_script():
    built = runpy.run_path(str(DOCS / "pictures" / "make_studies.py"))
    names = {built["picture"](study, name) for study, several in built["SHOWN"].items() for name in several}
    pages = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("studies.md", "what-if.md"))
    assert set(re.findall(r"\(pictures/(study-[^)]*)\)", pages)) == names
    assert all((DOCS / "pictures" / name).is_file() for name in names)


@pytest.mark.parametrize("name", STUDIES)
def test_a_mean_is_recorded_for_every_value(name):
    spec = specification(name)
    keys = {
        (message, str(value), program)
        for message, what in varied(name)
        for value in spec.factors[what]
        for program in spec.programs
    }
    assert set(recorded(name)) == keys
    assert all(mean > 0 for mean in recorded(name).values())


def test_conclusions_are_made_of_the_numbers():
    changed = {key: 2 * mean for key, mean in recorded("section-size").items()}
    assert conclusions("section-size", changed) != conclusions("section-size")


def test_a_part_of_a_study_gives_the_same_cells(tmp_path):
    """Compare one matrix and one value of everything with single runs."""
    spec = specification("sparse-unit")
    few = replace(
        spec,
        matrices=("pde225",),
        programs=("chism",),
        set={name: values[:1] for name, values in spec.set.items()},
    )
    table = sweep(few, store=tmp_path / "store", jobs=1)
    caches = ["whole", "cleared", "rows", "cleared_rows"]
    assert table.columns["option.chism.cache"] == caches
    machine = vecsim.load_machine("vs2003", few.points()[0].machine)
    for cache, cycles in zip(caches, table.columns["cycles"], strict=True):
        assert vecsim.measure("chism", "pde225", machine, options={"cache": cache}).cycles == cycles


@pytest.mark.nightly
@pytest.mark.parametrize("name", STUDIES)
def test_a_study_gives_what_is_recorded(name, tmp_path):
    out, store = str(tmp_path / "out"), str(tmp_path / "store")
    assert main(["sweep", name, "--out", out, "--store", store]) == 0
    cells = read_cells(tmp_path / "out")
    actual = summary(name, cells)
    assert set(remarks(cells)) <= set(conclusions(name))
    assert actual == recorded(name)
