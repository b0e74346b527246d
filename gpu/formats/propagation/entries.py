"""What a thread does with groups of four entries: load, multiply, store; load products and place them.

All functions are unrolled over the groups of a thread, which lie a block of threads apart, so that the loads
of all are running together. Groups after the end are neither loaded nor stored. Two 16-bit numbers,
columns or places, stay in the word that they were loaded in until they are needed.
"""

from typing import Any

import numpy as np

from gpu.formats.propagation.sizes import GROUP
from gpu.kernel_parts.loads import PASSING_IF, PAST_L1_IF, STORES, STREAMED_IF, VECTOR_IF
from gpu.kernel_parts.unrolled import one_by_one, together
from gpu.runtime.cuda import device_function

PAIRS = GROUP // 2
"""Words of the 16-bit numbers of a group."""
_store = STORES[GROUP]
_load_products = PAST_L1_IF[GROUP]
_load_x = VECTOR_IF[1]


@device_function
def _low(word: Any) -> Any:
    """Return the first number of a pair."""
    return np.uint32(word & np.uint32(0xFFFF))


@device_function
def _high(word: Any) -> Any:
    """Return the second number of a pair."""
    return np.uint32(word >> np.uint32(16))


def group_loader(threads: int, passing: bool) -> Any:
    """Make ``load(values, columns, destinations, group, end)``: what is stored of two groups.

    Parameters
    ----------
    threads
        Of a block.
    passing
        Whether they leave the L2 cache first.
    """
    loads = PASSING_IF if passing else STREAMED_IF
    load_values, load_pairs, load_one = loads[GROUP], loads[PAIRS], loads[1]

    @device_function
    def load_group(values: Any, columns: Any, destinations: Any, group: Any, end: Any) -> Any:
        wanted = group < end
        return (
            load_values(values, np.int64(group) * GROUP, wanted),
            load_pairs(columns, np.int64(group) * PAIRS, wanted),
            load_one(destinations, group, wanted)[0],
        )

    @device_function
    def load(values: Any, columns: Any, destinations: Any, group: Any, end: Any) -> Any:
        return (
            load_group(values, columns, destinations, group, end),
            load_group(values, columns, destinations, np.int32(group + threads), end),
        )

    return load


@device_function
def _multiply_group(loaded: Any, held: Any, ring: Any, slot: Any, wanted: Any) -> None:
    """Store the products of a group, if it is wanted."""
    value, column, destination = loaded
    if wanted:
        products = (
            value[0] * held[_low(column[0])],
            value[1] * held[_high(column[0])],
            value[2] * held[_low(column[1])],
            value[3] * held[_high(column[1])],
        )
        _store(ring, np.int64(np.uint32(slot + np.int64(destination))) * GROUP, products)


def item_multiplier(threads: int, load: Any) -> Any:
    """Make the function that multiplies the entries of an item, while the first ones of the next are loaded.

    ``multiply(stored, held, ring, slot, item, following, loaded, thread)`` takes values, columns and
    destinations as `stored`, the segment of x as `held`, the group of the ring at which the super-block
    begins as `slot`, and begin and end of this item and of the next. It takes and returns what is loaded.

    Parameters
    ----------
    threads
        Of a block.
    load
        As `group_loader` makes it.
    """

    @device_function
    def multiply(
        stored: Any, held: Any, ring: Any, slot: Any, item: Any, following: Any, loaded: Any, thread: Any
    ) -> Any:
        values, columns, destinations = stored
        begin, end = item
        next_begin, next_end = following
        group = np.int32(begin + thread)
        more = True
        while more:
            begin = np.int32(begin + 2 * threads)
            more = begin < end
            then_end = end if more else next_end
            then_group = np.int32((begin if more else next_begin) + thread)
            then = load(values, columns, destinations, then_group, then_end)
            _multiply_group(loaded[0], held, ring, slot, group < end)
            _multiply_group(loaded[1], held, ring, slot, np.int32(group + threads) < end)
            loaded = then
            group = then_group
        return loaded

    return multiply


def segment_filler(threads: int) -> Any:
    """Make ``fill(held, x, first, width, thread)``: columns `first` and following of x into shared memory.

    Parameters
    ----------
    threads
        Of a block.
    """

    @device_function
    def fill(held: Any, x: Any, first: Any, width: Any, thread: Any) -> None:
        at = thread
        while at < width:
            at1, at2 = np.int32(at + threads), np.int32(at + 2 * threads)
            at3 = np.int32(at + 3 * threads)
            element0 = _load_x(x, np.int64(first) + at, at < width)[0]
            element1 = _load_x(x, np.int64(first) + at1, at1 < width)[0]
            element2 = _load_x(x, np.int64(first) + at2, at2 < width)[0]
            element3 = _load_x(x, np.int64(first) + at3, at3 < width)[0]
            held[np.uint32(at)] = element0
            if at1 < width:
                held[np.uint32(at1)] = element1
            if at2 < width:
                held[np.uint32(at2)] = element2
            if at3 < width:
                held[np.uint32(at3)] = element3
            at = np.int32(at + 4 * threads)

    return fill


def place_loader(threads: int, batch: int, passing: bool) -> Any:
    """Make ``load(places, group, end)``: the places of this many groups.

    Parameters
    ----------
    threads, batch
        Of a block; groups of a thread.
    passing
        Whether they leave the L2 cache first.
    """
    return _loader((PASSING_IF if passing else STREAMED_IF)[PAIRS], PAIRS, threads, batch)


def product_loader(threads: int, batch: int) -> Any:
    """Make ``load(ring, group, end)``: the products of this many groups, as other blocks have left them.

    Parameters
    ----------
    threads, batch
        Of a block; groups of a thread.
    """
    return _loader(_load_products, GROUP, threads, batch)


def _loader(load_group: Any, wide: int, threads: int, batch: int) -> Any:
    def of_group(k: int) -> Any:
        step = k * threads

        @device_function
        def load(array: Any, group: Any, end: Any) -> Any:
            own = np.int32(group + step)
            return load_group(array, np.int64(own) * wide, own < end)

        return load

    return together([of_group(k) for k in range(batch)])


def placer(threads: int, batch: int) -> Any:
    """Make ``place(held, places, products, group, end, nowhere)``: products to their places in shared memory.

    Those of padding go to the place `nowhere`.

    Parameters
    ----------
    threads, batch
        Of a block; groups of a thread.
    """

    def of_group(k: int) -> Any:
        step = k * threads

        @device_function
        def place_group(held: Any, places: Any, products: Any, group: Any, end: Any, nowhere: Any) -> None:
            if np.int32(group + step) < end:
                place, product = places[k], products[k]
                held[min(_low(place[0]), nowhere)] = product[0]
                held[min(_high(place[0]), nowhere)] = product[1]
                held[min(_low(place[1]), nowhere)] = product[2]
                held[min(_high(place[1]), nowhere)] = product[3]

        return place_group

    return one_by_one([of_group(k) for k in range(batch)])
