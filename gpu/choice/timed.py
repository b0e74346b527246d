"""Which format is fastest, by the times of its products on the device.

The model of `gpu.choice.cost_model` proposes formats. Each is converted and timed against the fastest so far,
replay by replay in turn, so that clocks and temperature are the same for both. At most two copies of the
matrix are on the device at once.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from itertools import islice
from time import perf_counter as clock
from typing import Any

import numpy as np

from gpu.choice.structure import Structure
from gpu.device_matrix import DeviceMatrix
from gpu.measure.timing import compare
from gpu.runtime import cuda_driver
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.cuda_driver import Enqueue, OutOfDeviceMemoryError
from gpu.runtime.memory import all_or_nothing, empty, upload
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError

FEWEST, FEW = 2, 4
"""Formats that are timed without ``tune="full"``, those with the least estimates."""
MOST_TIMES = 5
"""What they may take in all, over what converting into the first of them takes; see `fastest`."""
SHARE = 0.1
"""Of the time of the conversion, what timing a format may take, capturing and compiling apart."""
LEAST_SECONDS, MOST_SECONDS = 0.002, 0.05
"""Bounds of that."""
ALIKE = 8
"""Matrices whose sizes differ by less than this part of a power of two count as alike."""

_remembered: dict[Hashable, str] = {}
"""What was fastest for matrices with these features."""


def fastest(
    names: Iterable[str], convert: Callable[[str], DeviceMatrix], matrix: Any, *, every: bool, how: Hashable
) -> DeviceMatrix:
    """Return the matrix in the format with the fastest product.

    Parameters
    ----------
    names
        Formats, the one with the least estimate first.
    convert
        Puts the matrix on the device in a format.
    matrix
        The sorted CSR matrix.
    every
        Whether all formats are timed. Otherwise at most `FEW`, and those after `FEWEST` only while the time
        so far, plus that of the slowest so far, is at most `MOST_TIMES` times that of the first. A matrix
        with equal features, `features`, is converted at once to what was fastest before.
    how
        What else the times depend on.

    Raises
    ------
    NotRepresentableError, OutOfDeviceMemoryError
        If no format can hold the matrix, or finds room on the device.
    """
    chosen = list(names) if every else list(islice(names, FEW))
    key = how, every, tuple(chosen), features(Structure.of(matrix))
    best: DeviceMatrix | None = None
    refusal: UserError = NotRepresentableError("no format can hold this matrix")
    first, spent = clock(), list[float]()
    for name in [*filter(None, [_remembered.get(key)]), *chosen]:
        if not every and len(spent) >= FEWEST and clock() - first + max(spent) > MOST_TIMES * spent[0]:
            break
        began = clock()
        try:
            candidate = all_or_nothing(partial(convert, name))
        except (NotRepresentableError, OutOfDeviceMemoryError) as error:
            refusal = error
            continue
        if name == _remembered.get(key):
            return candidate
        seconds = min(MOST_SECONDS, max(LEAST_SECONDS, SHARE * (clock() - began)))
        if best is None or _is_faster(candidate, best, seconds):
            best = candidate
        spent.append(clock() - began)
    if best is None:
        raise refusal
    _remembered[key] = best.format
    return best


def features(structure: Structure) -> tuple[int, ...]:
    """Return sizes, on a logarithmic scale, and locality; matrices that agree in them count as alike."""
    nnz = max(1, structure.nnz)
    sizes = (*structure.shape, nnz, structure.longest, structure.mean_spread)
    shares = structure.warp_sectors / nnz, structure.sectors_down / nnz
    return (
        structure.value_bytes,
        *(round(ALIKE * math.log2(1 + size)) for size in sizes),
        *(round(ALIKE * share) for share in shares),
    )


def _is_faster(first: DeviceMatrix, second: DeviceMatrix, seconds: float) -> bool:
    """Return whether products of the first matrix take less time than those of the second."""
    if not min(first.shape):
        return False
    x = upload(np.ones(first.shape[1], first.dtype))
    y = empty(first.shape[0], first.dtype)
    if SIMULATED:
        return _simulated_seconds(first, x, y) < _simulated_seconds(second, x, y)
    return compare([_operation(first, x, y)], [_operation(second, x, y)], seconds).ratio > 1


def _operation(matrix: DeviceMatrix, x: Any, y: Any) -> Enqueue:
    def enqueue(stream: cuda_driver.Stream) -> None:
        matrix.matvec(x, out=y, stream=cuda.external_stream(stream.address))

    return enqueue


def _simulated_seconds(matrix: DeviceMatrix, x: Any, y: Any) -> float:
    began = clock()
    matrix.matvec(x, out=y)
    return clock() - began
