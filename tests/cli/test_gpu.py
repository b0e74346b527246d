import json
import subprocess
import sys

import pytest

from experiments.gpu_bench import bench, ceilings
from experiments.gpu_bench.ceilings import Bandwidth, Ceilings, Gather, LaunchCost, Reduction
from experiments.gpu_bench.records import Record, Run, read_run
from gpu.runtime import cuda, device_info
from gpu.runtime.cuda_driver import NoGpuError
from gpu.runtime.device_info import DeviceInfo

INFO = DeviceInfo(
    name="Fake GPU",
    compute_capability=(9, 0),
    multiprocessors=132,
    threads_per_multiprocessor=2048,
    memory_bytes=141 << 30,
    l2_bytes=60 << 20,
    shared_bytes_per_multiprocessor=228 << 10,
    clock_mhz=1980,
    memory_clock_mhz=3201,
    memory_bus_bits=6144,
    driver_version=None,
    cuda_driver="13.0",
    cuda_runtime="13.0",
    cusparse="12.6.3",
    packages={"numba-cuda": "0.30.4"},
)
CEILINGS = Ceilings(
    {"name": "Fake GPU"},
    "2026-11-21T00:00:00+00:00",
    4275.0,
    (Bandwidth(1 << 20, 5000.0), Bandwidth(1 << 30, 4300.0)),
    (Gather("float32", 1 << 16, 900.0), Gather("float64", 1 << 20, 400.0)),
    (Reduction("float32", "coalesced", 300.0), Reduction("float32x4", "coalesced", 200.0)),
    LaunchCost({0: 4.0}, 2.5, 1.25),
)


RECORDS = [
    Record(
        matrix="memplus",
        class_="small",
        generated=False,
        rows=9,
        cols=9,
        nnz=20,
        dtype="float64",
        operation="spmv",
        parameters={},
        bytes=300,
        error=0.0,
        library=library,
        method=method,
        median_us=us,
        stage=stage,
        ratio=ratio,
    )
    for library, method, us, stage, ratio in (
        ("cusparse 12", "csr_alg1", 6.0, "screen", None),
        ("vecsim", "crs", 4.0, "screen", None),
        ("vecsim", "auto", 5.0, "screen", None),
        ("vecsim", "crs", 4.0, "final", 1.5),
        ("cusparse 12", "csr_alg1", 6.0, "final", None),
    )
]


@pytest.mark.parametrize("command", ["info", "ceilings", "bench", "check"])
def test_without_a_gpu_a_command_says_so_in_one_line(vecsim, monkeypatch, tmp_path, command):
    def missing():
        raise NoGpuError("no GPU was found (the NVIDIA driver is not installed)")

    monkeypatch.setattr(device_info, "driver", missing)
    monkeypatch.setattr(cuda, "require_gpu", missing)
    target = tmp_path / "out.json"
    message = vecsim("gpu", command, "--json", target).mistake()
    assert message.startswith(
        f"vecsim gpu {command}: no GPU was found (the NVIDIA driver is not installed): "
    )
    assert "`vecsim reproduce pellr`" in message
    assert "CUDASIM" not in message
    assert "\n" not in message
    assert not target.exists()


def test_info_shows_the_gpu_and_what_is_not_known(vecsim, monkeypatch):
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    result = vecsim("gpu", "info")
    assert result.code == 0
    rows = dict(line.rsplit(maxsplit=1) for line in result.out.splitlines()[2:] if line.strip())
    assert rows["compute capability"] == "9.0"
    assert rows["cuSPARSE"] == "12.6.3"
    assert rows["driver"] == "-"
    assert "4,917 GB/s" in result.out


def test_info_as_json(vecsim, monkeypatch):
    monkeypatch.setattr(device_info, "device_info", lambda: INFO)
    document = json.loads(vecsim("gpu", "info", "--json", "-").out)
    assert document["name"] == "Fake GPU"
    assert document["driver_version"] is None
    assert document["nominal_gb_per_s"] == pytest.approx(4916.7, abs=0.1)


def test_ceilings_are_shown_and_written(vecsim, monkeypatch, tmp_path):
    monkeypatch.setattr(ceilings, "measure_ceilings", lambda watch: CEILINGS)
    target = tmp_path / "ceilings.json"
    result = vecsim("gpu", "ceilings", "--json", target)
    assert result.code == 0
    assert "Fake GPU, 2026-11-21T00:00:00+00:00; copy 4,275 GB/s" in result.out
    gather = next(line for line in result.out.splitlines() if line.startswith("64 KiB"))
    assert gather.split()[2:] == ["900.00", "-"]
    assert Ceilings.from_document(json.loads(target.read_text())) == CEILINGS


def test_bench_shows_means_and_phases_and_writes_the_records(vecsim, monkeypatch, tmp_path):
    target = tmp_path / "bench.json"
    journal = tmp_path / "bench.json.journal"
    header = {"device": {"name": "Fake GPU"}, "date": "2026-11-22", "commit": None, "copy_gb_per_s": 4000.0}
    run = Run(header, RECORDS, {"measure": 61.25})

    def run_bench(only, *, quick, json, watch):
        assert (only, quick, json) == ("small", True, target)
        journal.write_text("{}")
        watch("memplus: 1.50 times")
        return run

    monkeypatch.setattr(bench, "run_bench", run_bench)
    result = vecsim("gpu", "bench", "--only", "small", "--quick", "--json", target)
    assert result.code == 0
    assert "memplus: 1.50 times" in result.out
    assert "auto takes 1.250 times as long as the best of ours" in result.out
    row = next(line for line in result.out.splitlines() if line.startswith("spmv"))
    assert row.split() == ["spmv", "small", "warm", "float64", "1", "1.50", "1.50", "memplus"]
    assert ["measure", "61.2"] in [line.split() for line in result.out.splitlines()]
    assert read_run(target).document().items() >= run.document().items()
    assert not journal.exists()


def test_bench_refuses_what_the_suite_does_not_have(vecsim):
    message = vecsim("gpu", "bench", "--only", "lost").mistake()
    assert message.startswith("--only lost: is neither a class")


BARE = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {absent}:
            raise ImportError(name)

sys.meta_path.insert(0, Absent())
from vecsim.cli import main
import experiments.gpu_bench.bench, experiments.gpu_bench.summary, experiments.report.environment
code = main(["gpu", {command!r}])
assert "vecsim.machine" not in sys.modules
sys.exit(code)
"""
# pydantic is not among them: typer imports it where it is installed. Of ours, only vecsim.machine does.
ABSENT = (
    "lark",
    "simpy",
    "matplotlib",
    "tomlkit",
    "jinja2",
    "requests",
    "filelock",
    "platformdirs",
    "trimesh",
)


@pytest.mark.parametrize("command", ["bench", pytest.param("info", marks=pytest.mark.ci)])
def test_the_command_needs_no_library_of_the_simulator(command):
    code = BARE.format(absent=ABSENT, command=command)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr
    assert ran.returncode == 0 or (ran.returncode == 2 and ran.stderr.count("\n") == 1)


def test_cuda_is_not_loaded_by_other_commands():
    code = "import sys, vecsim.cli; print([n for n in sys.modules if n.split('.')[0] in ('gpu', 'cuda')])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
