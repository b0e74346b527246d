"""Presets like real machines, next to published measurements of these."""

from collections import Counter

import pytest

from experiments.validation.comparison import Row, compared, groups, measured_machines, read
from experiments.validation.kernels import loop_memory, loop_text
from vecsim.machine.preset_files import presets


def row(published, ours, lacks=""):
    return Row("m", "of", "size 1", "cycles", published, ours, lacks, False, "a paper")


def test_verdicts():
    assert row(10, 11.5).verdict == row(10, 8.51).verdict == row(10, 10, "x").verdict == "within 15 %"
    assert row(10, 11.6).verdict == "differs"
    assert row(10, 8.4, "a rule").verdict == "explained"
    assert row(4, 3).difference == pytest.approx(-25)


def test_the_record_has_every_measurement_and_most_agree():
    rows = read()
    stated = [
        (name, f"{group.size} {size}", published, group.compared_once)
        for group in groups()
        for name, sizes in group.published.items()
        for size, published in sizes.items()
    ]
    assert [(r.size, r.published, r.compared_once) for r in rows] == [each[1:] for each in stated]
    assert all(r.measurement.endswith(name) for r, (name, *_) in zip(rows, stated, strict=True))
    verdicts = Counter(r.verdict for r in rows)
    assert len(rows) >= 25
    assert verdicts["within 15 %"] + verdicts["explained"] >= 0.8 * len(rows)
    assert len({r.machine for r in rows if r.compared_once}) == 2


@pytest.mark.parametrize("name", measured_machines())
def test_each_number_of_a_preset_has_a_source_or_is_assumed(name):
    lines = presets()[name].splitlines()
    numbers = [line for line in lines if "=" in line.partition("#")[0] and not line.startswith("name")]
    silent = {line.split()[0] for line in numbers if "#" not in line}
    assert len(numbers) > 30
    assert silent <= {"physical_scalar_registers", "integer", "bank_busy", "write_back", "serves", "chaining"}


@pytest.mark.parametrize(
    ("engine", "largest"), [("simpy", 10), pytest.param("jit", 20_000, marks=pytest.mark.nightly)]
)
def test_what_is_simulated_is_recorded(engine, largest):
    small = compared(engine, largest=largest)
    recorded = {(r.machine, r.measurement, r.size): r for r in read()}
    assert len(small) > 10
    assert [recorded[r.machine, r.measurement, r.size] for r in small] == small


def test_a_loop_has_room_for_its_arrays():
    text = loop_text("triad", size=64, passes=1, unrolled=4, section=8)
    assert text.count("lv.d") == 12 and text.count("sv.d") == 4
    assert "lv.d v3, 64(x11)" in text
    assert loop_memory("triad", 64) == 256 + 4 * (2 + 1) * 256
