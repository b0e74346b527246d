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
# Each process takes seconds to begin; several share the cores.
SHARES = 3
PROCESSES = {
    "compiled": [HERE / "compiled"],
    "real": [HERE / "real"],
    "simulated, conversions compiled": COMPILED,
    **{f"simulated, {share + 1} of {SHARES}": INTERPRETED[share::SHARES] for share in range(SHARES)},
}
# Compiled integers wrap around in silence, as hashes do on purpose.
WRAPPING = "ignore:overflow encountered in scalar multiply:RuntimeWarning"


@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
@pytest.mark.parametrize("name", PROCESSES)
def test_process(name):
    files = PROCESSES[name]
    simulated, interpreted = name.startswith("simulated"), files[0] in INTERPRETED
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment |= {
        "VECSIM_GPU_TESTS": "simulated" if simulated else name,
        "NUMBA_ENABLE_CUDASIM": str(int(simulated)),
        "NUMBA_DISABLE_JIT": str(int(interpreted)),
    }
    options = ["-n", "0", "-p", "no:cacheprovider", "-rs", *(["-W", WRAPPING] if interpreted else [])]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *map(str, files)],
        cwd=HERE.parents[1],
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    if " passed" not in ran.stdout:
        pytest.skip(ran.stdout)
