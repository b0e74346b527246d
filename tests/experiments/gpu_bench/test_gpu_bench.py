import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from fake_cuda import FakeCusparse, FakeDriver, Status
from tiers import one_in

from experiments.baseline import cusparse_library
from experiments.baseline.cusparse_library import Cusparse
from experiments.gpu_bench import bench, compilation, methods
from experiments.gpu_bench.ceilings import Bandwidth, Bandwidths, Gather
from experiments.gpu_bench.gather_bound import GatherBound
from experiments.gpu_bench.gather_counts import counted
from experiments.gpu_bench.matrix_supply import DTYPES, Supplied, rounded_product
from experiments.gpu_bench.measuring import Bench
from experiments.gpu_bench.methods import Method, Ranked
from experiments.gpu_bench.phase_clock import Phases
from experiments.gpu_bench.product_case import Device
from experiments.gpu_bench.records import BENCHMARK, RunJournal
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.gpu_bench.summary import auto_summary, class_means, pairs
from gpu.runtime import cuda_driver, kernel_cache
from gpu.runtime.cuda_driver import OutOfDeviceMemoryError
from vecsim.formats import NotRepresentableError
from vecsim.results.digests import matrix_sha256
from vecsim.results.journal import Journal
from vecsim.support.errors import UserError

TINY = SuiteMatrix("tiny", "small", "a test", source="tiny", transposed=True)
BANDWIDTHS = Bandwidths(4000.0, (Bandwidth(1 << 20, 5000.0), Bandwidth(1 << 30, 4000.0)))

GATHER = GatherBound(5000.0, tuple(Gather(dtype, 1 << 20, 0.001) for dtype in ("float32", "float64")))
"""A request takes a microsecond."""


class FakePlaced:
    """A product on the host that takes a given time on the fake device."""

    def __init__(self, driver, csr, x, us, wrong=False):
        self.driver, self.us, self.nbytes = driver, us, csr.data.nbytes
        self.y = csr @ x + (1 if wrong else 0)
        driver.alive.add(("placed", id(self)))

    def enqueue(self, stream):
        self.driver.work("ours", self.us)

    def read_y(self):
        return self.y

    def close(self):
        self.driver.alive.remove(("placed", id(self)))


@pytest.fixture
def driver(monkeypatch):
    actual = FakeDriver(memory=1 << 26)
    library = FakeCusparse()
    # cuSPARSE's product takes 20 us here.
    multiply = library._SpMV
    library._SpMV = lambda *arguments: (actual.work("cusparse", 20.0), multiply(*arguments))[1]
    supplied_matrix = Cusparse(library)
    monkeypatch.setattr(cuda_driver, "driver", lambda: actual)
    monkeypatch.setattr(cusparse_library, "cusparse", lambda: supplied_matrix)
    monkeypatch.setattr(compilation, "convert_sample", lambda name, dtype: None)
    monkeypatch.setattr(methods, "rank", lambda csr: Ranked({"medium": 1.0, "fast": 2.0}, 0.001))
    return actual


def fake_formats(driver, monkeypatch, **us):
    def formats(csr, ranked, *, old):
        def of(name, takes):
            def place(host, x):
                if takes == "memory":
                    raise OutOfDeviceMemoryError("too little")
                return FakePlaced(driver, csr, x, 1.0 if takes == "wrong" else takes, takes == "wrong")

            def convert():
                if takes == "impossible":
                    raise NotRepresentableError("four times CRS")
                if takes == "broken":
                    raise RuntimeError("a\nbug")

            pruned = "estimated slow" if takes == "slow" else ""
            return Method("vecsim", name, convert, place, pruned=pruned)

        return [of(name, takes) for name, takes in us.items()]

    monkeypatch.setattr(methods, "formats", formats)


