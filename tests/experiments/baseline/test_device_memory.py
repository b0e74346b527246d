import numpy as np
import pytest
from fake_cuda import FakeDriver

from experiments.baseline.device_memory import DeviceMemory
from gpu.runtime import cuda_driver
from gpu.runtime.cuda_driver import OutOfDeviceMemoryError


@pytest.fixture
def fake(monkeypatch) -> FakeDriver:
    actual = FakeDriver()
    monkeypatch.setattr(cuda_driver, "driver", lambda: actual)
    return actual


def test_device_memory_holds_what_it_is_given(fake):
    array = np.arange(6, dtype=np.float32)
    with DeviceMemory.holding(array) as memory:
        assert memory.nbytes == 24
        np.testing.assert_array_equal(memory.read(6, np.float32), array)
        with pytest.raises(ValueError, match="32 bytes do not fit; at most 24 are possible"):
            memory.write(np.zeros(4))
    assert not fake.allocated


def test_too_little_device_memory_is_said_in_one_line(fake):
    with pytest.raises(OutOfDeviceMemoryError, match="too little free memory") as caught:
        DeviceMemory(2 << 30)
    assert "\n" not in str(caught.value)
    assert not fake.allocated
