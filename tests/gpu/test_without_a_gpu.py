import importlib.util
import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys
import scipy.sparse
import gpu
from vecsim.support.errors import UserError
try:
    gpu.prepare(scipy.sparse.eye_array(3))
except UserError as error:
    print(error)
print([name for name in ("pydantic", "lark", "simpy") if name in sys.modules])
"""


@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
def test_one_line_says_so_and_only_numba_is_needed():
    environment = dict(os.environ, NUMBA_ENABLE_CUDASIM="0", CUDA_VISIBLE_DEVICES="-1")
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    message, modules = ran.stdout.splitlines()
    assert message.startswith("no NVIDIA GPU can be used")
    assert modules == "[]"