def supplied_matrix(csr, matrix=TINY):
    rng = np.random.default_rng(1)
    exact = {}
    for operation, length in (("spmv", csr.shape[1]), ("spmv_t", csr.shape[0])):
        x = rng.uniform(-1, 1, length)
        for dtype in ("float64", "float32"):
            exact[operation, dtype] = rounded_product(csr, x, dtype, transposed=operation == "spmv_t")
    return Supplied(matrix, csr, exact, sha256=matrix_sha256(csr))


def tiny():
    csr = scipy.sparse.random_array((60, 50), density=0.1, rng=1, format="csr")
    csr.indices, csr.indptr = csr.indices.astype(np.int32), csr.indptr.astype(np.int32)
    csr.has_canonical_format = True
    return csr


def run(driver, path=None, *, l2_bytes=1 << 12, transposed=False, supplied=None):
    device = Device("Fake GPU", {"name": "Fake GPU"}, l2_bytes, BANDWIDTHS, "cusparse 0.0", GATHER)
    journal = RunJournal(path, {"commit": "abc"})
    ran = Bench(device, "abc", journal, Phases())
    supplied = supplied or supplied_matrix(tiny())
    ran.measure(supplied, transposed=transposed)
    journal.close()
    return journal.records, ran.line(supplied)


def test_every_method_has_a_record_and_the_best_are_replayed_in_turn(driver, monkeypatch):
    fake_formats(
        driver,
        monkeypatch,
        fast=10.0,
        medium=12.0,
        far=100.0,
        rest="slow",
        bad="wrong",
        large="impossible",
        many="memory",
        odd="broken",
    )
    records, line = run(driver)
    assert not [what for what in driver.alive if what[0] in ("placed", "stream", "graph", "event")]
    in_double = {r.method: r for r in records if r.dtype == "float64" and r.stage == "screen" and r.ours}
    statuses = {name: record.status for name, record in in_double.items()}
    assert statuses == {
        "fast": "ok",
        "medium": "ok",
        "far": "ok",
        "rest": "pruned",
        "bad": "wrong",
        "large": "not_representable",
        "many": "out_of_memory",
        "odd": "failed",
        "auto": "ok",
    }
    assert in_double["odd"].reason == "RuntimeError: a bug"
    assert in_double["fast"].median_us == pytest.approx(10, rel=0.02)
    assert in_double["fast"].error < 1e-15
    assert in_double["fast"].paid_after is not None and in_double["far"].paid_after is None
    assert in_double["auto"].parameters == {"format": "medium"}
    # What took more than 1.5 times as long in double precision is left out in single.
    in_single = {r.method: r for r in records if r.dtype == "float32" and r.ours and r.stage == "screen"}
    assert in_single["far"].status == "pruned" and "10.00 times" in in_single["far"].reason
    actual = {(pair.ours.dtype, pair.ours.cache): pair.ratio for pair in pairs(records)}
    assert actual == {
        (dtype, cache): pytest.approx(2, rel=0.02)
        for dtype in ("float64", "float32")
        for cache in ("warm", "cold")
    }
    assert "fast 10" in line and "2.00 times" in line
    assert auto_summary(records).mean == pytest.approx(1.2, rel=0.02)
    assert {(m.class_, m.cache, m.matrices) for m in class_means(records)} == {
        ("small", "warm", 1),
        ("small", "cold", 1),
    }


def test_a_matrix_larger_than_the_cache_is_not_measured_cold(driver, monkeypatch):
    fake_formats(driver, monkeypatch, fast=10.0)
    records, _ = run(driver, l2_bytes=100)
    assert {record.cache for record in records} == {"warm"}


def test_of_what_is_larger_than_the_cache_only_the_best_are_measured_cold(driver, monkeypatch):
    fake_formats(driver, monkeypatch, fast=10.0, medium=12.0)
    records, _ = run(driver, l2_bytes=1600)
    cold = [record for record in records if record.cache == "cold" and record.dtype == "float32"]
    assert [(record.stage, record.ours) for record in cold] == [("final", True), ("final", False)]
    assert cold[0].method == "fast" and cold[0].ratio == pytest.approx(2, rel=0.02)
    small = [record for record in run(driver)[0] if record.cache == "cold" and record.dtype == "float32"]
    assert [record.method for record in small if record.ours] == ["fast", "medium", "fast"]


