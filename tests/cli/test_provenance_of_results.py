"""Every JSON that a command writes says what made it, and names by digest what it was made of."""

import json
import re
import sys
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import suite_cases

from experiments.gpu_bench import bench, ceilings, check
from experiments.gpu_bench.records import Run
from gpu.compound.device_compound import NATURAL
from gpu.compound.schedule import Schedule
from gpu.compound.tuning import Found, Timing, Variant, on_device
from gpu.runtime import device_info
from isa.assembler import assemble_file
from programs.measurement import multiplicand, prepare
from tests.cli.test_gpu import CEILINGS, INFO
from vecsim import __version__
from vecsim.cli.application import command_line
from vecsim.data import load, values_as
from vecsim.machine import Machine, load_machine
from vecsim.results.digests import matrix_sha256, program_sha256

WITHOUT_A_GPU = (
    "run MATRIX --program crs",
    "exec PROGRAM",
    "why MATRIX --program crs",
    "reorder MATRIX --program bbcs --in-blocks --most 1",
    "view MATRIX --program crs --engine simpy --out PAGE",
    "course",
    "course dot --size 10 --engine simpy",
    "grade",
    "grade 1",
    "compare RESULT RESULT",
    "rerun RESULT",
    "formats MATRIX --format crs",
    "isa",
    "isa add",
    "machine list",
    "machine show t0",
    "list matrices",
    "list matrices HB/*",
    "list programs",
    "list experiments",
    "list formats",
    "list extensions",
    "crosscheck MATRIX --no-gpu",
    "optimise MATRIX --program crs --set lanes=1,2",
)
ON_A_GPU = ("gpu info", "gpu ceilings", "gpu bench", "gpu check", "gpu tune MATRIX")
SHA256 = re.compile(r"[0-9a-f]{64}")


def commands_with_json(command, name=()):
    """The names of all commands below one that write JSON."""
    for word, inner in getattr(command, "commands", {}).items():
        yield from commands_with_json(inner, (*name, word))
    if any("--json" in parameter.opts for parameter in command.params):
        yield " ".join(name)


def test_no_command_is_left_out():
    looked_at = (*WITHOUT_A_GPU, *ON_A_GPU, "reproduce", "calibrate")  # the last: test_calibrate.py
    for name in commands_with_json(command_line()):
        assert any(text == name or text.startswith(f"{name} ") for text in looked_at), name


@pytest.fixture
def asked(vecsim, matrix, program, monkeypatch, tmp_path):
    """Return the JSON of a command, and the arguments it was called with."""
    monkeypatch.setenv("VECSIM_COMMIT", "abcdef")

    def ask(text):
        files = {"MATRIX": str(matrix), "PROGRAM": str(program), "RESULT": str(tmp_path / "result.json")}
        files["PAGE"] = str(tmp_path / "page.html")
        if "RESULT" in text:
            vecsim("run", matrix, "--program", "crs", "--json", files["RESULT"])
        arguments = [*(files.get(word, word) for word in text.split()), "--json", "-"]
        result = vecsim(*arguments)
        assert result.code == 0, result.err
        return json.loads(result.out), arguments

    return ask


@pytest.fixture
def fake_gpu(monkeypatch):
    header = {"device": {"name": "Fake GPU"}, "commit": "abcdef", "copy_gb_per_s": 4000.0}
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    monkeypatch.setattr(ceilings, "measure_ceilings", lambda watch: CEILINGS)
    monkeypatch.setattr(bench, "run_bench", lambda *_, **__: Run(header, (), {}))
    variant, timing = Variant(NATURAL, Schedule()), Timing(2.0, 100)
    tuned = Found(variant, timing, {variant.name: timing}, complete=True)
    monkeypatch.setattr(on_device, "tune_on_device", lambda *_, **__: tuned)
    actual = check.Checked("memplus", "crs", "float64", "ok", "", 1e-16, 1e-12, 64 * "a")
    monkeypatch.setattr(check, "check_suite", lambda *_, **__: (actual,))


def check_header(document, arguments):
    command = " ".join(word for word in arguments[:2] if word in document["kind"].split())
    assert document["kind"] == f"vecsim {command}"
    assert document["command"] == ["vecsim", *arguments]
    assert document["versions"]["vecsim"] == __version__
    assert document["versions"]["python"] == sys.version.split()[0]
    assert document["versions"]["numpy"] == np.__version__
    assert document["commit"] == "abcdef"
    assert next(iter(document)) == "kind"


@pytest.mark.parametrize("text", WITHOUT_A_GPU)
def test_every_json_says_what_made_it(asked, text):
    document, arguments = asked(text)
    check_header(document, arguments)
    assert timedelta() <= datetime.now(UTC) - datetime.fromisoformat(document["date"]) < timedelta(minutes=5)


@pytest.mark.parametrize("text", ON_A_GPU)
def test_those_of_a_gpu_too(asked, fake_gpu, text):
    check_header(*asked(text))


@pytest.mark.ci
@pytest.mark.parametrize("paper", ["hism-table2", "hism-table1"])
def test_a_report_too(asked, monkeypatch, tmp_path, paper):
    suite_cases.install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    document, arguments = asked(f"reproduce {paper} --jobs 1")
    check_header(document, arguments)
    assert document["machine"]["sha256"] == load_machine("vs2003").sha256
    assert document["value_bits"] == 32
    digests = [digest for digests in document["matrices"].values() for digest in digests.values()]
    assert digests
    assert all(SHA256.fullmatch(digest) for digest in [*digests, document["code_sha256"]])
    page = (tmp_path / "reproduced" / "report.html").read_text()
    assert f"vecsim reproduce {paper} --jobs 1 --json -" in page


def test_a_run_holds_all_that_is_needed_to_run_it_again(asked, matrix):
    given = "--machine t0 --set lanes=3 --seed 7 --value-bits 64 --max-cycles 100000"
    document, _ = asked(f"run MATRIX --program hism --option positions=two {given}")
    machine = load_machine("t0", {"lanes": 3})
    assert Machine.from_dict(document["machine"]) == machine
    assert document["machine"]["sha256"] == machine.sha256
    assert document["machine"]["label"] == "t0 with lanes=3"
    assert (document["engine"], document["seed"], document["value_bits"]) == ("jit", 7, 64)
    assert document["max_cycles"] == 100_000
    csr = load(document["matrix"]["source"]).csr
    assert document["matrix"]["sha256"] == matrix_sha256(csr)
    (actual,) = document["results"]
    prepared = prepare(actual["program"], csr, machine, multiplicand(4, 7, csr.dtype), actual["options"])
    assert actual["options"] == {"positions": "two", "schedule": "pipelined", "accumulate": "no"}
    assert actual["program_sha256"] == program_sha256(prepared.program)


def test_the_matrix_is_the_one_with_the_values_that_were_multiplied(asked, matrix):
    narrow, wide = (asked(f"run MATRIX --program crs --value-bits {bits}")[0] for bits in (32, 64))
    assert narrow["matrix"]["sha256"] == matrix_sha256(values_as(load(matrix).csr, 4)[0])
    assert wide["matrix"]["sha256"] == matrix_sha256(load(matrix).csr)
    assert asked("formats MATRIX --format crs")[0]["matrix"] == narrow["matrix"]
    (checked,) = asked("crosscheck MATRIX --no-gpu")[0]["matrices"]
    assert checked["sha256"] == narrow["matrix"]["sha256"]
    assert checked["checks"][0]["program_sha256"] == narrow["results"][0]["program_sha256"]


def test_a_matrix_is_found_again_from_another_folder(asked, matrix, monkeypatch, vecsim):
    monkeypatch.chdir(matrix.parent)
    result = vecsim("run", matrix.name, "--program", "crs", "--json", "-")
    assert json.loads(result.out)["matrix"]["source"] == str(matrix)
    builtin = json.loads(vecsim("run", "laplace2d-3", "--program", "crs", "--json", "-").out)["matrix"]
    assert (builtin["name"], builtin["source"]) == ("laplace2d-3", "built-in")


def test_an_exec_names_its_program(asked, program):
    document, _ = asked("exec PROGRAM --define ROUNDS=3 --memory 64K --max-cycles 5000")
    assembled = assemble_file(program, symbols={"ROUNDS": 3}, value_bytes=4)
    assert document["program_sha256"] == program_sha256(assembled)
    assert (document["define"], document["memory_bytes"]) == ({"ROUNDS": 3}, 65536)
    assert (document["value_bits"], document["max_cycles"]) == (32, 5000)


def test_the_check_of_kernels_names_its_matrices(asked, fake_gpu):
    assert asked("gpu check")[0]["matrices"] == {"memplus": 64 * "a"}


def test_the_commit_is_that_of_the_beginning(vecsim, matrix, monkeypatch):
    monkeypatch.setenv("VECSIM_COMMIT", "first")

    def table(*_):
        monkeypatch.setenv("VECSIM_COMMIT", "second")
        return "table"

    monkeypatch.setattr("vecsim.cli.printing.report.results_table", table)
    assert json.loads(vecsim("run", matrix, "--program", "crs", "--json", "-").out)["commit"] == "first"
