"""Run each file of ``simulated`` in the CUDA simulator, the others without, each in a process of its own."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = sorted(path.relative_to(HERE) for path in HERE.glob("*/test_*.py"))


@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
@pytest.mark.parametrize("file", FILES, ids=str)
def test_file(file):
    folder = file.parts[0]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"VECSIM_GPU_TESTS": folder, "NUMBA_ENABLE_CUDASIM": str(int(folder == "simulated"))}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "-rs", str(HERE / file)],
        cwd=HERE.parents[1],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    if " passed" not in ran.stdout:
        pytest.skip(ran.stdout)
