"""The check of every kernel, but for the GPU: who checks what, matrices in files, and the results."""

import subprocess
import sys
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.gpu_bench.check import (
    Checked,
    check_group,
    document,
    faults,
    grouped,
    records_of,
    store,
    storing,
    wait_for,
)
from experiments.gpu_bench.suite import SuiteMatrix
from vecsim.data import load
from vecsim.results.digests import matrix_sha256
from vecsim.support.errors import UserError

THERE = SuiteMatrix("lap_25", "small", "", source="lap_25")
MISSING = SuiteMatrix("nowhere", "small", "", source="no-such-matrix")


def test_every_method_belongs_to_one_process():
    pytest.importorskip("numba")
    from gpu.kernel_registry import KERNELS

    groups = grouped(list(KERNELS))
    assert sorted(name for names, _ in groups for name in names) == sorted(KERNELS)
    assert {names[0] for names, shares in groups if shares > 1} == {"ell", "jd", "bbcs", "hism"}


def test_a_matrix_comes_back_from_its_files(tmp_path):
    store(THERE, tmp_path)
    stored = wait_for(THERE, tmp_path)
    csr = load("lap_25").csr
    assert stored.sha256 == matrix_sha256(csr)
    np.testing.assert_array_equal(stored.csr.toarray(), csr.toarray())
    for (_, dtype), exact in stored.exact.items():
        assert exact.x.dtype == dtype
        assert exact.error((csr.astype(dtype) @ exact.x).astype(dtype)) < np.finfo(dtype).eps


def test_after_its_time_nothing_is_begun(tmp_path):
    assert wait_for(THERE, tmp_path, until=0) is None
    records = check_group(["crs", "jd"], [(THERE, tmp_path)], until=0)
    assert [(each.method, each.status) for each in records] == [
        ("crs", "not_reached"),
        ("crs", "not_reached"),
        ("jd", "not_reached"),
        ("jd", "not_reached"),
    ]
    assert faults(records) == []


def test_what_was_stored_is_not_made_again(tmp_path):
    store(THERE, tmp_path)
    before = (tmp_path / "data.npy").stat().st_mtime_ns
    store(THERE, tmp_path)
    assert (tmp_path / "data.npy").stat().st_mtime_ns == before


@pytest.mark.ci
def test_other_processes_make_matrices_and_say_what_is_missing(tmp_path):
    pool = storing([(THERE, tmp_path / "there"), (MISSING, tmp_path / "missing")])
    try:
        assert wait_for(THERE, tmp_path / "there").csr.nnz == load("lap_25").csr.nnz
        missing = wait_for(MISSING, tmp_path / "missing")
        assert (missing.csr, missing.status) == (None, "not_found")
        assert "no-such-matrix" in missing.missing
    finally:
        pool.shutdown()


def test_a_process_that_breaks_down_is_the_record_of_what_it_had_to_do():
    broken = Future()
    broken.set_exception(MemoryError("no room"))
    actual = records_of(broken, ["crs", "jd"], [THERE])
    assert [(each.matrix, each.method, each.dtype) for each in actual] == [
        (THERE.name, name, dtype) for name in ("crs", "jd") for dtype in ("float64", "float32")
    ]
    assert {(each.status, each.reason) for each in actual} == {("failed", "MemoryError: no room")}


RECORDS = (
    Checked("b", "crs", "float64", "ok", "", 1.23456e-16, 1e-12),
    Checked("a", "ell", "float32", "not_representable", "too wide"),
    Checked("a", "jd", "float32", "wrong", "the error is 0.5", 0.5, 1e-5),
    Checked("c", "jd", "float32", "not_found", "no such file"),
    Checked("c", "coo", "float32", "failed", "ValueError: x"),
)


def test_faults_are_what_is_wrong_or_failed():
    assert faults(RECORDS) == [
        "jd on a, float32: wrong: the error is 0.5",
        "coo on c, float32: failed: ValueError: x",
    ]


def test_results_as_json():
    records = [replace(each, matrix_sha256=64 * "1") if each.matrix == "b" else each for each in RECORDS]
    actual = document(records, {"name": "X"})
    assert actual["matrices"] == {"b": 64 * "1"}
    assert actual["kind"] == "vecsim gpu check"
    assert [each["matrix"] for each in actual["records"]] == ["a", "a", "b", "c", "c"]
    assert actual["records"][2] == {
        "matrix": "b",
        "method": "crs",
        "dtype": "float64",
        "status": "ok",
        "error": 1.23e-16,
        "limit": 1e-12,
    }


def test_an_unknown_format_is_named():
    pytest.importorskip("numba.cuda")
    from experiments.gpu_bench.check import check_suite

    with pytest.raises(UserError, match=r"^--format: unknown format 'elll'; .*; did you mean 'ell'\?$"):
        check_suite("small", ["elll"])


def test_without_a_gpu_it_says_so(monkeypatch):
    pytest.importorskip("numba.cuda")
    from experiments.gpu_bench.check import check_suite
    from gpu.runtime import cuda

    monkeypatch.setattr(cuda, "SIMULATED", False)
    monkeypatch.setattr(cuda, "cuda", SimpleNamespace(is_available=lambda: False))
    with pytest.raises(UserError, match="no NVIDIA GPU"):
        check_suite("small")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("usable", "message"), [(False, "no NVIDIA GPU can be used"), (True, "pip install 'vecsim[gpu]'")]
)
def test_a_plain_installation_has_no_kernels_and_says_so(usable, message):
    code = (
        "import sys\n"
        "from experiments.gpu_bench.check import check_suite\n"
        "from gpu.runtime import cuda\n"
        "from vecsim.support.errors import UserError\n"
        "cuda.SIMULATED = False\n"
        f"cuda.cuda.is_available = lambda: {usable}\n"
        "sys.modules['gpu.kernel_registry'] = None\n"
        "try:\n"
        "    check_suite(None)\n"
        "except UserError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert message in done.stdout
