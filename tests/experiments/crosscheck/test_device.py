from experiments.crosscheck.device import find_device
from gpu import cuda_runtime
from gpu.cuda_runtime import NoGpuError


def test_without_a_gpu_the_reason_is_one_line(monkeypatch):
    def missing():
        raise NoGpuError("no GPU was found (the NVIDIA driver is not installed)")

    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    monkeypatch.setattr(cuda_runtime, "driver", missing)
    assert find_device() == (None, "no GPU was found (the NVIDIA driver is not installed)")
