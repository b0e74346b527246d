"""The one kernel of products of compound entries: y = A x for any entry type, layout and schedule."""

import functools
from typing import Any

import numpy as np

from gpu.compound.component_layout import ComponentLayout
from gpu.compound.entry_type import EntryType
from gpu.compound.generated_parts import Parts, made_of_text, parts_of
from gpu.compound.schedule import KernelForm, Schedule
from gpu.formats.sliced.slicing import Slicing
from gpu.kernel_parts.batched_loads import batches
from gpu.kernel_parts.loads import EARLY_IF, LOADS_IF, STREAMED_IF
from gpu.kernel_parts.unrolled import together
from gpu.runtime.cuda import EVERY_LANE, cuda, device_function
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous

REGISTERS_AT_ONCE = 72
"""Registers of entries whose loads are running at once, if a schedule does not say: more cost warps."""
MOST_AT_ONCE = 4
NO_ROW = 2**32 - 1


def forget_kernels() -> None:
    """Forget all kernels of this process and what they are made of: thousands fill the memory."""
    for cached in (product_kernel, _sums, _fetching, _gathering, _adding, _from_lane, made_of_text):
        cached.cache_clear()


def entries_at_once(entry: EntryType, real: Any, schedule: Schedule) -> int:
    """Return how many entries a thread loads at once."""
    return of_words_at_once(len(entry.entry) * int(np.dtype(real).itemsize) // 4, schedule)


def of_words_at_once(words: int, schedule: Schedule) -> int:
    """Return how many entries of this many words of 32 bits a thread loads at once."""
    if schedule.at_once is not None:
        return schedule.at_once
    return max(1, min(MOST_AT_ONCE, REGISTERS_AT_ONCE // words))


def form_of(entry: EntryType, real: Any, schedule: Schedule) -> KernelForm:
    """Return what a kernel is compiled for under a schedule."""
    return KernelForm(
        schedule.assignment,
        schedule.threads_per_row,
        schedule.rows_per_thread,
        entries_at_once(entry, real, schedule),
    )


@functools.cache
def _fetching(load: Any, entry_at: Any, base_per_step: bool) -> Any:
    """Make ``fetch`` of `gpu.kernel_parts.batched_loads`: the column, base and entry of a step."""
    load_base = LOADS_IF[1]

    @device_function
    def fetch(state: Any, constant: Any) -> Any:
        number, place = state
        values, marks, columns, bases, places, end, base, in_number, in_place, _, _ = constant
        live = number < end
        column = load(columns, place, live)[0]
        if base_per_step:
            base = load_base(bases, number, live)[0]
        entry = entry_at(values, marks, place, places, live)
        return (column, live, base, entry), (np.int32(number + in_number), place + in_place)

    return fetch


@functools.cache
def _gathering(element_at: Any, index_bits: int) -> Any:
    """Make ``gather`` of `gpu.kernel_parts.batched_loads`: the element of x, and whether there is one."""
    padding = np.uint16(2**16 - 1) if index_bits == 16 else np.uint32(2**32 - 1)

    @device_function
    def gather(fetched: Any, carry: Any, constant: Any) -> Any:
        column, live, base, _ = fetched
        has = live & (column != padding)
        element = element_at(constant[9], np.int64(base) + np.int64(column), constant[10], has)
        return (element, has), carry

    return gather


@functools.cache
def _adding(add_product: Any) -> Any:
    """Make ``add`` of `gpu.kernel_parts.batched_loads`."""

    @device_function
    def add(total: Any, fetched: Any, gathered: Any) -> Any:
        return add_product(total, fetched[3], gathered[0], gathered[1])

    return add


@functools.cache
def _sums(parts: Parts, index_bits: int, base_per_step: bool, at_once: int) -> tuple[Any, Any, Any]:
    """Make the sum of a row in batches, once for all kernels that have it."""
    return batches(
        _fetching(STREAMED_IF[1], parts.entry_at, base_per_step),
        _gathering(parts.element_at, index_bits),
        _adding(parts.add_product),
        at_once,
        first=_fetching(EARLY_IF[1], parts.entry_early, base_per_step),
    )


@functools.cache
def _from_lane(count: int) -> Any:
    """Make the function that returns the components that another lane has."""

    def component(k: int) -> Any:
        @device_function
        def shuffle(total: Any, offset: Any) -> Any:
            return cuda.shfl_xor_sync(EVERY_LANE, total[k], offset)

        return shuffle

    return together([component(k) for k in range(count)])


@functools.cache
def product_kernel(
    entry: EntryType,
    real: Any,
    slicing: Slicing | None,
    permuted: bool,
    inner: ComponentLayout,
    vector: ComponentLayout,
    form: KernelForm,
) -> Any:
    """Make the kernel.

    It moves entries, columns and both vectors once, and what the outer layout has for rows, slices or steps.

    Parameters
    ----------
    entry, real
        Type of the entries, and of their real components: np.float32 or np.float64.
    slicing
        The arrangement, all chosen; None for CSR.
    permuted
        Whether rows are in another order.
    inner, vector
        Layouts of the entries and of both vectors.
    form
        Who multiplies which rows, as far as the kernel knows it; threads of a block are the launch's.
    """
    parts = parts_of(entry, inner, vector, real)
    zero, join, store = parts.zero, parts.join, parts.store
    from_lane = _from_lane(len(entry.vector))
    index_bits = 32 if slicing is None or slicing.index_bits is None else slicing.index_bits
    base_per_step = slicing is not None and slicing.base_per_step
    one_base = index_bits == 16 and not base_per_step
    is_csr = slicing is None
    single_slice = slicing is not None and slicing.slice_height is None
    height = 0 if slicing is None or slicing.slice_height is None else slicing.slice_height
    row_lengths = slicing is not None and slicing.row_lengths
    sharing, turns = form.threads_per_row, form.rows_per_thread
    whole, dynamic = form.assignment == "whole", form.assignment == "dynamic"
    no_base = np.uint32(0)

    begin, go_on, finish = _sums(parts, index_bits, base_per_step, form.at_once)

    @cuda.jit
    def kernel(values, marks, columns, bases, pointers, lengths, perm,
               positions, rows, places, width, chunks, tickets, x, y):  # fmt: skip
        """Sum a row by each group of threads, chunk by chunk of rows.

        Parameters
        ----------
        values
            real: the real components of all places for entries.
        marks
            Integers: the integer components of all places.
        columns
            uint16 or uint32, one a place: columns, or offsets from a base.
        bases
            uint32, one a slice or a step: the column that its offsets count from.
        pointers
            uint32: the first entry of each row, or the first step of each slice; then the end.
        lengths
            uint32 of the positions: entries of each row.
        perm
            uint32 of the positions: the row at each, 2^32 - 1 where there is none.
        positions, rows, places, width
            Places for rows, M, places for entries, N.
        chunks
            Chunks of rows.
        tickets
            uint32 of 1: chunks that were taken. The last one of a launch sets it back to 0.
        x, y
            real: the vectors, in their layout.
        """
        thread = np.int64(cuda.threadIdx.x)
        member, in_block = thread % sharing, thread // sharing
        rows_at_once = np.int64(cuda.blockDim.x) // sharing
        chunk, blocks = np.int64(cuda.blockIdx.x), np.int64(cuda.gridDim.x)
        sampled = cuda.shared.array(1, np.uint32)
        let_next_begin()
        if dynamic:
            wait_for_previous()
            if thread == 0:
                sampled[0] = cuda.atomic.inc(tickets, 0, np.uint32(chunks + blocks - 1))
            cuda.syncthreads()
            chunk = np.int64(sampled[0])
            cuda.syncthreads()
        while chunk < chunks:
            for turn in range(turns):
                position = (chunk * turns + turn) * rows_at_once + in_block
                total = zero()
                target = position
                if position < positions:
                    if permuted:
                        target = np.int64(perm[np.uint64(position)])
                    if is_csr:
                        start = np.int64(pointers[np.uint64(position)])
                        number = np.int32(start + member)
                        end = np.int32(pointers[np.uint64(position + 1)])
                        place = start + member
                        in_number, in_place = sharing, np.int64(sharing)
                        base = no_base
                    else:
                        if single_slice:
                            slice_, within, in_place = np.int64(0), position, positions * sharing
                        else:
                            slice_ = position // height
                            within = position - slice_ * height
                            in_place = np.int64(height * sharing)
                        number = np.int32(pointers[np.uint64(slice_)])
                        base = bases[np.uint64(slice_)] if one_base else no_base
                        if row_lengths:
                            groups = (np.int64(lengths[np.uint64(position)]) + (sharing - 1)) // sharing
                            end = np.int32(number + groups)
                        else:
                            end = np.int32(pointers[np.uint64(slice_ + 1)])
                        place = np.int64(number) * in_place + within * sharing + member
                        in_number = 1
                    constant = (
                        values, marks, columns, bases, places, end, base, in_number, in_place, x, width,
                    )  # fmt: skip
                    loaded, state, carry = begin((number, place), 0, constant)
                    while state[0] < end:
                        loaded, state, carry, total = go_on(loaded, state, carry, total, constant)
                    total = finish(loaded, total)
                offset = sharing // 2
                while offset > 0:
                    total = join(total, from_lane(total, offset))
                    offset //= 2
                if member == 0 and position < positions and target < rows:
                    store(y, target, rows, total)
            if whole:
                chunk = chunks
            elif dynamic:
                if thread == 0:
                    sampled[0] = cuda.atomic.inc(tickets, 0, np.uint32(chunks + blocks - 1))
                cuda.syncthreads()
                chunk = np.int64(sampled[0])
                cuda.syncthreads()
            else:
                chunk += blocks

    return kernel
