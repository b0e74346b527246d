"""What stays on a real GPU, and what a full one does."""

import gc

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.kernel_registry import KERNELS
from gpu.runtime.cuda_driver import OutOfDeviceMemoryError, Stream, synchronize
from gpu.runtime.memory import free_bytes
from vecsim.formats import NotRepresentableError

pytestmark = pytest.mark.usefixtures("all_memory_of_the_gpu")


def scattered(rows, entries, seed):
    rng = np.random.default_rng(seed)
    at = rng.integers(0, rows, entries), rng.integers(0, rows, entries)
    return scipy.sparse.csr_array((rng.standard_normal(entries), at), shape=(rows, rows))


PAGES = 16 << 20
"""So much the driver keeps now and then of what was freed, bytes: pages of 2 MiB, three at once were seen."""


def test_plain_memory_comes_back():
    from experiments.baseline.device_memory import DeviceMemory

    synchronize()
    before = free_bytes()
    array = np.arange(1000.0)
    for _ in range(100):
        with DeviceMemory.holding(array) as memory, Stream() as stream:
            stream.synchronize()
            np.testing.assert_array_equal(memory.read(1000, np.float64), array)
    assert free_bytes() >= before - (4 << 20)


def test_memory_is_back_at_its_start_after_100_conversions():
    from gpu.runtime.cuda import cuda

    matrices = [scattered(20_000, 200_000, seed) for seed in range(3)]
    # Kernels are loaded once and stay.
    formats = [name for name in KERNELS if name not in ("ell", "ellpack-r")]
    for format in formats:
        possible(matrices[0], format)
    gc.collect()
    there = cuda.current_context().memory_manager.allocations
    start, arrays = free_bytes(), len(there)
    # Each takes 4 MiB and more.
    for number in range(100):
        possible(matrices[number % 3], formats[number % len(formats)])
    gc.collect()
    assert free_bytes() >= start - PAGES
    assert len(there) == arrays


def possible(matrix, format):
    try:
        gpu.prepare(matrix, format, transpose="crs") @ np.ones(matrix.shape[1])
    except NotRepresentableError:
        return


def test_a_matrix_larger_than_the_device_is_refused_and_nothing_stays():
    from experiments.baseline.device_memory import DeviceMemory
    from gpu.runtime.cuda import cuda

    gpu.prepare(scattered(3000, 40_000, 1), "crs") @ np.ones(3000)
    start = free_bytes()
    taken = DeviceMemory(int(start) - (64 << 20))
    try:
        columns = np.tile(np.arange(0, 1000, 100, dtype=np.int32), 10**6)
        matrix = scipy.sparse.csr_array(
            (np.ones(10**7), columns, np.arange(0, 10**7 + 1, 10)), shape=(10**6, 1000)
        )
        before = free_bytes()
        for format in ("auto", "crs", "sliced-ell"):
            with pytest.raises(OutOfDeviceMemoryError, match="too little memory"):
                gpu.prepare(matrix, format)
            assert free_bytes() == before
        # The check set aside: what had found room is freed.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("gpu.preparation._require_room", lambda *arguments, **options: None)
            there = cuda.current_context().memory_manager.allocations
            arrays = len(there)
            for _ in range(3):
                with pytest.raises(OutOfDeviceMemoryError) as caught:
                    gpu.prepare(matrix, "crs")
                assert caught.value.args
                assert len(there) == arrays
            # A nearly full device keeps what was freed for itself (42 MiB here), but once, not each time.
            assert free_bytes() > before - (48 << 20)
    finally:
        taken.close()
