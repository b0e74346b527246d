"""Which format is fastest, by the times of its products on the device.

The model of `gpu.choice.cost_model` proposes formats. Each is converted and timed against the fastest so far,
replay by replay in turn, so that clocks and temperature are the same for both. The times say how far
estimates of this matrix are off, and so which formats could still be faster. At most two copies of the matrix
are on the device at once.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
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

FEWEST, MOST = 2, 8
"""Formats that are timed without ``tune="full"``, those with the least estimates."""
DOUBT = 1.25
"""One after `FEWEST` is timed if it should take at most this many times as long as the fastest so far."""
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
    ranked: Iterable[tuple[str, float]],
    convert: Callable[[str], DeviceMatrix],
    matrix: Any,
    *,
    every: bool,
    how: Hashable,
) -> DeviceMatrix:
    """Return the matrix in the format with the fastest product.

    Parameters
    ----------
    ranked
        Formats and the estimated microseconds of a product, the least first.
    convert
        Puts the matrix on the device in a format.
    matrix
        The sorted CSR matrix.
    every
        Whether all formats are timed. Otherwise `FEWEST`, and up to `MOST` while the next could be faster
        (`_Fastest.may_lose_to`) and the time so far, plus that of the slowest so far, is at most `MOST_TIMES`
        times that of the first. A matrix with equal features, `features`, is converted at once to what was
        fastest before.
    how
        What else the times depend on.

    Raises
    ------
    NotRepresentableError, OutOfDeviceMemoryError
        If no format can hold the matrix, or finds room on the device.
    """
    ranked = iter(ranked)
    first = list(islice(ranked, FEWEST))
    key = how, every, tuple(name for name, _ in first), features(Structure.of(matrix))
    if key in _remembered:
        with suppress(NotRepresentableError, OutOfDeviceMemoryError):
            return all_or_nothing(partial(convert, _remembered[key]))
    best: _Fastest | None = None
    refusal: UserError = NotRepresentableError("no format can hold this matrix")
    start, spent = clock(), list[float]()
    for name, estimated in chain(first, ranked):
        if best is not None and not every and len(spent) >= FEWEST:
            late = clock() - start + max(spent) > MOST_TIMES * spent[0]
            if late or len(spent) == MOST or not best.may_lose_to(estimated):
                break
        began = clock()
        try:
            best = all_or_nothing(partial(_faster, best, convert, name, estimated))
        except (NotRepresentableError, OutOfDeviceMemoryError) as error:
            refusal = error.with_traceback(None)  # whose frames would keep the matrix
            continue
        spent.append(clock() - began)
    if best is None:
        raise refusal
    _remembered[key] = best.matrix.format
    return best.matrix


def _faster(
    best: "_Fastest | None", convert: Callable[[str], DeviceMatrix], name: str, estimated: float
) -> "_Fastest":
    """Return the fastest so far once a format is tried, too; the slower copy is dropped.

    Parameters
    ----------
    best
        Of the formats before.
    convert
        As of `fastest`.
    name, estimated
        The format, and the estimated microseconds of a product.
    """
    began = clock()
    candidate = convert(name)
    if best is None:
        return _Fastest(candidate, estimated)
    best.meet(candidate, estimated, min(MOST_SECONDS, max(LEAST_SECONDS, SHARE * (clock() - began))))
    return best


@dataclass
class _Fastest:
    """The fastest format so far.

    Attributes
    ----------
    matrix
        In this format.
    estimated
        Its time, microseconds.
    measured
        The same, once it was compared.
    off
        Logarithms of measured over estimated times, of all formats so far.
    """

    matrix: DeviceMatrix
    estimated: float
    measured: float = math.nan
    off: list[float] = field(default_factory=list)

    def meet(self, candidate: DeviceMatrix, estimated: float, seconds: float) -> None:
        """Time another format against this one, and keep the faster.

        Parameters
        ----------
        candidate
            The matrix in the other format.
        estimated
            Its time, microseconds.
        seconds
            What timing may take.
        """
        times_faster, own = _compared(candidate, self.matrix, seconds)
        if not self.off:
            self.measured = own
            self.off.append(math.log(own / self.estimated))
        of_candidate = self.measured / times_faster
        self.off.append(math.log(of_candidate / estimated))
        if times_faster > 1:
            self.matrix, self.measured = candidate, of_candidate

    def may_lose_to(self, estimated: float) -> bool:
        """Return whether a format with this estimate could be faster, if it is as far off as others were."""
        return estimated * math.exp(sum(self.off) / len(self.off)) <= DOUBT * self.measured


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


def _compared(first: DeviceMatrix, second: DeviceMatrix, seconds: float) -> tuple[float, float]:
    """Return how many times faster products of the first matrix are, and the microseconds of the second."""
    if not min(first.shape):
        return 1.0, 1.0
    x = upload(np.ones(first.shape[1], first.dtype))
    y = empty(first.shape[0], first.dtype)
    if SIMULATED:
        times = [1e6 * _simulated_seconds(each, x, y) for each in (first, second)]
        return times[1] / times[0], times[1]
    result = compare([_operation(first, x, y)], [_operation(second, x, y)], seconds)
    return result.ratio, result.second.median_us


def _operation(matrix: DeviceMatrix, x: Any, y: Any) -> Enqueue:
    def enqueue(stream: cuda_driver.Stream) -> None:
        matrix.matvec(x, out=y, stream=cuda.external_stream(stream.address))

    return enqueue


def _simulated_seconds(matrix: DeviceMatrix, x: Any, y: Any) -> float:
    began = clock()
    matrix.matvec(x, out=y)
    return clock() - began
