"""Device arrays compared on the device."""

import numpy as np

from gpu.measure.equality import are_equal
from gpu.runtime.memory import copied, upload


def test_equal_is_bit_for_bit():
    values = np.linspace(0, 1, 300)
    one, other = upload(values), values.copy()
    assert are_equal(one, copied(one))
    other[299] = np.nextafter(1, 2)
    assert not are_equal(one, upload(other))
    assert not are_equal(upload(np.zeros(2)), upload(np.array([0.0, -0.0])))
    assert not are_equal(one, upload(values.astype(np.float32)))
    assert not are_equal(one, upload(values[:299]))
    assert are_equal(upload(np.arange(3, dtype=np.int32)), upload(np.arange(3, dtype=np.int32)))
