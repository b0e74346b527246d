"""Benchmarks that need the GPU part, where it is not installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMANDS = (("fit_auto", "measure", "times.jsonl", "--seconds", "1"),)
PROGRAM = """
import runpy, sys, warnings
warnings.simplefilter("ignore")
sys.modules["numba_cuda"] = None
del sys.argv[0]
runpy.run_module("benchmarks." + sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_not_installed_is_said_in_one_line(command):
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_ENABLE_CUDASIM"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command],
        cwd=ROOT,
        env=environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    said = "error: CUDA for Python is not installed, which the GPU part needs (pip install 'vecsim[gpu]')"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == said
    assert "Traceback" not in done.stderr
