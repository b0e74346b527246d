"""Published cycles of RISC-V cores next to those of the presets."""

import re

import pytest

from experiments.validation.riscv import sequences
from experiments.validation.riscv.__main__ import main
from experiments.validation.riscv.comparison import compared, fit, is_near, summaries
from experiments.validation.riscv.programs import cases, cycles_of
from experiments.validation.riscv.recorded import read
from experiments.validation.riscv.sequences import Measured
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


@pytest.mark.nightly
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


HEAD = "instruction,e32m4\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("instruction,e32m3\nvadd,1\n", "columns must be instruction and widths such as e32m4; it has e32m3"),
        ("e32m4\n1\n", "columns must be instruction and widths such as e32m4"),
        (HEAD + "vadd.vv,1,2\n", "line 2: it has 3 columns, the first line 2"),
        (HEAD + '"vadd.vv v8,v16,v24"\n', "line 2: it has 1 columns, the first line 2"),
        (HEAD + "8 apples,1\n", "line 2: '8 apples' is no instruction with its operands"),
        (HEAD + '"vadd.vv v8,v16,v24",-1\n', "line 2: e32m4: -1 are no cycles"),
        (HEAD + '"vadd.vv v8,v16,v24",nan\n', "line 2: e32m4: nan are no cycles"),
        ("", "columns must be"),
        ("\0", "columns must be"),
    ],
)
def test_a_damaged_table_is_one_line(text, message, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text(text)
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        list(table(file))
    assert str(caught.value).startswith(str(file)) and "\n" not in str(caught.value)


def test_a_file_that_is_no_table_is_one_line(tmp_path):
    with pytest.raises(UserError, match="mine"):
        list(table(tmp_path / "mine.csv"))
    with pytest.raises(UserError, match=re.escape("instruction 'vadd.vv v8,v16' of the table: ")):
        list(cases(load_machine("saturn"), [Entry("vadd.vv v8,v16", 32, 4, True, 1.0)]))


@pytest.mark.ci
def test_the_command_says_in_one_line_what_is_wrong(tmp_path, capsys, monkeypatch):
    damaged = tmp_path / "mine.csv"
    damaged.write_text(HEAD + "vadd.vv,1,2\n")
    monkeypatch.setattr("experiments.validation.riscv.tables.TABLES", tmp_path)
    damaged.rename(tmp_path / "saturn-vlmax.csv")
    for arguments in ([], ["--fit", "saturn"], ["--fit", "nothing"], ["saturn.csv"]):
        monkeypatch.setattr("sys.argv", ["riscv", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        message = capsys.readouterr().err.strip().splitlines()[-1]
        assert caught.value.code == 2
        assert message.startswith("python -m experiments.validation.riscv: ")


def test_vicuna_is_met():
    recorded = sequences.read()
    assert [row[:4] for row in recorded] == list(sequences.measured())
    assert all(row.is_met for row in recorded) and len(recorded) == 49
    chosen = [Measured("vmul", 8, 32, 10), Measured("vle32 vmul", 8, 128, 81)]
    assert list(sequences.compared(chosen)) == [row for row in recorded if row[:4] in chosen]


@pytest.mark.ci
def test_the_record_of_vicuna_is_what_the_preset_gives():
    assert list(sequences.compared()) == sequences.read()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "its columns must be sequence, lmul, vl, cycles"),
        ("vsub,8,8,9\n", "line 2: 'vsub' is no sequence; known: empty, vle32"),
        ("vmul,8,8,fast\n", "line 2: lmul, vl and cycles must be whole numbers"),
        ("vmul,1,17,9\n", "line 2: lmul must be 1, 2, 4 or 8, vl up to 16 times as much"),
        ("vmul,8,8,9\n", "it has no empty sequence with vl 8"),
    ],
)
def test_a_damaged_table_of_sequences_is_one_line(text, message, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text(text if "a,b" in text else "sequence,lmul,vl,cycles\n" + text)
    with pytest.raises(UserError, match=re.escape(f"{file}: {message}")):
        list(sequences.measured(file))
