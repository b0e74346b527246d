"""Device functions that add the entries of a row with near and far columns, groups of them loaded at once.

A group is what one load of values and one of columns bring: 1, 2 or 4 entries of a thread. They do without
`cuda`, so they may stand apart from their kernel.
"""

from typing import Any

import numpy as np

from gpu.kernel_parts.loads import STREAMED_IF
from gpu.kernel_parts.several_vectors import Share
from gpu.kernel_parts.unrolled import in_turn, together
from gpu.runtime.cuda import device_function


def near_element(share: Share) -> Any:
    """Make the function that loads the elements of x of an entry.

    Padding reads none, so a NaN there stays out.
    """
    gather = share.gather()

    @device_function
    def near(column: Any, base: Any, x: Any) -> Any:
        place = np.int64(base) + np.int64(column) - np.int64(1)
        return gather(x, place, column != 0)

    return near


@device_function
def hub_element(column: Any, base: Any, x: Any) -> Any:
    """Load the element of the copied hubs; that of padding is 0."""
    return x[column]


def fetching(load: Any, stride: int, times: int) -> Any:
    """Make the function that loads the values and columns of the next groups of a thread, `own` of them."""

    def of_group(k: int) -> Any:
        step = k * stride

        @device_function
        def fetch(values: Any, at: Any, columns: Any, column_at: Any, own: Any) -> Any:
            wanted = np.int32(own - k) > 0
            return load(values, at + step, wanted), load(columns, column_at + step, wanted)

        return fetch

    return together([of_group(k) for k in range(times)])


def gathering(factor: Any, wide: int, times: int) -> Any:
    """Make the function that loads the elements of x of all entries of what was fetched.

    Parameters
    ----------
    factor
        What `near_element` makes, or `hub_element`.
    wide
        Entries of a group.
    times
        Groups that were fetched.
    """

    def of_entry(group: int, entry: int) -> Any:
        @device_function
        def gather(fetched: Any, base: Any, x: Any) -> Any:
            return factor(fetched[group][1][entry], base, x)

        return gather

    return together([of_entry(*divmod(n, wide)) for n in range(wide * times)])


def summing(wide: int, times: int, share: Share) -> Any:
    """Make the function that adds the products of all entries, in their order."""
    multiply_add = share.multiply_add()
    return in_turn([_product(wide, n, multiply_add) for n in range(wide * times)])


def _product(wide: int, n: int, multiply_add: Any) -> Any:
    group, entry = divmod(n, wide)

    @device_function
    def product(total: Any, fetched: Any, factors: Any) -> Any:
        return multiply_add(total, fetched[group][0][entry], factors[n])

    return product


def adding(factor: Any, wide: int, share: Share) -> Any:
    """Make the function that adds a group; nothing where it is not `wanted`."""
    fetch, gather, add = (
        fetching(STREAMED_IF[wide], 0, 1),
        gathering(factor, wide, 1),
        summing(wide, 1, share),
    )

    @device_function
    def added(total, values, at, columns, column_at, base, x, wanted):
        fetched = fetch(values, at, columns, column_at, np.int32(wanted))
        return add(total, fetched, gather(fetched, base, x))

    return added


def _four_groups(add: Any, stride: int) -> Any:
    """Make the function that adds this many groups, four at a time: their loads are running together."""

    @device_function
    def run(total, values, at, columns, column_at, base, x, groups):
        while groups >= 4:
            total = add(total, values, at, columns, column_at, base, x, True)
            total = add(total, values, at + stride, columns, column_at + stride, base, x, True)
            total = add(total, values, at + 2 * stride, columns, column_at + 2 * stride, base, x, True)
            total = add(total, values, at + 3 * stride, columns, column_at + 3 * stride, base, x, True)
            at += 4 * stride
            column_at += 4 * stride
            groups -= 4
        if groups > 0:
            total = add(total, values, at, columns, column_at, base, x, True)
            total = add(total, values, at + stride, columns, column_at + stride, base, x, groups > 1)
            total = add(total, values, at + 2 * stride, columns, column_at + 2 * stride, base, x, groups > 2)
        return total

    return run


def adding_own_groups(add: Any, stride: int) -> Any:
    """Make the function that adds the first `own` of this many groups, four at a time, and loads no
    others.
    """

    @device_function
    def run(total, values, at, columns, column_at, base, x, groups, own):
        while groups > 0:
            total = add(total, values, at, columns, column_at, base, x, own > 0)
            total = add(total, values, at + stride, columns, column_at + stride, base, x, own > 1)
            total = add(total, values, at + 2 * stride, columns, column_at + 2 * stride, base, x, own > 2)
            total = add(total, values, at + 3 * stride, columns, column_at + 3 * stride, base, x, own > 3)
            at += 4 * stride
            column_at += 4 * stride
            groups -= 4
            own -= 4
        return total

    return run


def adding_all_groups(add: Any, stride: int) -> Any:
    """Make the function of `adding_own_groups` for threads that own all groups."""
    four = _four_groups(add, stride)

    @device_function
    def run(total, values, at, columns, column_at, base, x, groups, own):
        return four(total, values, at, columns, column_at, base, x, groups)

    return run
