"""The entries that a thread of a block has of a run of them: loaded, multiplied by x, stored or added up.

A thread has groups of `wide` neighbouring entries, one group a turn; neighbouring threads have neighbouring
groups. All functions are unrolled over the groups, so that the loads of all are running together. A place
is counted from the beginning of the run, `count` is the places of the run.
"""

from typing import Any

import numpy as np

from gpu.kernel_parts.loads import VECTOR_IF
from gpu.kernel_parts.unrolled import in_turn, one_by_one, together
from gpu.runtime.cuda import device_function

_gather = VECTOR_IF[1]


def loader(loads: Any, groups: int, threads: int, wide: int) -> Any:
    """Make ``load(values, columns, at, place, count)``: a tuple of (values, columns) for each group.

    `at` is the entry at `place`; groups that begin after `count` are not read. `loads` is one of the tables
    of `gpu.kernel_parts.loads`.

    Parameters
    ----------
    loads
        One of the tables of `gpu.kernel_parts.loads`.
    groups
        Groups of entries of a thread.
    threads
        Of a block.
    wide
        Neighbouring entries of a group: 1, 2 or 4.
    """
    load_group = loads[wide]

    def of_group(k: int) -> Any:
        step = k * threads * wide

        @device_function
        def load(values: Any, columns: Any, at: Any, place: Any, count: Any) -> Any:
            wanted = np.int32(place + step) < count
            return load_group(values, at + step, wanted), load_group(columns, at + step, wanted)

        return load

    return together([of_group(k) for k in range(groups)])


@device_function
def _multiply_1(group: Any, x: Any, place: Any, count: Any) -> Any:
    value, column = group
    return (value[0] * _gather(x, np.int64(column[0]), place < count)[0],)


@device_function
def _multiply_2(group: Any, x: Any, place: Any, count: Any) -> Any:
    value, column = group
    factor0 = _gather(x, np.int64(column[0]), place < count)[0]
    factor1 = _gather(x, np.int64(column[1]), np.int32(place + 1) < count)[0]
    return value[0] * factor0, value[1] * factor1


@device_function
def _multiply_4(group: Any, x: Any, place: Any, count: Any) -> Any:
    value, column = group
    factor0 = _gather(x, np.int64(column[0]), place < count)[0]
    factor1 = _gather(x, np.int64(column[1]), np.int32(place + 1) < count)[0]
    factor2 = _gather(x, np.int64(column[2]), np.int32(place + 2) < count)[0]
    factor3 = _gather(x, np.int64(column[3]), np.int32(place + 3) < count)[0]
    return value[0] * factor0, value[1] * factor1, value[2] * factor2, value[3] * factor3


def multiplier(groups: int, threads: int, wide: int) -> Any:
    """Make ``multiply(loaded, x, place, count)``: the tuple of products of each group.

    x is read for places up to `count`; what stands after means nothing.

    Parameters
    ----------
    groups, threads, wide
        As of `loader`.
    """
    multiply_group = {1: _multiply_1, 2: _multiply_2, 4: _multiply_4}[wide]

    def of_group(k: int) -> Any:
        step = k * threads * wide

        @device_function
        def multiply(loaded: Any, x: Any, place: Any, count: Any) -> Any:
            return multiply_group(loaded[k], x, np.int32(place + step), count)

        return multiply

    return together([of_group(k) for k in range(groups)])


def storer(groups: int, threads: int, wide: int) -> Any:
    """Make ``store(products, parts, place)``, which puts the products of a thread into a (shared) array.

    Parameters
    ----------
    groups, threads, wide
        As of `loader`.
    """

    def of_group(k: int) -> Any:
        step = k * threads * wide

        @device_function
        def store(products: Any, parts: Any, place: Any) -> None:
            for j in range(wide):
                products[np.uint32(np.int32(place + step) + j)] = parts[k][j]

        return store

    return one_by_one([of_group(k) for k in range(groups)])


def adder(groups: int, threads: int, wide: int) -> Any:
    """Make ``add(total, parts, place, begin, end)``: products from `begin` to `end` added in their order.

    Parameters
    ----------
    groups, threads, wide
        As of `loader`.
    """

    def of_group(k: int) -> Any:
        step = k * threads * wide

        @device_function
        def add(total: Any, parts: Any, place: Any, begin: Any, end: Any) -> Any:
            for j in range(wide):
                own = np.int32(np.int32(place + step) + j)
                if begin <= own and own < end:
                    total += parts[k][j]
            return total

        return add

    return in_turn([of_group(k) for k in range(groups)])
