"""Entries put into places on the device, next to what the host makes of them."""

import numpy as np
import pytest

from gpu.compound import QUATERNION, UNIT_QUATERNION, CompoundMatrix
from gpu.compound.component_layout import AOS, SOA, ComponentLayout
from gpu.compound.device_compound import placed_pattern
from gpu.compound.placement import DeviceEntries


def matrix_of(entry):
    sampled = np.random.default_rng(5)
    lengths = sampled.integers(0, 6, 37)
    indices = np.concatenate([np.sort(sampled.choice(9, length, replace=False)) for length in lengths])
    components = [
        sampled.normal(size=len(indices)) if kind == "real" else sampled.integers(-9, 9, len(indices))
        for _, kind in entry.entry
    ]
    pointers = np.concatenate(([0], np.cumsum(lengths)))
    return CompoundMatrix.from_arrays(entry, (37, 9), pointers, indices, components)


@pytest.mark.parametrize(
    "layout", [AOS, SOA, ComponentLayout(8), ComponentLayout(None, 2), ComponentLayout(32, 4)]
)
@pytest.mark.parametrize("outer", ["csr", "ellpack-r", "sorted-32"])
def test_the_device_places_as_the_host_does(outer, layout):
    matrix = matrix_of(UNIT_QUATERNION if outer == "sorted-32" else QUATERNION)
    pattern, entries = placed_pattern(matrix, outer), DeviceEntries(matrix)
    columns = [
        np.stack([matrix.components[k] for k in of], axis=1) if of else None
        for of in (matrix.entry.reals, matrix.entry.integers)
    ]
    reals = layout.arranged(pattern.host.at_places(columns[0]))
    np.testing.assert_array_equal(entries.reals_at(pattern, layout).copy_to_host(), reals)
    if columns[1] is not None:
        integers = pattern.host.at_places(columns[1]).ravel()
        np.testing.assert_array_equal(entries.integers_at(pattern).copy_to_host(), integers)
