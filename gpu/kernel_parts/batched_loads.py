"""Sums whose loads are running many at once: several steps a batch, and a batch ahead of the additions.

A thread waits where it first uses what it loads. So the loads of a batch stand before all that use them, and
its additions come only when the loads of the next batch have been sent off. The compiler would mix them again
in one go; what is carried through a loop it cannot.
"""

from typing import Any

from gpu.kernel_parts.unrolled import in_turn
from gpu.runtime.cuda import device_function
from gpu.runtime.kernel_sequence import wait_for_previous


def batches(fetch: Any, gather: Any, add: Any, times: int, *, first: Any = None) -> tuple[Any, Any, Any]:
    """Make the three functions of a sum in batches of `times` steps.

    ``begin(state, carry, constant)`` loads the first batch and returns it, with state and carry of the
    next; between what belongs to the matrix and x, it waits for the kernel before this one.
    ``go_on(loaded, state, carry, total, constant)`` adds a batch while it loads the next; it returns the
    next batch, state, carry and total. ``finish(loaded, total)`` adds the last.

    Parameters
    ----------
    fetch
        ``fetch(state, constant)`` loads what a step begins with; it returns that, and the state of the next.
    gather
        ``gather(fetched, carry, constant)`` loads what that leads to, elements of x; returns that, and what
        the next step carries on: what follows from what was fetched.
    add
        ``add(total, fetched, gathered)`` returns the new total; it is called in the order of the steps.
    times
        Steps of a batch.
    first
        What fetches for the first batch instead: by loads that stay before the wait (`loads.EARLY_IF`).
    """
    fetch_first = _fetch_all(first or fetch, times)
    fetch_all = _fetch_all(fetch, times)
    gather_all = _gather_all(gather, times, 0)
    add_all = in_turn([_of_step(add, k) for k in range(times)])

    @device_function
    def begin(state: Any, carry: Any, constant: Any) -> Any:
        fetched, state = fetch_first(state, constant)
        wait_for_previous()
        gathered, carry = gather_all(fetched, carry, constant)
        return (fetched, gathered), state, carry

    @device_function
    def go_on(loaded: Any, state: Any, carry: Any, total: Any, constant: Any) -> Any:
        fetched, state = fetch_all(state, constant)
        total = add_all(total, loaded[0], loaded[1])
        gathered, carry = gather_all(fetched, carry, constant)
        return (fetched, gathered), state, carry, total

    @device_function
    def finish(loaded: Any, total: Any) -> Any:
        return add_all(total, loaded[0], loaded[1])

    return begin, go_on, finish


def _fetch_all(fetch: Any, times: int) -> Any:
    """Make the function that fetches for `times` steps and returns a tuple, and the state after them."""
    if times == 1:

        @device_function
        def last(state: Any, constant: Any) -> Any:
            fetched, state = fetch(state, constant)
            return (fetched,), state

        return last
    others = _fetch_all(fetch, times - 1)

    @device_function
    def all_(state: Any, constant: Any) -> Any:
        fetched, state = fetch(state, constant)
        later, state = others(state, constant)
        return (fetched, *later), state

    return all_


def _gather_all(gather: Any, times: int, k: int) -> Any:
    """Make the function that gathers for step k and those after it, and returns a tuple, and the carry."""
    if k == times - 1:

        @device_function
        def last(fetched: Any, carry: Any, constant: Any) -> Any:
            gathered, carry = gather(fetched[k], carry, constant)
            return (gathered,), carry

        return last
    others = _gather_all(gather, times, k + 1)

    @device_function
    def all_(fetched: Any, carry: Any, constant: Any) -> Any:
        gathered, carry = gather(fetched[k], carry, constant)
        later, carry = others(fetched, carry, constant)
        return (gathered, *later), carry

    return all_


def _of_step(add: Any, k: int) -> Any:
    """Make the function that adds step k."""

    @device_function
    def of_step(total: Any, fetched: Any, gathered: Any) -> Any:
        return add(total, fetched[k], gathered[k])

    return of_step


def sum_of_products(steps: int, multiply_add: Any) -> Any:
    """Make the function that adds the products of a batch to a total, in their order.

    `multiply_add` is what `Share.multiply_add` of `gpu.kernel_parts.several_vectors` makes.
    """
    return in_turn([_product(k, multiply_add) for k in range(steps)])


def _product(k: int, multiply_add: Any) -> Any:
    @device_function
    def product(total: Any, values: Any, factors: Any) -> Any:
        return multiply_add(total, values[k], factors[k])

    return product
