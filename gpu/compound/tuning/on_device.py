"""Times of variants on the device, each product compared with the reference; and a search that is kept."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.device_compound import CompoundProduct, PlacedMatrix
from gpu.compound.outer_layout import ArrangedPattern
from gpu.compound.reference import reference_product
from gpu.compound.tuning.features import features_of
from gpu.compound.tuning.search import Found, Progress, Timing, tune
from gpu.compound.tuning.store import Search, TuningStore
from gpu.compound.tuning.traffic_model import KEPT_FACTOR, TrafficModel
from gpu.compound.tuning.variants import DeviceLimits, Variant, joint_variants, natural_variants
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.memory import upload
from vecsim.errors import UserError
from vecsim.formats import NotRepresentableError

LIMITS = {"float32": 2e-5, "float64": 1e-12}
"""Of the largest difference to the reference, as a share of its largest component."""
SECONDS = 0.02
"""Of products that one time is the median of."""
NO_ROOM = "OUT_OF_RESOURCES"
"""In the driver's message where a block has more registers than a multiprocessor."""
Timer = Callable[[Callable[[Any], None]], float]
"""Gives the microseconds of what a function puts on a stream."""
Choice = Callable[[Mapping[str, float], Sequence[Variant]], Sequence[Variant]]
"""Gives, for the features of a matrix, those of some variants that are measured."""


def by_events(enqueue: Callable[[Any], None], seconds: float = SECONDS) -> float:
    """Time on a GPU, by `gpu.measure.timing`."""
    from gpu.measure.timing import measure

    return float(measure([enqueue], seconds).median_us)


class DeviceMeasurement:
    """Measures variants of one matrix; the last placed matrix is kept for schedules that share it.

    Parameters
    ----------
    matrix
        The matrix.
    timer
        How products are timed.
    known
        x, of the matrix's type, and A x, as `reference_product` gives it, where they are known already.
    """

    def __init__(
        self, matrix: CompoundMatrix, timer: Timer = by_events, known: tuple[Any, Any] | None = None
    ) -> None:
        self._matrix, self._timer = matrix, timer
        if known is None:
            elements = (matrix.shape[1], len(matrix.entry.vector))
            x = np.random.default_rng(0).uniform(-1, 1, elements).astype(matrix.dtype)
            known = x, reference_product(matrix, x)
        self._x: Any = known[0]
        self._exact: Any = known[1]
        self._patterns: dict[Any, ArrangedPattern] = {}
        self._placed: PlacedMatrix | None = None

    def __call__(self, variant: Variant) -> Timing:
        """Measure a variant.

        Raises
        ------
        NotRepresentableError
            If the layout cannot hold the matrix, or the device cannot run the kernel under the schedule.
        UserError
            Also if the product is wrong.
        """
        placed = self._place(variant)
        product = CompoundProduct(placed, variant.schedule)
        x = upload(product.arranged_vector(self._x))
        y = upload(np.full(max(1, product.result_length()), np.nan, product.dtype))
        one, zero = product.dtype.type(1), product.dtype.type(0)

        def enqueue(stream: Any) -> None:
            on = cuda.external_stream(stream.address) if stream else 0
            product.launch(x, y, one, zero, on)

        try:
            us = self._timer(enqueue)
        except RuntimeError as error:  # of the launch: nothing has run
            if NO_ROOM not in str(error):
                raise
            raise NotRepresentableError(f"{variant.name} cannot be launched: {error}") from None
        self._check(variant, product.separated_vector(y.copy_to_host(), self._matrix.shape[0]))
        return Timing(us, placed.nbytes)

    def _place(self, variant: Variant) -> PlacedMatrix:
        layout, sharing = variant.layout, variant.schedule.threads_per_row
        last = self._placed
        if last is not None and (last.layout, last.threads_per_row) == (layout, sharing):
            return last
        self._placed = None  # its memory first
        key = (layout.outer, sharing)
        placed = PlacedMatrix(self._matrix, layout, sharing, self._patterns.get(key))
        self._patterns[key], self._placed = placed.pattern, placed
        return placed

    def _check(self, variant: Variant, y: Any) -> None:
        if not self._exact.size:
            return
        scale = max(float(np.abs(self._exact).max()), float(np.finfo(np.float32).tiny))
        error = float(np.abs(y - self._exact).max()) / scale
        if not error <= LIMITS[str(self._matrix.dtype)]:
            raise UserError(f"the product of {variant.name} is off by {error:.1e} of its largest component")


def device_limits() -> DeviceLimits:
    """Give what a multiprocessor of the device takes; in the simulator that of recent ones."""
    if SIMULATED:
        return DeviceLimits()
    device = cuda.get_current_device()
    return DeviceLimits(
        int(device.MAX_THREADS_PER_MULTIPROCESSOR),
        int(device.MAX_BLOCKS_PER_MULTIPROCESSOR),
        int(device.MAX_REGISTERS_PER_MULTIPROCESSOR),
    )


def tune_on_device(
    matrix: CompoundMatrix,
    name: str,
    store: TuningStore,
    device: str,
    *,
    natural: bool = False,
    exhaustive: bool = False,
    memory_weight: float = 0.0,
    seconds: float = 110.0,
    report: Callable[[Progress], None] = lambda progress: None,
    timer: Timer = by_events,
    prepare: Callable[[Sequence[Variant]], object] = lambda variants: None,
    choose: Choice | None = None,
) -> Found:
    """Search for the best variant of a matrix; go on where an earlier search of it has stopped.

    Parameters
    ----------
    matrix, name
        The matrix, and what it is kept by.
    store, device
        Where times are kept, and the name of the device.
    natural
        Schedules alone, in the natural layout.
    exhaustive, memory_weight, seconds, report
        As of `tune`; an exhaustive search leaves nothing out by bytes either.
    timer
        How products are timed.
    prepare
        As of `tune`.
    choose
        Chooses among the variants that the model keeps; what it gives is measured, nothing else is searched.
    """
    limits = device_limits()
    search = Search(device, matrix.entry.name, str(matrix.dtype), name)
    features = features_of(matrix)
    store.begin(search, features)
    offered = (natural_variants if natural else joint_variants)(matrix.entry, matrix.dtype.type, limits)
    tried = TrafficModel(matrix, limits).ordered(offered, float("inf") if exhaustive else KEPT_FACTOR)
    if choose is not None:
        tried, exhaustive = [*choose(features, tried)], True
    return tune(
        tried,
        DeviceMeasurement(matrix, timer),
        known=store.known(search),
        keep=lambda variant, timing: store.add(search, variant, timing),
        memory_weight=memory_weight,
        seconds=seconds,
        exhaustive=exhaustive,
        report=report,
        prepare=prepare,
    )