def test_the_transposed_product_is_compared_with_operation_and_copy(driver, monkeypatch):
    fake_formats(driver, monkeypatch, fast=10.0)
    records, _ = run(driver, transposed=True, l2_bytes=100)
    is_transposed = [record for record in records if record.operation == "spmv_t" and record.status == "ok"]
    ways = {(r.library, r.parameters.get("transposed")) for r in is_transposed}
    assert ways == {("vecsim", "copy"), ("cusparse 0.0", "operation"), ("cusparse 0.0", "copy")}
    assert all(record.error < 1e-6 for record in is_transposed)


def test_blocks_that_are_not_dense_are_pruned_with_their_fill(driver, monkeypatch):
    fake_formats(driver, monkeypatch, fast=10.0)
    records, _ = run(driver)
    blocks = [record for record in records if record.method.startswith("bsr")]
    assert {record.status for record in blocks} == {"pruned"}
    assert "filled to 0." in blocks[0].reason


def test_a_missing_matrix_is_recorded(driver):
    records, line = run(driver, supplied=Supplied(TINY, None, {}, status="not_found", missing="not here"))
    assert [(record.status, record.reason) for record in records] == [("not_found", "not here")]
    assert "not_found: not here" in line


def test_a_record_is_in_the_journal_at_once(driver, monkeypatch, tmp_path):
    fake_formats(driver, monkeypatch, fast=10.0)
    path = tmp_path / "out.json.journal"
    records, _ = run(driver, path)
    with Journal(path, BENCHMARK, {"commit": "abc"}) as journal:
        lines = journal.records
    assert lines[0] == {"begin": "tiny"}
    assert [line["record"]["method"] for line in lines if "record" in line] == [r.method for r in records]
    assert lines[-1] == {"done": "tiny", "sha256": matrix_sha256(tiny()), "records": len(records)}


def test_half_a_matrix_and_half_a_line_of_a_killed_run_do_not_count(driver, monkeypatch, tmp_path):
    fake_formats(driver, monkeypatch, fast=10.0)
    path = tmp_path / "out.json.journal"
    records, _ = run(driver, path)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    # Killed at any moment before the matrix was done: it is measured again, and its first try is left out.
    for cut in (len(lines[0]), sum(map(len, lines[:3])) - 4, len(whole) - 2):
        path.write_bytes(whole[:cut])
        begun = RunJournal(path, {"commit": "abc"})
        begun.close()
        assert begun.records == []
        again, _ = run(driver, path)
        assert len(again) == len(records)
    recorded = RunJournal(path, {"commit": "abc"})
    recorded.close()
    assert recorded.done == {"tiny": matrix_sha256(tiny())} and len(recorded.records) == len(records)


def test_a_matrix_whose_record_was_damaged_is_measured_again(driver, monkeypatch, tmp_path):
    fake_formats(driver, monkeypatch, fast=10.0)
    path = tmp_path / "out.json.journal"
    records, _ = run(driver, path)
    path.write_bytes(path.read_bytes().replace(b'"fast"', b'"fest"', 1))
    damaged = RunJournal(path, {"commit": "abc"})
    damaged.close()
    assert (damaged.done, damaged.records) == ({}, [])
    again, _ = run(driver, path)
    assert len(again) == len(records)


