"""Sums whose loads are running many at once: several steps a batch, and a batch ahead of the additions.

A thread waits where it first uses what it loads. So the loads of a batch stand before all that use them, and
its additions come only when the loads of the next batch have been sent off. The compiler would mix them again
in one go; what is carried through a loop it cannot.
"""

from typing import Any

from gpu.kernel_parts.unrolled import carried, in_turn
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
    fetch_first, fetch_all = carried([first or fetch] * times), carried([fetch] * times)
    gather_all = carried([_gather_of_step(gather, k) for k in range(times)])
    add_all = in_turn([_add_of_step(add, k) for k in range(times)])

    @device_function
    def begin(state: Any, carry: Any, constant: Any) -> Any:
        fetched, state = fetch_first(state, constant)
        wait_for_previous()
        gathered, carry = gather_all(carry, fetched, constant)
        return (fetched, gathered), state, carry

    @device_function
    def go_on(loaded: Any, state: Any, carry: Any, total: Any, constant: Any) -> Any:
        fetched, state = fetch_all(state, constant)
        total = add_all(total, loaded[0], loaded[1])
        gathered, carry = gather_all(carry, fetched, constant)
        return (fetched, gathered), state, carry, total

    @device_function
    def finish(loaded: Any, total: Any) -> Any:
        return add_all(total, loaded[0], loaded[1])

    return begin, go_on, finish


def _gather_of_step(gather: Any, k: int) -> Any:
    """Make the function that gathers for step k."""

    @device_function
    def of_step(carry: Any, fetched: Any, constant: Any) -> Any:
        return gather(fetched[k], carry, constant)

    return of_step


def _add_of_step(add: Any, k: int) -> Any:
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
