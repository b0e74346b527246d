"""What runs in the CUDA simulator, and what looks at compiled kernels, runs in processes of its own.

Numba decides between simulator and compiler when it is imported, for the whole process.
"""

import os

# Set by test_in_processes_of_their_own.py for the process that it starts.
FOLDER = os.environ.get("VECSIM_GPU_TESTS")

collect_ignore_glob = [f"{folder}/*" for folder in ("simulated", "compiled") if folder != FOLDER]
