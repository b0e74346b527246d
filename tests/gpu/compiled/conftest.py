"""The device that kernels are compiled for where there is none, by NVIDIA's compiler."""

from pathlib import Path
from types import SimpleNamespace

import pytest

HERE = Path(__file__).parent
HOPPER = (9, 0)


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.nightly)
            item.add_marker(pytest.mark.gpu)


@pytest.fixture(scope="session")
def nvidia_compiler(pytestconfig):
    from cuda.pathfinder import DynamicLibNotFoundError

    from gpu.runtime.cuda import cuda

    def nothing():
        pass

    try:
        cuda.compile_ptx(nothing, (), cc=HOPPER)
    except DynamicLibNotFoundError:
        message = "NVIDIA's compiler is missing: pip install 'numba-cuda[cu13]'"
        if pytestconfig.getoption("tier") in ("gpu", "nightly"):
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture(autouse=True)
def a_device(nvidia_compiler, monkeypatch):
    # Device functions are compiled for the GPU of the machine; let there be one.
    import numba.cuda.dispatcher

    device = SimpleNamespace(compute_capability=HOPPER)
    monkeypatch.setattr(numba.cuda.dispatcher, "get_current_device", lambda: device)
