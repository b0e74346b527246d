"""Layouts of components: each by hand, and what `address` says against where `arranged` puts things."""

import numpy as np
import pytest

from gpu.compound.component_layout import AOS, SOA, ComponentLayout
from vecsim.support.errors import UserError

THREE_OF_TWO = np.array([[1, 10], [2, 20], [3, 30]])


@pytest.mark.parametrize(
    ("layout", "array"),
    [
        (AOS, [1, 10, 2, 20, 3, 30]),
        (SOA, [1, 2, 3, 10, 20, 30]),
        (ComponentLayout(2), [1, 2, 10, 20, 3, 0, 30, 0]),
        (ComponentLayout(None, 2), [1, 10, 2, 20, 3, 30]),
    ],
    ids=lambda each: each.name if isinstance(each, ComponentLayout) else "",
)
def test_layouts_by_hand(layout, array):
    assert layout.arranged(THREE_OF_TWO).tolist() == array
    assert layout.separated(np.array(array), 3, 2).tolist() == THREE_OF_TWO.tolist()


@pytest.mark.parametrize("components", [1, 2, 3, 4, 7, 9])
@pytest.mark.parametrize(
    "layout", [ComponentLayout(elements, k) for elements in (4, 32, None) for k in (1, 2, 4)] + [AOS]
)
def test_a_part_stands_at_its_address_and_loads_are_aligned(layout, components):
    count = 37
    values = np.arange(count * components).reshape(count, components)
    array = layout.arranged(values)
    assert len(array) == layout.length(count, components)
    np.testing.assert_array_equal(layout.separated(array, count, components), values)
    for part in layout.parts(components):
        address = compile(layout.address("p", "P", components, part), "address", "eval")
        width = layout.load_width(part[1])
        for p in range(count):
            at = eval(address, {"p": p, "P": count})
            assert at % width == 0
            assert array[at : at + part[1]].tolist() == values[p, part[0] : sum(part)].tolist()


def test_one_load_brings_a_quaternion_and_none_more_than_a_third_of_three():
    assert [AOS.load_width(components) for components in (1, 2, 3, 4, 6, 8, 9)] == [1, 2, 1, 4, 2, 4, 1]
    assert ComponentLayout(None, 4).parts(9) == [(0, 4), (4, 4), (8, 1)]


@pytest.mark.parametrize("numbers", [(3, 1), (0, 1), (None, 3), (1, 2)])
def test_impossible_numbers_are_refused(numbers):
    with pytest.raises(UserError, match=r"not possible|stand together"):
        ComponentLayout(*numbers)
