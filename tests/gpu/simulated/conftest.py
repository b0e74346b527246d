"""What the simulator needs."""

import importlib.util

# Not a dependency of the products themselves; the extra `test` brings it.
collect_ignore_glob = [] if importlib.util.find_spec("numba_cuda") else ["test_*.py"]
