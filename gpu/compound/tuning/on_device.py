"""Times of variants on the device, each product compared with the reference; and a search that is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.compound.component_layout import ComponentLayout
from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.device_compound import CompoundProduct, Layout, PlacedMatrix, placed_pattern
from gpu.compound.placement import DeviceEntries, DevicePattern
from gpu.compound.reference import reference_product
from gpu.compound.tuning.features import features_of
from gpu.compound.tuning.search import Found, Progress, Timing, Tuning, driven, tuning
from gpu.compound.tuning.store import Search, TuningStore
from gpu.compound.tuning.traffic_model import TrafficModel
from gpu.compound.tuning.variants import DeviceLimits, Variant, joint_variants, natural_variants
from gpu.measure.equality import far_apart
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.cuda_driver import OutOfDeviceMemoryError
from gpu.runtime.memory import empty, upload
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError

LIMITS = {"float32": 2e-5, "float64": 1e-12}
"""Of the largest difference to the reference, as a share of its largest component."""
SECONDS = 0.01
"""Of products that one time is the median of."""
NO_ROOM = "OUT_OF_RESOURCES"
"""In the driver's message where a block has more registers than a multiprocessor."""
Patterns = dict[tuple[Any, int], DevicePattern]
"""The pattern of one matrix in layouts, by outer layout and threads a row."""
Timer = Callable[[Callable[[Any], None]], float]
"""Returns the microseconds of what a function puts on a stream."""
Choice = Callable[[Mapping[str, float], Sequence[Variant]], Sequence[Variant]]
"""Returns, for the features of a matrix, those of some variants that are measured."""


def by_events(enqueue: Callable[[Any], None], seconds: float = SECONDS) -> float:
    """Time on a GPU, by `gpu.measure.timing`."""
    from gpu.measure.timing import measure

    return float(measure([enqueue], seconds).median_us)


@dataclass(frozen=True, eq=False)
class Prepared:
    """The product of a variant on the device.

    Attributes
    ----------
    enqueue
        Puts it on a stream.
    nbytes
        Of the matrix with its padding.
    """

    enqueue: Callable[[Any], None]
    nbytes: int


