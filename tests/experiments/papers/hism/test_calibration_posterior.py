"""A million machines against the paper: the sample, what is timed, and what is recorded of it."""

from pathlib import Path

import numpy as np
import pytest

from experiments.made_by import SAMPLE
from experiments.papers.hism.calibration import posterior
from experiments.papers.hism.calibration.__main__ import COMMAND
from experiments.papers.hism.calibration.choices import (
    CHOICES,
    FACTS,
    fixed_cycles_of,
    machine_of,
    measured,
    options_of,
)
from experiments.papers.hism.calibration.findings import findings
from experiments.papers.hism.calibration.headings import STATES
from experiments.papers.hism.calibration.many_machines import (
    EACH,
    FAMILIES,
    cycles_of,
    digest_of_sample,
    draw,
    is_free,
)
from experiments.papers.hism.calibration.posterior_tables import KNOWN, NEAREST
from experiments.papers.hism.recorded_calibration import rows
from experiments.papers.hism.table2 import PRINTED
from experiments.papers.hism.timing import METHODS
from programs.measurement import measure
from vecsim.data import load
from vecsim.engines.many.batch import numbers_of, sizes_of
from vecsim.machine import load_machine

VS2003 = load_machine("vs2003")
PAGE = Path(__file__).parents[4] / "docs" / "papers" / "calibration.md"


def test_a_machine_drawn_is_the_one_that_its_choices_make():
    sample = draw(VS2003, families=5, each=3, seed=1)
    for member in range(15):
        machine = sample.machine(member, VS2003)
        assert (sample.numbers(np.array([member])) == numbers_of([machine])).all()
        assert sizes_of(machine) == sizes_of(sample.families[member // 3].machine)
    held = [place for place, choice in enumerate(sample.choices) if not is_free(choice)]
    of = sample.values.reshape(5, 3, -1)
    assert (of[:, :, held] == of[:, :1, held]).all()
    assert len(np.unique(sample.values, axis=0)) == 15


def test_only_what_cannot_be_timed_together_is_left_out():
    kept = {choice.name: choice for choice in draw(VS2003, families=1, each=1).choices}
    assert {choice.name for choice in CHOICES} - set(kept) == {"memory ports"}
    assert all(
        len(kept[choice.name].values) == len(choice.values) for choice in CHOICES if choice.name in kept
    )


def test_cycles_are_those_of_the_engine_for_one_machine():
    matrix, sample = load("laplace2d-5"), draw(VS2003, families=3, each=2, seed=4)
    members = np.array([0, 3, 4, 5])
    cycles = cycles_of(sample, matrix.csr.astype(np.float64), members)
    for column, member in enumerate(members):
        family, fixed = sample.families[member // 2], sample.fixed_cycles(members[column : column + 1])[0]
        for row, variant in enumerate(family.variants):
            machine = sample.machine(member, VS2003)
            alone = measure(variant.program, matrix, machine, options=dict(variant.options))
            assert alone.cycles + fixed == cycles[row, column]


def test_a_machine_fits_if_each_average_is_within_its_spread():
    spread = np.log1p(posterior.spread())
    away = np.column_stack([spread, 1.01 * spread, -spread, 0 * spread])
    assert posterior.fits(away, 1).tolist() == [True, False, True, True]
    assert posterior.fits(away, 2).all()
    away[3, 3] = 1.0
    assert not posterior.fits(away, 2)[3]


def test_a_prediction_finds_the_matrix_that_the_averages_follow():
    random = np.random.default_rng(1)
    cycles = random.integers(1000, 9000, (4, len(METHODS), 400))
    weights = np.array([0.0, 0.0, 1.0, 0.0])
    first, *_ = posterior.predictions(cycles, list("abcd"), weights, list("abc"), 4)
    assert first.names == ("c",)
    assert first.error.max() < 1e-6
    wanted = posterior.differences(posterior.average_times(cycles, weights))
    assert first.differences(cycles[[2]]) == pytest.approx(wanted, abs=1e-6)


def test_the_recorded_shares_are_of_the_machines_that_fit():
    counted = {row["what"]: row["which"] for row in rows("machines")}
    assert int(counted["machines"].replace(",", "")) >= 1_000_000
    for state in STATES[1:]:
        fit = int(counted[state].replace(",", ""))
        assert {int(row[f"of {state}"]) for row in rows("machines-conclusions")} == {fit}
        for choice in {row["choice"] for row in rows("machines-choices")}:
            shares = [
                float(r[f"{state}, share in per cent"])
                for r in rows("machines-choices")
                if r["choice"] == choice
            ]
            assert sum(shares) == pytest.approx(100, abs=0.5)
    looks = [int(row["machines left"].replace(",", "")) for row in rows("machines-looks")]
    assert looks == sorted(looks, reverse=True)
    assert counted["machines on the sample of matrices"] == rows("machines-looks")[-1]["machines left"]


def test_what_is_recorded_was_timed_as_machines_are_timed_now():
    recorded = {row["what"]: row["which"] for row in rows("machines")}[SAMPLE]
    assert digest_of_sample(VS2003) == recorded, (
        f"timing has changed: run {' '.join(COMMAND)} machines FOLDER, and put its files in the place of the "
        "recorded ones"
    )


def test_the_nearest_machines_are_recorded_with_the_cycles_that_they_take():
    recorded = rows("machines-nearest")
    assert len(recorded) == NEAREST
    assert [row["score"] for row in recorded] == sorted(row["score"] for row in recorded)
    choices = draw(VS2003, families=1, each=1).choices
    for row in recorded[:2]:
        candidate = {choice.name: row[choice.name] for choice in choices}
        machine = machine_of(candidate, VS2003, choices)
        assert all(measured(fact, machine, "jit") == fact.cycles for fact in FACTS)
        options, fixed = options_of(candidate, choices), fixed_cycles_of(candidate, choices)
        for program, title in METHODS.items():
            alone = measure(program, load("tolosa-50"), machine, options=options[program])
            assert alone.cycles + fixed == int(row[f"{title} on {KNOWN}"])
        away = [abs(np.log(float(row[name]) / float(PRINTED[name][0]))) for name in PRINTED]
        assert np.mean(away) + max(away) == pytest.approx(float(row["score"]), abs=1e-3)


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are not next to the tests")
def test_the_page_says_what_the_tables_say():
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert FAMILIES * EACH == 2**20
    assert "2^20 machines" in page
    for sentence in findings():
        assert sentence in page


def test_machines_are_recorded_on_all_matrices_next_to_the_sample():
    for row in rows("machines-whole"):
        for on, fit in (("sample", True), ("all", row[STATES[2]] == "yes")):
            ours = np.array([float(row[f"{name}, {on}"]) for name in PRINTED])
            away = np.log(ours / [float(printed[0]) for printed in PRINTED.values()])
            assert posterior.fits(away[:, None], 2)[0] == fit
