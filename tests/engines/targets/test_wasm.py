"""The engine as WebAssembly: equal to the others in Node, described as it is, refused where it cannot run."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from differential.cases import random_case
from differential.comparison import compare
from differential.wasm_host import node_host, why_not

from isa.assembler import assemble
from vecsim.engines.jit.interface import MULTIPORT_LOOP, SINGLE_PORT
from vecsim.engines.running import run, whole_words
from vecsim.engines.state.row import layout
from vecsim.engines.targets.wasm import linking
from vecsim.engines.targets.wasm.description import PARTS, description
from vecsim.engines.targets.wasm.engine import WasmEngine
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import instruction_set_of, load_machine
from vecsim.support.errors import UserError

in_node = pytest.mark.skipif(why_not() != "", reason=why_not() or "it runs")
PROGRAM = "li x1, 6\nli x2, 7\nmul x3, x1, x2\nsw x3, (zero)\nhalt"
WASM = ("wasm", "wasm-multiport")


@pytest.mark.ci
@in_node
def test_random_programs_are_equal_to_the_native_engine_and_to_simpy():
    for seed in range(6):
        actual = compare(random_case(seed, faults=True), "simpy", "jit", *WASM)
        assert actual is None, f"seed {seed}: {actual}"


@pytest.mark.nightly
@in_node
def test_the_glue_runs_a_program_to_its_end():
    for seed in range(100, 112):
        case = random_case(seed)
        expected = run(case.program, case.memory, case.machine)
        timeline = TimelineRequest() if case.timeline else None
        actual = WasmEngine(case.program, whole_words(case.memory), case.machine, timeline)
        says = node_host().advance(actual)
        assert (says["how"], says["cycle"]) == ("finished", expected.cycles)
        assert says["rows"] == (expected.instructions if case.timeline else 0)
        assert actual.arrays["accounts"]["executions"].sum() == expected.instructions
        assert actual.state.memory.tobytes() == expected.state.memory.tobytes()
        common = expected.counters.keys() & says["counters"].keys()
        assert common
        assert {name: says["counters"][name] for name in common} == {
            name: expected.counters[name] for name in common
        }


@pytest.mark.nightly
@in_node
def test_the_glue_names_the_instruction_that_cannot_be_executed():
    actual = WasmEngine(assemble("li x1, 2\nlw x2, -4(x0)\nhalt"), np.zeros(64, np.uint8), machine())
    says = node_host().advance(actual)
    assert (says["how"], says["pc"]) == ("trouble", 1)


def machine(*changes, extend=()):
    return load_machine("vs2003", list(changes), list(extend))


@pytest.mark.parametrize(
    ("general", "changes", "loop"),
    [
        (False, (), SINGLE_PORT),
        (True, (), MULTIPORT_LOOP),
        (False, ("memory_ports=2",), MULTIPORT_LOOP),
    ],
)
def test_a_packed_run_is_what_its_header_says(general, changes, loop):
    of = WasmEngine(assemble(PROGRAM), np.arange(64, dtype=np.uint8), machine(*changes), general=general)
    packed = of.packed()
    size = int.from_bytes(packed[:4], "little")
    header = json.loads(packed[4 : 4 + size])
    assert (header["loop"], header["cycle"], header["capacity"]) == (loop, 0, -1)
    contents, at = {}, 4 + size
    for name, length in header["contents"]:
        contents[name] = packed[at : at + length]
        at += length
    assert at == len(packed)
    assert contents["memory"] == bytes(range(64))
    described = description()
    assert len(contents["table"]) == 8 * described["table"]["words"]
    far = {name for name, place in described["table"]["arrays"].items() if not place["near"]}
    assert header["arrays"].keys() == far
    assert far - contents.keys() == {"timeline", "starts"}
    table = np.frombuffer(contents["table"], np.int64)
    assert table[described["table"]["section"]] == machine().section_size
    words = described["rows"]["Instruction"]["words"]
    assert len(contents["program"]) == 8 * words * table[described["table"]["arrays"]["program"]["length"]]


def test_the_description_is_that_of_the_declared_rows():
    rows = {part.row.__name__: part.row for part in PARTS.values() if part.row is not None}
    described = description()["rows"]
    assert described.keys() == rows.keys()
    for name, row in rows.items():
        fields = layout(row).fields
        assert 8 * described[name]["words"] == layout(row).itemsize
        assert {field: fields[field][1] for field in fields} == {
            field: 8 * each["offset"] for field, each in described[name]["fields"].items()
        }


def refusal(program, on, memory=64):
    with pytest.raises(UserError) as error:
        WasmEngine(program, np.zeros(memory, np.uint8), on)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_user_defined_instructions_and_rules_are_refused():
    extended = machine(extend=["register_gather"])
    text = "li x1, 4\nsetvl x1\nmaddi.s v4, v2, v1, v3\nhalt"
    program = assemble(text, instruction_set=instruction_set_of(extended.extensions))
    assert refusal(program, extended).startswith("maddi.s: the WebAssembly module has the base instructions")
    assert "extension open_rows" in refusal(assemble(PROGRAM), machine(extend=["open_rows"]))


def test_base_instructions_of_an_extended_set_are_not_refused():
    extended = machine(extend=["register_gather"])
    program = assemble(PROGRAM, instruction_set=instruction_set_of(extended.extensions))
    assert WasmEngine(program, np.zeros(64, np.uint8), extended).packed()


def test_a_run_without_a_host_is_packed_alone():
    alone = WasmEngine(assemble(PROGRAM), np.zeros(64, np.uint8), machine())
    with pytest.raises(UserError, match="has no host"):
        alone.advance(cycle=10)


def test_a_missing_linker_is_one_line(monkeypatch, tmp_path):
    monkeypatch.delenv(linking.LINKER, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"wasm-ld is not found: install LLVM's lld .*VECSIM_WASM_LD"):
        linking.linker()
    for name in ("wasm-ld-9", "wasm-ld-19"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    assert linking.linker() == str(tmp_path / "wasm-ld-19")


def test_the_command_names_a_linker_that_is_none(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "vecsim.engines.targets.wasm", "--out", str(tmp_path / "out")],
        env=os.environ | {linking.LINKER: "no-such-linker"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == ("error: VECSIM_WASM_LD: no-such-linker: this is no program; name LLVM's wasm-ld\n")
    assert not (tmp_path / "out").exists()
