"""The study of a million machines: its machines, what explains a variance, and what is recorded."""

import re
from pathlib import Path

import numpy as np
import pytest

import experiments.papers.hism.calibration.__main__ as calibration
import experiments.whatif.which_format.__main__ as which_format
from experiments.made_by import SAMPLE
from experiments.papers.hism.assignment import options_of_the_paper
from experiments.papers.hism.timing import METHODS
from experiments.whatif.which_format.__main__ import COMMAND
from experiments.whatif.which_format.machines import (
    EACH,
    FIELDS,
    FREE,
    MATRICES,
    PARAMETERS,
    SIZES,
    cycles_on,
    digest_of_sample,
    draw,
)
from experiments.whatif.which_format.results import ALL, RATIOS, TABLES, chart, explained, recorded, tables
from experiments.whatif.which_format.section import section
from programs.measurement import measure
from vecsim.data import load
from vecsim.machine import Machine, load_machine

DOCS = Path(__file__).parents[3] / "docs"
PAGE = DOCS / "papers" / "many-machines-study.md"


def machine_of(places):
    table = load_machine("vs2003").model_dump()
    for (name, values), place in zip(PARAMETERS.items(), places, strict=True):
        for field in FIELDS.get(name, (name,)):
            *path, last = field.split(".")
            inner = table
            for part in path:
                inner = inner[part]
            inner[last] = values[place]
    return Machine.model_validate(table)


def test_cycles_are_those_of_the_engine_for_one_machine():
    places, options = draw(1), options_of_the_paper()
    few = places[[0, 37, 79]]
    cycles = cycles_on("laplace2d-5", few, each=1)
    for column, of in enumerate(few):
        for row, program in enumerate(METHODS):
            alone = measure(program, "laplace2d-5", machine_of(of), options=options[program])
            assert alone.cycles == cycles[row, column]


def test_every_combination_of_sizes_has_as_many_machines():
    places = draw(2)
    combinations, counts = np.unique(places[:, : len(SIZES)], axis=0, return_counts=True)
    assert len(combinations) == np.prod([len(values) for values in SIZES.values()])
    assert set(counts) == {2}
    assert (places[:, len(SIZES) :].max(axis=0) == [len(values) - 1 for values in FREE.values()]).all()


def test_a_parameter_explains_what_its_means_vary():
    places = np.array([0, 0, 1, 1], np.int8)
    assert explained(np.array([1.0, 1.0, 3.0, 3.0]), places) == pytest.approx(1)
    assert explained(np.array([1.0, 3.0, 1.0, 3.0]), places) == pytest.approx(0)
    assert explained(np.array([0.0, 2.0, 2.0, 4.0]), places) == pytest.approx(0.5)


def test_tables_count_machines():
    """JD is fastest on a quarter of them, and CHiSM that ties with HiSM is not counted."""
    cycles = np.full((len(METHODS), 80), 100)
    cycles[list(METHODS).index("jd"), :20] = 25
    cycles[3:, 20:] = 50
    of = tables({"laplace2d-5": cycles}, draw(1))
    head, first, *_ = of["wins"]
    assert dict(zip(head, first, strict=True)) == {
        "matrix": "laplace2d-5", "parameter": ALL, "value": ALL,
        "CRS": "0.00", "JD": "25.00", "BBCS": "0.00", "HiSM": "75.00", "CHiSM": "0.00",
    }  # fmt: skip
    row = dict(zip(of["ratios"][0], of["ratios"][2], strict=True))
    faster = row["HiSM faster, per cent of machines"]
    assert (row["ratio"], row["50 %"], faster) == ("JD / HiSM", "2.000", "75.00")


def test_what_is_recorded_is_whole():
    assert {row["matrix"] for row in recorded("wins")} == {*MATRICES, ALL}
    for row in recorded("wins"):
        assert sum(float(row[name]) for name in METHODS.values()) == pytest.approx(100, abs=0.05)
    for row in recorded("variance"):
        assert 0 <= sum(float(row[name]) for name in PARAMETERS) <= 100.1
    assert len(recorded("ratios")) == len(MATRICES) * len(RATIOS)
    assert len(TABLES) == 4
    panels = chart(recorded("wins")).panels
    assert panels[0].categories == MATRICES
    assert all(panel.title in PARAMETERS for panel in panels[1:])


def test_what_is_recorded_was_timed_as_machines_are_timed_now():
    recorded_digest = {row["what"]: row["which"] for row in recorded("provenance")}[SAMPLE]
    assert digest_of_sample() == recorded_digest, (
        f"timing has changed: run {' '.join(COMMAND)} FOLDER, and put its files in the place of the recorded "
        "ones"
    )


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are not next to the tests")
def test_the_page_shows_the_recorded_tables():
    """``python -m experiments.whatif.which_format`` prints them."""
    text = PAGE.read_text(encoding="utf-8")
    assert section() in text
    assert f"{EACH * 80:,} machines" in text
    for matrix in MATRICES:
        assert re.search(rf"`{matrix}`, {load(matrix).csr.nnz:,}\b", " ".join(text.split()))
    assert "(../pictures/study-which-format.png)" in text
    assert (DOCS / "pictures" / "study-which-format.png").is_file()


def test_a_folder_that_cannot_be_made_ends_in_a_line_before_the_work(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").touch()
    for command, arguments in ((which_format, []), (calibration, ["machines"])):
        monkeypatch.setattr("sys.argv", ["it", *arguments, str(tmp_path / "file" / "folder")])
        with pytest.raises(SystemExit, match="2"):
            command.main()
        assert capsys.readouterr().err.endswith("cannot be made: Not a directory; choose another place\n")