@pytest.mark.parametrize("wrong", [{}, {"matrix": "tiny"}, [], 5, None, "rows", "parameters"])
def test_what_is_no_record_is_passed_over(driver, monkeypatch, tmp_path, wrong):
    fake_formats(driver, monkeypatch, fast=10.0)
    path = tmp_path / "out.json.journal"
    records, _ = run(driver, path)
    document = {**records[0].document(), wrong: "x"} if isinstance(wrong, str) else wrong
    with Journal(path, BENCHMARK, {"commit": "abc"}) as journal:
        for line in ({"record": document}, {"done": ["tiny"]}, {"begin": {}}, {"done": "other"}):
            journal.append(line)
    recorded = RunJournal(path, {"commit": "abc"})
    recorded.close()
    assert recorded.records == records
    assert set(recorded.done) == {"tiny"}


@pytest.mark.parametrize("class_", ["skewed", "small"])
def test_gathers_are_counted_where_columns_may_be_anywhere(driver, monkeypatch, class_):
    fake_formats(driver, monkeypatch, fast=10.0)
    csr = scipy.sparse.csr_array(np.ones((1, 16)))
    csr.indices, csr.indptr = csr.indices.astype(np.int32), csr.indptr.astype(np.int32)
    supplied = supplied_matrix(csr, replace(TINY, class_=class_))
    more = counted(supplied.matrix, csr, transposed=True, multiprocessors=4, l2_bytes=1 << 12)
    assert set(more) == ({f"gathers {o} {d}" for o in ("spmv", "spmv_t") for d in DTYPES} if more else set())
    records, _ = run(driver, supplied=replace(supplied, more=more))
    # Neighbouring columns, all of one multiprocessor; what is stored takes next to nothing next to them.
    wanted = {"float64": 4.0, "float32": 2.0} if class_ == "skewed" else {"float64": None, "float32": None}
    timed = [each for each in records if each.median_us is not None]
    assert {each.stage for each in timed} == {"screen", "final"}
    bounds = {(each.dtype, each.gather_bound_us and round(each.gather_bound_us, 2)) for each in timed}
    assert bounds == set(wanted.items())
    assert {type(each).from_document(each.document()) == each for each in timed} == {True}


@pytest.mark.parametrize("ending", one_in(2, [signal.SIGINT, signal.SIGTERM]))
def test_a_run_goes_on_where_it_was_cut_off(driver, monkeypatch, tmp_path, ending):
    fake_formats(driver, monkeypatch, fast=10.0)
    matrices = (TINY, replace(TINY, name="second"))
    monkeypatch.setattr(bench, "select", lambda only: matrices)
    document = {"name": "Fake GPU", "multiprocessors": 4}
    device = Device("Fake GPU", document, 100, BANDWIDTHS, "cusparse 0.0")
    monkeypatch.setattr(bench, "open_device", lambda phases: device)
    monkeypatch.setattr(compilation, "compile_estimates", lambda: None)
    monkeypatch.setenv("VECSIM_COMMIT", "abc")

    class Nothing:
        def wait(self):
            pass

        def close(self):
            pass

    monkeypatch.setattr(compilation, "CompiledAhead", lambda names: Nothing())
    monkeypatch.setattr(bench, "names_to_compile", lambda old: [])
    asked = []

    class Supply:
        def __init__(self, todo, transposed, more):
            asked.append([each.name for each in todo])
            self.todo = todo

        def __enter__(self):
            return (supplied_matrix(tiny(), each) for each in self.todo)

        def __exit__(self, *error):
            return None

    monkeypatch.setattr(bench, "supply", Supply)

    def cut_off(line):
        os.kill(os.getpid(), ending)
        time.sleep(5)

    target = tmp_path / "out.json"
    # A shell's background jobs begin with interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            bench.run_bench(None, quick=False, json=target, watch=cut_off)
    finally:
        signal.signal(signal.SIGINT, before)
    whole = bench.run_bench(None, quick=False, json=target)
    assert asked == [["tiny", "second"], ["second"]]
    assert {record.matrix for record in whole.records} == {"tiny", "second"}
    assert whole.header["matrices"] == dict.fromkeys(["tiny", "second"], matrix_sha256(tiny()))
    assert len([record for record in whole.records if record.stage == "final"]) == 2 * 2 * 4


