"""Device arrays compared on a real GPU."""

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("gpu_with_others")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint32])
def test_one_word_of_millions_makes_the_difference(dtype):
    from gpu.measure.equality import are_equal
    from gpu.runtime.memory import copied, upload

    values = np.arange(5_000_011).astype(dtype)
    one = upload(values)
    assert are_equal(one, copied(one))
    for place in (0, 4_000_000, 5_000_010):
        other = values.copy()
        other[place] += 3
        assert not are_equal(one, upload(other))
