"""What runs in the CUDA simulator, on compiled kernels or on a GPU runs in processes of its own.

Numba decides between simulator and compiler when it is imported, for the whole process.
"""

import os

# Set by test_in_processes_of_their_own.py for the process that it starts; set it to run
# a folder by hand: VECSIM_GPU_TESTS=real pytest -n 0 tests/gpu/real
FOLDER = os.environ.get("VECSIM_GPU_TESTS")

collect_ignore_glob = [f"{folder}/*" for folder in ("simulated", "compiled", "real") if folder != FOLDER]
