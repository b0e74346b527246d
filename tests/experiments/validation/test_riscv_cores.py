"""Published cycles of RISC-V cores next to those of the presets."""

import pytest

from experiments.validation.riscv.comparison import compared, fit, is_near, summaries
from experiments.validation.riscv.programs import cases, cycles_of
from experiments.validation.riscv.recorded import read
from experiments.validation.riscv.tables import CORES, Entry, entries, table
from vecsim.machine import load_machine
from vecsim.support.errors import UserError


def test_the_record_has_every_entry_and_most_are_met():
    for core, rows in read().items():
        assert sum(row.entries for row in rows) == sum(1 for _ in entries(core)) > 11_000
        assert sum(row.met for row in rows) >= 0.85 * sum(row.entries for row in rows)
        assert all(row.cause or row.met == row.entries for row in rows), core
    assert tuple(read()) == CORES


@pytest.mark.ci
@pytest.mark.parametrize(
    ("core", "text", "sew", "lmul", "full", "cycles"),
    [
        ("saturn", "vadd.vv v8,v16,v24", 32, 8, True, 16),  # 256 bits x 8 in groups of 128
        ("saturn", "vredsum.vs v8,v16,v24", 8, 1, True, 2 + 2 * 1 + 2 * 4),  # 2 groups, 4 levels over 16
        ("saturn", "vfredosum.vs v8,v16,v24", 32, 1, True, 7 + 5 * 7),  # 8 elements in order
        ("saturn", "vmul.vv v8,v16,v24", 32, 8, False, 4),  # one register, written again: the latency
        ("x280", "vwadd.vv v8,v16,v24", 32, 4, True, 8),  # groups of the operands: 512 x 4 in 256
        ("x280", "vrgather.vv v8,v16,v24", 8, 1, True, 5 + 63),  # 64 elements
        ("x280", "vmseq.vv v8,v16,v24", 32, 8, True, 15 + 3),  # reads the mask that it changes
    ],
)
def test_an_instruction_takes_what_its_costs_say(core, text, sew, lmul, full, cycles):
    published = Entry(text, sew, lmul, full, cycles)
    (case,) = cases(load_machine(core), [published])
    assert cycles_of(case, load_machine(core)) == cycles
    measured = {(e.text, e.sew, e.lmul, e.full): e.cycles for e in entries(core)}
    assert is_near(cycles, measured[text, sew, lmul, full])


@pytest.mark.ci
@pytest.mark.parametrize("core", CORES)
def test_the_record_is_what_a_part_of_the_entries_gives(core):
    part = [entry for entry in entries(core) if (entry.sew, entry.lmul) == (32, 4)]
    recorded = {row.timing: row for row in read()[core]}
    for row in summaries(compared(core, part)):
        missed = recorded[row.timing].entries - recorded[row.timing].met
        assert row.entries - row.met <= missed


@pytest.mark.ci
def test_a_fit_finds_the_costs_that_a_table_was_made_with():
    machine = load_machine("saturn", {"riscv.gather.first": 9, "riscv.gather.pair": 6})
    asked = [Entry("vrgather.vv v8,v16,v24", 32, lmul, True, 1.0) for lmul in (1, 4)]
    made = [
        entry._replace(cycles=cycles_of(case, machine))
        for case in cases(machine, asked)
        for entry in case.entries
    ]
    (fitted,) = fit(load_machine("saturn"), made)
    assert (fitted.name, fitted.costs["first"], fitted.costs["pair"]) == ("gather", 9, 6)
    assert fitted.residual < 0.001


def test_a_file_that_is_no_table_is_one_line(tmp_path):
    file = tmp_path / "mine.csv"
    with pytest.raises(UserError, match="mine"):
        list(table(file))
    file.write_text("instruction,e32m3\nvadd,1\n")
    with pytest.raises(UserError, match="columns must be instruction and widths such as e32m4; it has e32m3"):
        list(table(file))
