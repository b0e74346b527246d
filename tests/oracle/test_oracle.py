"""The compiled engine keeps the times that the oracle works out from docs/timing.md."""

import ast
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import random_array
from tiers import one_combination_in, one_in

from isa.assembler import assemble
from isa.instructions import BASE
from programs.measurement import multiplicand, prepare
from programs.registry import PROGRAMS
from tests.differential.cases import Case, changed, random_case, read_case
from tests.differential.random_machines import physical_registers
from tests.oracle import comparison
from tests.oracle.__main__ import main
from tests.oracle.clock import times
from tests.oracle.comparison import difference
from vecsim.machine import Machine, load_machine
from vecsim.machine.description import flat
from vecsim.support.errors import UserError

HERE = Path(__file__).parent
DRAWN, LONGER, OF_A_NIGHT = range(24), range(24, 524), 20_000


def agrees(seed):
    output = difference(random_case(seed))
    assert not output, f"seed {seed}: {output}"


@pytest.mark.parametrize("seed", one_in(2, DRAWN))
def test_the_engine_keeps_time_as_the_oracle_does(seed):
    agrees(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("first", LONGER[:250:50])
def test_the_engine_keeps_time_on_more_programs(first):
    for seed in range(first, first + 50):
        agrees(seed)


@pytest.mark.ci
@pytest.mark.parametrize("first", LONGER[:300:100])
def test_the_engine_keeps_time_where_registers_are_renamed(first):
    for seed in range(first, first + 10):
        case = random_case(seed)
        registers = physical_registers(random.Random(seed), case.machine.vector_registers)
        output = difference(replace(case, machine=case.machine.model_copy(update=registers)))
        assert not output, f"seed {seed}, {registers}: {output}"


@pytest.mark.nightly
def test_the_engine_keeps_time_on_the_programs_of_a_night(tmp_path):
    assert main(["--count", str(OF_A_NIGHT), "--report", str(tmp_path / "report.json")]) == 0


@pytest.mark.parametrize(("machine", "name"), one_combination_in(4, ("vs2003", "t0", "wide"), PROGRAMS))
def test_the_engine_keeps_time_on_the_products(machine, name):
    description = load_machine(machine, ["section_size=8", "memory_ports=2"])
    matrix = random_array((20, 30), density=0.15, rng=1, format="csr", dtype=np.float32)
    x = multiplicand(matrix.shape[1], 0, matrix.dtype)
    prepared = prepare(name, matrix, description, x)
    assert difference(Case(prepared.program, prepared.loaded.memory, description)) == ""


def test_random_programs_meet_most_rules():
    cases = [random_case(seed) for seed in DRAWN]
    assert {case.machine.memory_ports for case in cases} == {1, 2, 3, 4}
    assert {case.machine.chaining for case in cases} == {True, False}
    sampled = Counter(
        case.program.instruction(pc).timing for case in cases for pc in range(len(case.program))
    )
    assert set(sampled) == {row.timing for row in BASE.instructions}


OTHERS = {"section_size", "vector_registers", "clock_mhz"}
"""The first two decide which programs run, the last one what reports say."""
NUMBERS = sorted(
    name for name in flat(Machine().numbers()) if name not in OTHERS and not name.startswith("riscv.")
)
"""What the machine works by; test_riscv_numbers.py has the numbers of RISC-V, which no program here meets."""


@pytest.mark.nightly
@pytest.mark.parametrize("name", NUMBERS)
def test_random_programs_depend_on_each_number_of_the_machine(name):
    assert any(depends_on(seed, name) for seed in LONGER), f"no time depends on {name}"


@cache
def case_and_rows(seed):
    """Return the case of a seed and its times."""
    case = random_case(seed)
    return case, times(case.program, case.memory, case.machine).rows


def depends_on(seed, name):
    """Return whether any time of a case is another on a machine on which a number is another."""
    case, rows = case_and_rows(seed)
    try:
        machine = changed(case.machine, [f"{name}={other_value(case.machine, name)}"])
    except UserError:  # numbers that do not go together
        return False
    return times(case.program, case.memory, machine).rows != rows


def other_value(machine, name):
    """Return another value of a number, as text."""
    level, _, last = name.rpartition(".")
    value = flat(machine.numbers())[name]
    of_a_set = machine.l1.line_bytes * machine.l1.ways
    if level == "l2":
        of_a_set = machine.l2.line_bytes * machine.l2.ways
    special = {
        "physical_vector_registers": 0 if value else 62,
        "physical_scalar_registers": 0 if value else 62,
        "divide_interval": 1 if value > 1 else machine.latency.divide,
        "disambiguation": (value + 1) % 3,
        "masked_elements": 1 - value,
        "merge_bytes": 0 if value else 128,
        "bytes": 0 if value else of_a_set,
        "line_bytes": max(value // 2, 4),
        "replacement": 1 - value,
        "serves": value % 3 + 1,
    }
    if isinstance(value, bool):
        return str(not value).lower()
    own = level != "main_memory" and last in special
    return str(special[last] if own else 1 if value > 1 else 16)


# What docs/timing.md says itself; all programs worked by hand come from tests/engines/engine_runs.py.


@pytest.mark.parametrize(
    ("access", "last"),
    [("lv.w v1, 1024(x0)", 36), ("lv.w v1, 1028(x0)", 37), ("lvi.w v1, (x0), v2", 84)],
)
def test_an_access_of_64_words_takes_what_the_page_says(access, last):
    machine = Machine(startup=20, words_per_cycle=4, addresses_per_cycle=1, banks=64, bank_busy=1)
    text = f"li x1, 1\nli x2, 64\nsetvl x2\ncvi v2, x1\n{access}\nhalt"
    row = times(assemble(text, file="access.s"), np.zeros(4096, np.uint8), machine).rows[4]
    assert row.last - row.dispatch == last


@pytest.mark.parametrize("unaligned", [0, 4])
def test_equal_loads_end_in_groups(unaligned):
    machine = Machine(accesses_in_flight=3, startup=20, words_per_cycle=4, banks=64, bank_busy=1)
    loads = "\n".join(f"lv.w v{i}, {1024 + unaligned}(x0)" for i in range(8))
    text = f"li x2, 64\nsetvl x2\n{loads}\nhalt"
    rows = times(assemble(text, file="loads.s"), np.zeros(4096, np.uint8), machine).rows[2:10]
    begun, k, u = rows[0].dispatch, 3, int(unaligned > 0)
    transfer = 16
    group = max(20 + u + transfer, k * (u + transfer))
    expected = [20 + u + transfer + i // k * group + i % k * (u + transfer) for i in range(8)]
    assert [row.retire - begun for row in rows] == expected


# The comparison itself


def test_a_wrong_cycle_is_reported(monkeypatch):
    text = "li x2, 64\nsetvl x2\nlv.w v1, 1024(x0)\nhalt"
    case = Case(assemble(text, file="one.s"), np.zeros(4096, np.uint8), Machine())
    assert difference(case) == ""
    monkeypatch.setattr(comparison, "times", lambda *given: times(*given[:2], Machine(startup=21)))
    assert difference(case).startswith("row 2, instruction 2: lv.w v1, 1024(x0): oracle / engine: start")


def test_the_command_goes_on_where_it_ended(tmp_path, capsys):
    report = str(tmp_path / "report.json")
    for count, left in (("3", "3"), ("5", "2"), ("5", "0")):
        assert main(["--count", count, "--report", report]) == 0
        assert f"oracle and jit: {left} cases" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [["--count", "-1"], ["--count", "0"], ["--seed", "-1"]])
def test_what_would_run_no_case_is_refused(wrong, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*wrong, "--report", str(tmp_path / "report.json")])
    assert ended.value.code == 2
    assert f"{' '.join(wrong)}: " in capsys.readouterr().err


@pytest.mark.ci
def test_a_program_that_differs_is_shrunk_and_kept(monkeypatch, tmp_path, capsys):
    def planted(program, memory, machine):
        later = machine.model_copy(update={"startup": machine.startup + 1})
        return times(program, memory, later)

    monkeypatch.setattr(comparison, "times", planted)
    report, failures = tmp_path / "report.json", tmp_path / "failures"
    assert main(["--count", "1", "--report", str(report), "--failures", str(failures)]) == 1
    output = capsys.readouterr().out
    assert "seed 0: row" in output
    assert "1 mismatches" in output
    recorded = read_case(failures / "seed-0.s")
    assert difference(recorded)
    assert len(recorded.program) < len(random_case(0).program)


# Independence


def test_the_oracle_imports_no_engine():
    command = "import sys, tests.oracle.clock; print([m for m in sys.modules if 'engines' in m])"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_only_the_comparison_names_an_engine():
    naming = {
        path.name
        for path in HERE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and any(
            "engines" in name for name in [getattr(node, "module", None) or "", *(a.name for a in node.names)]
        )
    }
    assert naming == {"comparison.py"}
