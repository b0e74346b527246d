"""The benchmark of the simulator: what it measures on, what it refuses, what it reports."""

import dataclasses
import gzip
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

# The benchmarks are no installed package: they run from the clone.
sys.path.append(str(Path(__file__).parents[2]))

from benchmarks import simulator
from benchmarks.simulator_matrices import LISTED, SHAPES, generate, subject
from benchmarks.simulator_report import Record, geometric_mean, peak, restart_peak, summarize
from programs.registry import PROGRAMS
from vecsim.data import find_builtin
from vecsim.engines.running import ENGINES
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

COUNTED = {"stand_in": False, "rows": 2, "engine": "jit", "memory_growth": None, "image_bytes": 64}


@pytest.mark.parametrize("name", SHAPES)
def test_a_stand_in_has_order_entries_and_row_lengths_of_its_model(name):
    shape = SHAPES[name]
    matrix = generate(shape)
    assert matrix.shape == (shape.rows, shape.rows)
    lengths = np.diff(matrix.indptr)
    assert (lengths.min(), lengths.max()) == (shape.lengths[0], shape.lengths[-1])
    assert abs(np.median(lengths) - shape.lengths[5]) <= 1
    assert matrix.indices.min() >= 0
    assert matrix.indices.max() < shape.rows
    places = np.repeat(np.arange(shape.rows), lengths) * shape.rows + matrix.indices
    assert len(np.unique(places)) == shape.nnz
    again = generate(shape)
    np.testing.assert_array_equal(again.indices, matrix.indices)
    np.testing.assert_array_equal(again.data, matrix.data)


def test_every_listed_matrix_is_generated_or_has_a_stand_in():
    assert all(find_builtin(name) is not None or name in SHAPES for name in LISTED)


def test_a_file_comes_before_the_stand_in(tmp_path, monkeypatch):
    content = b"%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1.5\n2 3 2.5\n"
    (tmp_path / "add32.mtx.gz").write_bytes(gzip.compress(content))
    monkeypatch.setenv("VECSIM_MATRICES", os.pathsep.join((str(tmp_path / "none"), str(tmp_path))))
    actual, missing = subject("add32"), subject("bcspwr10")
    assert (actual.name, actual.stand_in) == ("add32", False)
    np.testing.assert_array_equal(actual.csr.toarray(), [[1.5, 0, 0], [0, 0, 2.5]])
    assert (missing.name, missing.stand_in) == ("bcspwr10 (stand-in)", True)
    for matrix in (actual.csr, missing.csr):
        assert (matrix.dtype, matrix.indices.dtype, matrix.indptr.dtype) == (np.float32, np.int32, np.int32)
    with pytest.raises(UserError, match="bcspwr11"):
        subject("bcspwr11")


@pytest.fixture
def other_engine(monkeypatch):
    """The SimPy engine under another name."""
    monkeypatch.setitem(ENGINES, "other", ENGINES["simpy"])
    return "other"


def of(program, engine):
    return simulator.measure(subject("laplace2d-3"), program, load_machine("vs2003"), engine)


def test_a_record_is_consistent(other_engine):
    record = of("jd", other_engine)
    assert (record.matrix, record.rows, record.nnz) == ("laplace2d-3", 9, 33)
    assert record.slowdown == record.seconds / record.scipy_seconds
    assert record.speedup_over_simpy == record.simpy_seconds / record.seconds
    assert record.cycles_per_s * record.seconds == pytest.approx(record.cycles)
    assert record.host_ns_per_nnz * record.nnz_per_s == pytest.approx(1e9)
    assert of("jd", "simpy").speedup_over_simpy is None


def test_engines_that_differ_are_refused(other_engine, monkeypatch):
    whole = simulator.observe_first_run

    def one_cycle_more(*given):
        seconds, run, growth = whole(*given)
        return seconds, dataclasses.replace(run, cycles=run.cycles + 1), growth

    monkeypatch.setattr(simulator, "observe_first_run", one_cycle_more)
    with pytest.raises(RuntimeError, match="the engines must agree"):
        of("jd", other_engine)


def test_a_wrong_product_is_refused():
    x = np.ones(9, np.float32)
    matrix = subject("laplace2d-3").csr
    simulator.check_product("here", matrix, x, matrix @ x)
    for wrong in (0.01, np.nan):
        with pytest.raises(RuntimeError, match="here: wrong product"):
            simulator.check_product("here", matrix, x, matrix @ x + np.float32(wrong))


def test_means_by_hand():
    first = Record(matrix="a", program="crs", seconds=2.0, cycles=8, instructions=4, element_operations=16,
                      nnz=4, scipy_seconds=0.5, simpy_seconds=16.0, **COUNTED)  # fmt: skip
    second = dataclasses.replace(first, matrix="b", scipy_seconds=0.125, element_operations=4)
    third = dataclasses.replace(first, program="jd", simpy_seconds=None)
    summary = summarize([first, second, third])
    assert summary["slowdown"] == pytest.approx({"crs": 8.0, "jd": 4.0})
    assert summary["speedup_over_simpy"] == pytest.approx(8)
    assert summary["element_ops_per_s"] == pytest.approx((8 * 2 * 8) ** (1 / 3))
    assert summary["simpy_element_ops_per_s"] == pytest.approx(0.5)
    assert summary["instructions_per_s"] == pytest.approx(2)
    assert summary["cycles_per_s"] == pytest.approx(4)
    assert geometric_mean([]) is None


@pytest.mark.nightly
def test_the_command_writes_one_record_a_program_and_matrix(tmp_path, monkeypatch, capsys):
    out = tmp_path / "speed.json"
    given = ["--engine", "simpy", "--matrix", "laplace2d-2", "laplace2d-3", "--json", str(out)]
    monkeypatch.setattr(sys, "argv", ["simulator", *given])
    simulator.main()
    content = json.loads(out.read_text())
    assert list(tmp_path.iterdir()) == [out]
    measured = [(record["matrix"], record["program"]) for record in content["records"]]
    assert measured == [(m, p) for m in ("laplace2d-2", "laplace2d-3") for p in PROGRAMS]
    assert list(content["summary"]["slowdown"]) == list(PROGRAMS)
    assert content["summary"]["speedup_over_simpy"] is None
    assert content["host"]["machine"]["label"] == "vs2003"
    assert "laplace2d-3" in capsys.readouterr().out


def test_an_unknown_matrix_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr(
        sys, "argv", ["simulator", "--engine", "simpy", "--program", "jd", "--matrix", "pde1"]
    )
    with pytest.raises(SystemExit):
        simulator.main()
    assert "unknown matrix 'pde1'" in capsys.readouterr().err


def test_peak_memory_sees_what_came_and_went():
    before = restart_peak()
    if before is None:
        pytest.skip("this system does not tell")
    taken = np.ones(5_000_000)
    del taken
    assert 39e6 < peak() - before < 60e6
    assert restart_peak() < before + 20e6
