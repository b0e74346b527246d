from experiments.crosscheck.device import find_device
from gpu.runtime import cuda_driver
from gpu.runtime.cuda_driver import NoGpuError


def test_without_a_gpu_the_reason_is_one_line(monkeypatch):
    def missing():
        raise NoGpuError("no GPU was found (the NVIDIA driver is not installed)")

    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    monkeypatch.setattr(cuda_driver, "driver", missing)
    assert find_device() == (None, "no GPU was found (the NVIDIA driver is not installed)")
