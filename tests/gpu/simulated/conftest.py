"""What simulated and interpreted code is allowed, and what it needs."""

import importlib.util
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Not a dependency of the products themselves; the extra `test` brings it.
collect_ignore_glob = [] if importlib.util.find_spec("numba_cuda") else ["test_*.py"]


def pytest_collection_modifyitems(items):
    # Compiled integers wrap around in silence, as hashes do on purpose.
    wrapping = pytest.mark.filterwarnings("ignore:overflow encountered in scalar multiply:RuntimeWarning")
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(wrapping)
