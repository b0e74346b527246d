"""The GPU in tests: who uses it, and when."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu.runtime.cuda_driver import NoGpuError, driver


def missing() -> str:
    """Return why no GPU can be used here; empty if one can."""
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


@pytest.fixture
def all_memory_of_the_gpu(gpu_to_itself: None) -> None:
    """Count every free byte: these tests go first, while no worker can come to its end.

    A worker that ends gives back what its context held, which a test that fills the GPU must not meet.
    """


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put those tests first that no worker may end next to."""
    items.sort(key=lambda item: "all_memory_of_the_gpu" not in getattr(item, "fixturenames", ()))


def _locked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, *, exclusive: bool
) -> Iterator[None]:
    """Hold the lock of all workers on the GPU; without one the tier ``gpu`` fails, others skip the test.

    Who waits for the GPU keeps the door, so that tests that share it do not keep it for ever.
    """
    if reason := missing():
        if request.config.getoption("tier") == "gpu":
            pytest.fail(reason)
        pytest.skip(reason)
    import fcntl  # not on Windows

    folder: Path = tmp_path_factory.getbasetemp().parent
    with (folder / "gpu-door.lock").open("a") as door, (folder / "gpu.lock").open("a") as lock:
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(lock, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        fcntl.flock(door, fcntl.LOCK_UN)
        yield
