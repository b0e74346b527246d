"""`vecsim crosscheck`: the same products by three implementations."""

import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from experiments.crosscheck import device, products
from experiments.crosscheck.device import Device, DeviceProduct
from experiments.crosscheck.results import read_results
from programs.registry import PROGRAMS

NO_GPU = "no GPU was found (the driver is not installed)"


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    monkeypatch.setattr(device, "find_device", lambda: (None, NO_GPU))


def gpu_that_gives(monkeypatch, change):
    """Let a GPU multiply as SciPy does and change the result."""

    def multiply(name, host, x, used):
        y = change(host.to_scipy() @ x)
        return DeviceProduct(y, name, 1000, 2.0 if name == "crs" else 4.0, 0.01)

    monkeypatch.setattr(device, "find_device", lambda: (Device("Fake GPU", timed=True), ""))
    monkeypatch.setattr(products, "multiply", multiply)
    monkeypatch.setattr("vecsim.cli.commands.crosscheck._facts", lambda actual: {"name": actual.name})


def rows_of(table):
    lines = table.split("─\n", 1)[1].split("\n\n", 1)[0].splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines if line.split()[:1]}


def test_without_a_gpu_two_implementations_are_compared(vecsim, matrix):
    result = vecsim("crosscheck", matrix)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == f"without a GPU, SciPy and the simulator are compared: {NO_GPU}"
    assert lines[1] == "tiny: 5 x 4, 6 non-zeros; machine vs2003; engine jit; no GPU; 32-bit values"
    rows = rows_of(result.out)
    for program in PROGRAMS:
        scipy, simulator, gpu, apart, *rest = rows[program]
        assert float(scipy) <= 1e-7
        assert float(simulator) <= 1e-7
        assert float(apart) <= 2.4e-7
        assert (gpu, rest[2], rest[-2:]) == ("-", "-", ["-", "-"])
    assert lines[-1] == "two results may be 2.4e-07 apart: the longest row has 2 entries"


def test_both_hierarchies_side_by_side(vecsim, tmp_path):
    target = tmp_path / "r.json"
    result = vecsim("crosscheck", "randomwalk-20", "--section-size", 16, "--json", target)
    shown = [line.split() for line in result.out.splitlines() if line.startswith("his")][1:]
    assert [line[:4] for line in shown] == [
        ["hism", "16", "x", "16"],
        ["hisparse", "16", "x", "16"],
        ["hisparse", "256", "x", "256"],
    ]
    (matrix,) = read_results(target).matrices
    hism, same, default = matrix.check.hierarchies
    assert hism.nodes == same.nodes
    assert hism.entries == same.entries
    assert (len(hism.nodes), hism.entries[0], hism.nodes[-1]) == (2, matrix.entries, 1)
    assert hism.entries[1] == hism.nodes[0]
    assert hism.nbytes == matrix.check.checks[3].image_bytes
    assert (default.nodes, default.fill) == ((1,), pytest.approx(matrix.entries / 256**2))
    assert (hism.gpu_bytes, same.gpu_us, matrix.check.hisparse_apart) == (None, None, {})


def test_cycles_and_bytes_are_those_of_run(vecsim, matrix):
    document = json.loads(vecsim("crosscheck", matrix, "--json", "-").out)
    expected = json.loads(vecsim("run", matrix, "--json", "-").out)["results"]
    checks = document["matrices"][0]["checks"]
    assert [check["program"] for check in checks] == list(PROGRAMS)
    assert [check["cycles"] for check in checks] == [actual["cycles"] for actual in expected]
    assert [check["image_bytes"] for check in checks] == [actual["storage_bytes"] for actual in expected]
    assert [c["errors"]["simulator"] for c in checks] == [actual["relative_error"] for actual in expected]


def test_a_gpu_next_to_the_others(vecsim, matrix, monkeypatch, tmp_path):
    gpu_that_gives(monkeypatch, lambda y: y)
    target = tmp_path / "r.json"
    result = vecsim("crosscheck", matrix, "randomwalk-3", "--json", target, "--section-size", 8)
    assert result.code == 0
    assert "tiny: 5 x 4, 6 non-zeros; machine vs2003 with section_size=8 (digest " in result.out
    actual = read_results(target)
    assert [each.name for each in actual.matrices] == ["tiny", "randomwalk-3"]
    assert (actual.device, actual.machine.section_size, actual.disagreements) == ({"name": "Fake GPU"}, 8, [])
    hism = actual.matrices[0].check.checks[3]
    assert (hism.program, hism.gpu_us, hism.gpu_bytes) == ("hism", 4.0, 1000)
    assert set(hism.apart) == {"SciPy - simulator", "SciPy - GPU", "simulator - GPU"}
    assert [each.gpu_us for each in actual.matrices[0].check.hierarchies] == [4.0, 4.0, 4.0]
    assert actual.matrices[0].check.hisparse_apart == {8: 0.0, 256: 0.0}
    assert rows_of(result.out)["hism"][-2:] == ["4.00", "0.50"]