def test_a_device_that_is_lost_ends_the_run_in_one_line(driver, monkeypatch):
    fake_formats(driver, monkeypatch, odd="broken", fast=10.0)
    monkeypatch.setattr(driver, "cuCtxSynchronize", lambda: (Status.CUDA_ERROR_INVALID_VALUE,))
    monkeypatch.setattr(methods, "baselines", lambda csr, library: [])
    with pytest.raises(UserError, match=r"tiny, float64, vecsim odd: the device stopped responding"):
        run(driver)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_samples_are_of_many_kinds(dtype):
    samples = compilation.kernel_samples(dtype)
    for csr in samples:
        csr.check_format()
        assert csr.has_canonical_format and csr.dtype == dtype
        assert csr.indices.dtype == csr.indptr.dtype == np.int32
    assert min(csr.nnz for csr in samples) < 20_000 and max(csr.nnz for csr in samples) > 4_000_000
    spreads = [np.ptp(csr.indices[csr.indptr[1] : csr.indptr[2]]) for csr in samples]
    assert min(spreads) < 32
    assert max(spreads) > 2**16


@pytest.fixture
def compiling(monkeypatch):
    """What is compiled ahead, in threads instead of processes, and nothing really."""
    done = []
    monkeypatch.setattr(
        compilation, "ProcessPoolExecutor", lambda processes, **given: ThreadPoolExecutor(processes)
    )
    monkeypatch.setattr(compilation, "convert_samples", done.extend)
    monkeypatch.setattr(
        compilation, "_compile_kernels", lambda name, dtype: done.append((f"kernels of {name}", dtype))
    )
    return done


def test_kernels_are_compiled_after_their_conversions_into_one_folder(compiling):
    assert kernel_cache.FOLDER not in os.environ
    names = ["csr_alg1", "sliced-ell", "sell-c-sigma", "crs"]
    ahead = compilation.CompiledAhead(names)
    assert Path(os.environ[kernel_cache.FOLDER]).is_dir()
    ahead.wait()
    ahead.close()
    for name in names:
        for dtype in ("float64", "float32"):
            assert compiling.index(name) < compiling.index((f"kernels of {name}", dtype))
    assert len(compiling) == 3 * len(names)
    assert kernel_cache.FOLDER not in os.environ


@pytest.mark.parametrize("part", ["convert_samples", "_compile_kernels"])
def test_what_cannot_be_compiled_ahead_keeps_nobody_waiting(compiling, monkeypatch, part):
    def broken(*arguments):
        raise BrokenProcessPool

    monkeypatch.setattr(compilation, part, broken)
    ahead = compilation.CompiledAhead(["csr_alg1", "crs"])
    ahead.wait()
    ahead.close()


def test_waiting_has_an_end(compiling, monkeypatch):
    for_ever = threading.Event()
    monkeypatch.setattr(compilation, "convert_samples", lambda names: for_ever.wait())
    monkeypatch.setattr(compilation, "PATIENCE_SECONDS", 0.05)
    ahead = compilation.CompiledAhead(["csr_alg1", "crs"])
    ahead.wait()
    ahead.close()
    for_ever.set()


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_to_itself")
def test_a_small_matrix_on_a_real_gpu(tmp_path):
    target = tmp_path / "bfly.json"
    ran = bench.run_bench("bfly", quick=True, json=target)
    assert target.with_name("bfly.json.journal").exists()
    timed = [record for record in ran.records if record.status == "ok"]
    assert all(record.error < 1e-6 and record.median_us > 0.5 for record in timed)
    assert {record.ours for record in timed} == {True, False}
    assert not [record for record in ran.records if record.status in ("wrong", "failed", "not_found")]
    # Both types, warm and cold.
    assert len(pairs(ran.records)) == 4