class DeviceMeasurement:
    """Measures variants of one matrix; what variants have in common stays on the device.

    Parameters
    ----------
    matrix
        The matrix.
    timer
        How products are timed.
    known
        x, of the matrix's type, and A x, as `reference_product` gives it, where they are known already.
    patterns
        The matrix's pattern in layouts that others have made, by outer layout and threads a row; those that
        are made here are added.
    """

    def __init__(
        self,
        matrix: CompoundMatrix,
        timer: Timer = by_events,
        known: tuple[Any, Any] | None = None,
        patterns: Patterns | None = None,
    ) -> None:
        self._matrix, self._timer = matrix, timer
        if known is None:
            elements = (matrix.shape[1], len(matrix.entry.vector))
            x = np.random.default_rng(0).uniform(-1, 1, elements).astype(matrix.dtype)
            known = x, reference_product(matrix, x)
        self._x: Any = known[0]
        self._exact: Any = known[1]
        self._patterns: Patterns = {} if patterns is None else patterns
        self._refused: dict[tuple[Any, int], str] = {}
        self._entries: DeviceEntries | None = None
        self._placed: PlacedMatrix | None = None
        self._vectors: dict[ComponentLayout, tuple[Any, ...]] = {}
        sizes = np.abs(self._exact[np.isfinite(self._exact)])
        largest = float(sizes.max()) if sizes.size else 0.0
        self._most = LIMITS[str(matrix.dtype)] * max(largest, float(np.finfo(np.float32).tiny))

    def __call__(self, variant: Variant) -> Timing:
        """Measure a variant.

        Raises
        ------
        NotRepresentableError
            If the layout cannot hold the matrix, or the device cannot run the kernel under the schedule.
        UserError
            Also if the product is wrong.
        """
        prepared = self.prepared(variant)
        _, y, exact, unwritten = self._vectors_in(variant.layout.vector)
        y.copy_to_device(unwritten)
        try:
            us = self._timer(prepared.enqueue)
        except RuntimeError as error:  # of the launch: nothing has run
            if NO_ROOM not in str(error):
                raise
            raise NotRepresentableError(
                f"{variant.name} cannot be launched ({error}); use fewer threads a block"
            ) from None
        self._check(variant, y, exact)
        return Timing(us, prepared.nbytes)

    def prepared(self, variant: Variant) -> Prepared:
        """Put the product of a variant on the device, where it stays as long as what is returned.

        Raises
        ------
        NotRepresentableError
            If the layout cannot hold the matrix.
        """
        placed = self._place(variant)
        product = CompoundProduct(placed, variant.schedule)
        x, y, *_ = self._vectors_in(variant.layout.vector)
        one, zero = product.dtype.type(1), product.dtype.type(0)

        def enqueue(stream: Any) -> None:
            on = cuda.external_stream(stream.address) if stream else 0
            product.launch(x, y, one, zero, on)

        return Prepared(enqueue, placed.nbytes)

    def _place(self, variant: Variant) -> PlacedMatrix:
        layout, sharing = variant.layout, variant.schedule.threads_per_row
        key, last = (layout.outer, sharing), self._placed
        wanted = (*key, layout.inner)
        if last is None or (last.layout.outer, last.threads_per_row, last.layout.inner) != wanted:
            self._placed = last = None  # its memory first
            self._arrange(key)
            try:
                last = self._placed_anew(layout, key)
            except OutOfDeviceMemoryError:  # patterns of other layouts may make room
                self._patterns.clear()
                self._arrange(key)
                last = self._placed_anew(layout, key)
        self._placed = last.with_vectors(layout.vector)
        return self._placed

    def _placed_anew(self, layout: Layout, key: tuple[Any, int]) -> PlacedMatrix:
        self._entries = self._entries or DeviceEntries(self._matrix)
        return PlacedMatrix(self._matrix, layout, key[1], self._patterns[key], self._entries)

    def _arrange(self, key: tuple[Any, int]) -> None:
        """Put the pattern on the device, once; what an outer layout cannot hold it refuses again at once."""
        if key in self._refused:
            raise NotRepresentableError(self._refused[key])
        if key not in self._patterns:
            try:
                self._patterns[key] = placed_pattern(self._matrix, *key)
            except NotRepresentableError as error:
                self._refused[key] = str(error)
                raise

    def _vectors_in(self, layout: ComponentLayout) -> tuple[Any, ...]:
        """Return x, a y, the exact y and one that nothing was written to, on the device in a layout."""
        if layout not in self._vectors:
            exact = self._exact.astype(self._matrix.dtype)
            host = (self._x, exact, np.full_like(exact, np.nan))
            x, known, unwritten = (upload(layout.arranged(each)) for each in host)
            self._vectors[layout] = x, empty(known.size, known.dtype), known, unwritten
        return self._vectors[layout]

    def _check(self, variant: Variant, y: Any, exact: Any) -> None:
        wrong = far_apart(y, exact, self._most) if self._exact.size else 0
        if wrong:
            raise UserError(
                f"the product of {variant.name} has {wrong} components that are off by more than "
                f"{LIMITS[str(self._matrix.dtype)]:g} of the largest; report it"
            )


def device_limits() -> DeviceLimits:
    """Return what a multiprocessor of the device takes; in the simulator that of recent ones."""
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
    prepare: Callable[[Sequence[Variant]], object] = lambda variants: None,
    **how: Any,
) -> Found:
    """Search for the best variant of a matrix; go on where an earlier search of it has stopped.

    Parameters
    ----------
    matrix, name, store, device, how
        As of `tuning_on_device`.
    prepare
        As of `gpu.compound.tuning.search.tune`.
    """
    return driven(tuning_on_device(matrix, name, store, device, **how), prepare)


def tuning_on_device(
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
    choose: Choice | None = None,
) -> Tuning:
    """Search for the best variant of a matrix, and name the variants that are measured next.

    Parameters
    ----------
    matrix, name
        The matrix, and what it is kept by.
    store, device
        Where times are kept, and the name of the device.
    natural
        Schedules alone, in the natural layout.
    exhaustive, memory_weight, seconds, report
        As of `tuning`; an exhaustive search leaves nothing out by bytes or threads either.
    timer
        How products are timed.
    choose
        Chooses among the variants that the model keeps; what it gives is measured, nothing else is searched.
    """
    limits = device_limits()
    search = Search(device, matrix.entry.name, str(matrix.dtype), name)
    features = features_of(matrix)
    store.begin(search, features)
    offered = (natural_variants if natural else joint_variants)(matrix.entry, matrix.dtype.type, limits)
    tried = TrafficModel(matrix, limits).ordered(offered, pruned=not exhaustive)
    if choose is not None:
        tried, exhaustive = [*choose(features, tried)], True
    return tuning(
        tried,
        DeviceMeasurement(matrix, timer),
        known=store.known(search),
        keep=lambda variant, timing: store.add(search, variant, timing),
        memory_weight=memory_weight,
        seconds=seconds,
        exhaustive=exhaustive,
        report=report,
    )
