"""Results on the device compared with exact ones there."""

import numpy as np
import pytest

from gpu.measure.equality import far_apart
from gpu.runtime.memory import upload


@pytest.mark.parametrize(
    ("one", "two", "far"),
    [
        ([1.0, 2.0, 3.0], [1.0, 2.5, 3.0], 0),
        ([1.0, 2.0, 3.0], [1.0, 2.501, 2.0], 2),
        ([np.nan, 2.0, np.nan], [np.nan, 2.0, 3.0], 2),
        ([np.inf, -np.inf, np.inf], [np.inf, np.inf, 1.0], 2),
    ],
)
def test_elements_that_are_far_apart_are_counted(one, two, far):
    assert far_apart(upload(np.array(one)), upload(np.array(two)), 0.5) == far


def test_every_element_of_long_arrays_is_looked_at():
    exact = np.arange(400.0)
    built = exact.copy()
    built[[0, 127, 128, 399]] += 2
    assert far_apart(upload(built), upload(exact), 1.0) == 4
