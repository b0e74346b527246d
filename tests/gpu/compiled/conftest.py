"""The device that kernels are compiled for where there is none."""

from types import SimpleNamespace

import numba.cuda.dispatcher
import pytest
from cuda.pathfinder import DynamicLibNotFoundError

from gpu.runtime.cuda import cuda

HOPPER = (9, 0)


@pytest.fixture(autouse=True)
def compiler(monkeypatch):
    # Device functions are compiled for the GPU at hand; let one be at hand.
    device = SimpleNamespace(compute_capability=HOPPER)
    monkeypatch.setattr(numba.cuda.dispatcher, "get_current_device", lambda: device)

    def nothing():
        pass

    try:
        cuda.compile_ptx(nothing, (), cc=HOPPER)
    except DynamicLibNotFoundError:
        pytest.skip("NVIDIA's compiler is not at hand: pip install 'numba-cuda[cu13]'")
