"""What the simulator needs."""

import importlib.util
import os
import re

import pytest

# Not a dependency of the products themselves; the extra `test` brings it.
collect_ignore_glob = [] if importlib.util.find_spec("numba_cuda") else ["test_*.py"]


@pytest.fixture(autouse=True)
def one_core():
    """Keep a test to one core, each worker to another.

    The simulator's threads take turns, and it costs time to hand the turn to another core: next to other
    workers a test takes up to three times as long.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    usual = os.sched_getaffinity(0)
    number = re.search(r"\d*$", os.environ.get("PYTEST_XDIST_WORKER", ""))[0]
    os.sched_setaffinity(0, {sorted(usual)[int(number or 0) % len(usual)]})
    yield
    os.sched_setaffinity(0, usual)
