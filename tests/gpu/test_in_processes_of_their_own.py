"""Run the files of ``simulated`` in the CUDA simulator, other folders without it, in their own processes."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Conversions of tiny matrices take Python less time than Numba takes to compile them. These two files see to
# it that they are right when they are compiled; test_choice.py has large matrices, too.
COMPILED = [HERE / "simulated" / f"test_{name}.py" for name in ("choice", "compiled_conversions")]
INTERPRETED = sorted(set((HERE / "simulated").glob("test_*.py")) - set(COMPILED))
# Sees and fills the memory of the whole device: nothing else may use it meanwhile.
ALONE = HERE / "real" / "test_memory_of_a_gpu.py"
# Each process takes seconds to begin; several share the cores.
SHARES = 3
PROCESSES = {
    "compiled": [HERE / "compiled"],
    "simulated, conversions compiled": COMPILED,
    **{f"simulated, {share + 1} of {SHARES}": INTERPRETED[share::SHARES] for share in range(SHARES)},
}
# Compiled integers wrap around in silence, as hashes do on purpose.
WRAPPING = "ignore:overflow encountered in scalar multiply:RuntimeWarning"
WORKERS_OF_A_GPU = 8

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed"
)


@pytest.mark.parametrize("name", PROCESSES)
def test_process(name):
    files = PROCESSES[name]
    simulated, interpreted = name.startswith("simulated"), files[0] in INTERPRETED
    run(
        files,
        ["-n", "0", *(["-W", WRAPPING] if interpreted else [])],
        VECSIM_GPU_TESTS="simulated" if simulated else name,
        NUMBA_ENABLE_CUDASIM=str(int(simulated)),
        NUMBA_DISABLE_JIT=str(int(interpreted)),
    )


@pytest.mark.usefixtures("gpu_to_itself")
def test_on_a_gpu(tmp_path):
    # A kernel that one process has compiled the others find in the folder.
    compiled = {"NUMBA_ENABLE_CUDASIM": "0", "NUMBA_DISABLE_JIT": "0", "VECSIM_KERNELS": str(tmp_path)}
    workers = ["-n", str(min(WORKERS_OF_A_GPU, os.cpu_count() or 1))]
    others = sorted(set((HERE / "real").glob("test_*.py")) - {ALONE})
    run(others, workers, VECSIM_GPU_TESTS="real", **compiled)
    run([ALONE], ["-n", "0"], VECSIM_GPU_TESTS="real", **compiled)


def run(files, options, **variables):
    """Run test files with pytest in a process of its own; skipped if all of them are."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", *options, *map(str, files)],
        cwd=HERE.parents[1],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    if " passed" not in ran.stdout:
        pytest.skip(ran.stdout)