@pytest.mark.parametrize("change", [lambda y: y * (1 + 1e-6), lambda y: y + np.nan])
def test_results_further_apart_than_rounding_end_with_1(vecsim, matrix, monkeypatch, tmp_path, change):
    gpu_that_gives(monkeypatch, change)
    result = vecsim("crosscheck", matrix, "--json", tmp_path / "r.json")
    assert result.code == 1
    assert result.err.startswith("vecsim: the products disagree: tiny: crs: SciPy and GPU differ by ")
    assert "rounding allows 2.4e-07" in result.err
    assert "SciPy and simulator" not in result.err
    assert "hisparse of 256 x 256: SciPy and GPU differ by " in result.err
    assert read_results(tmp_path / "r.json").disagreements


def test_a_format_that_the_gpu_cannot_hold_is_reported(vecsim, matrix, monkeypatch):
    gpu_that_gives(monkeypatch, lambda y: y)
    nothing = DeviceProduct(status="too little memory")
    monkeypatch.setattr(products, "multiply", lambda *_: nothing)
    result = vecsim("crosscheck", matrix)
    assert result.code == 0
    assert "not on the GPU: too little memory" in result.out


def test_no_gpu_is_asked_for(vecsim, matrix, monkeypatch):
    monkeypatch.setattr(device, "find_device", lambda: pytest.fail("a GPU was looked for"))
    result = vecsim("crosscheck", matrix, "--no-gpu")
    assert result.code == 0
    assert "without a GPU" not in result.out


def test_values_of_64_bits(vecsim, matrix):
    document = json.loads(vecsim("crosscheck", matrix, "--json", "-", "--value-bits", 64).out)
    actual = document["matrices"][0]
    assert actual["allowed"] == pytest.approx(2 * 2 * 2.0**-53)
    assert all(error <= 2.0**-52 for check in actual["checks"] for error in check["errors"].values())


def test_the_suite_tells_what_is_missing(vecsim, monkeypatch):
    from experiments.crosscheck import matrices

    there = matrices.Listed("randomwalk-3", "generated", "randomwalk-3")
    absent = matrices.Listed("nowhere", "real", "nowhere-at-all")
    monkeypatch.setattr(matrices, "listed", lambda: (there, absent))
    document = json.loads(vecsim("crosscheck", "--suite", "--json", "-").out)
    assert [each["name"] for each in document["matrices"]] == ["randomwalk-3"]
    assert "nowhere-at-all" in document["missing"]["nowhere"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a matrix, or ask for --suite"),
        (["no-such-matrix"], "no-such-matrix"),
        (["randomwalk-3", "no-such-matrix"], "no-such-matrix"),
        (["randomwalk-3", "--section-size", "3"], "section_size"),
        (["randomwalk-3", "--value-bits", "16"], "--value-bits 16"),
        (["randomwalk-3", "--engine", "fast"], "fast"),
        (["randomwalk-3", "--json", "no/such/folder/r.json"], "does not exist; create it"),
    ],
)
def test_mistakes_end_in_one_line(vecsim, arguments, message):
    actual = vecsim("crosscheck", *arguments).mistake()
    assert message in actual
    assert "\n" not in actual


@pytest.fixture
def in_the_cuda_simulator(compile_engine, tmp_path):
    """Cross-check in its own process: Numba's simulator is chosen when Numba is imported."""
    if importlib.util.find_spec("numba_cuda") is None:
        pytest.skip("numba-cuda is not installed")
    compile_engine()

    def check(source):
        target = tmp_path / "r.json"
        ran = subprocess.run(
            [sys.executable, "-m", "vecsim", "crosscheck", str(source), "--json", str(target)],
            env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, "")
        assert "CUDA simulator" in ran.stdout
        actual = read_results(target)
        assert (actual.device, actual.disagreements) == ({"name": "CUDA simulator"}, [])
        return actual.matrices[0]

    return check


@pytest.mark.ci
def test_in_the_cuda_simulator(in_the_cuda_simulator):
    actual = in_the_cuda_simulator("randomwalk-4")
    assert actual.rows == 15
    for check in actual.check.checks:
        assert check.errors["GPU"] <= actual.check.allowed / 2
        assert check.gpu_bytes > 0
        assert check.gpu_us is None
    assert max(actual.check.hisparse_apart.values()) <= actual.check.allowed
    assert all(each.gpu_bytes > 0 for each in actual.check.hierarchies)


@pytest.mark.nightly
def test_gre_185_in_the_cuda_simulator(in_the_cuda_simulator, real_matrix):
    assert in_the_cuda_simulator(real_matrix("gre_185")).entries == 1005
