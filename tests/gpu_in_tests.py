"""The GPU in tests: who uses it, and when."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu.runtime.cuda_driver import NoGpuError, driver


def missing() -> str:
    """Say why no GPU can be used here; empty if one can."""
    try:
        driver()
    except NoGpuError as error:
        return str(error)
    return ""


@pytest.fixture
def gpu_with_others(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Use the GPU at the same time as other tests."""
    yield from _locked(request, tmp_path_factory, exclusive=False)


@pytest.fixture
def gpu_to_itself(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep other tests from the GPU: for those that measure times, or look at its free memory."""
    yield from _locked(request, tmp_path_factory, exclusive=True)


def _locked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, *, exclusive: bool
) -> Iterator[None]:
    """Hold the lock of all workers on the GPU; without one the tier ``gpu`` fails, others skip the test."""
    if reason := missing():
        if request.config.getoption("tier") == "gpu":
            pytest.fail(reason)
        pytest.skip(reason)
    import fcntl  # not on Windows

    lock: Path = tmp_path_factory.getbasetemp().parent / "gpu.lock"
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield
