"""Kernels compiled in the order in which searches need them, so that the device seldom waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

from experiments.papers.layouts.subjects import Subject
from gpu.compound.entry_type import EntryType
from gpu.compound.tuning.compilation import Compilers


class Compiling:
    """What every search of a kind of entry begins with is compiled one kind ahead.

    Parameters
    ----------
    compilers
        The processes.
    subjects
        The matrices, in the order in which they are measured.
    reals
        Names of the types of components, in that order.
    """

    def __init__(self, compilers: Compilers, subjects: Sequence[Subject], reals: Sequence[str]) -> None:
        self._compilers = compilers
        entries = dict.fromkeys(each.entry for each in subjects)
        self._left = deque((entry, np.dtype(real).type) for entry in entries for real in reals)
        self._begun: set[tuple[EntryType, Any]] = set()

    def begin(self, entry: EntryType, real: Any) -> None:
        """Begin with the kernels of a kind, and of those before it.

        Parameters
        ----------
        entry, real
            What an entry is, and the type of its components.
        """
        while self._left and (entry, real) not in self._begun:
            self.begin_next()

    def begin_next(self) -> None:
        """Begin with the kernels of the next kind: each layout under the plain schedule, then schedules.

        A search begins with the likeliest schedule of a layout, for most matrices the plain one.
        """
        from gpu.compound.schedule import Schedule
        from gpu.compound.tuning.on_device import device_limits
        from gpu.compound.tuning.variants import Variant, layouts, natural_variants

        if not self._left:
            return
        entry, real = self._left.popleft()
        self._begun.add((entry, real))
        plain = [Variant(layout, Schedule()) for layout in layouts(entry, real)]
        self._compilers.begin(entry, real, [*plain, *natural_variants(entry, real, device_limits())])

    def of(self, entry: EntryType, real: Any, variants: Sequence[Any]) -> list[Future[int]]:
        """Begin with the kernels of variants; parameters as of `Compilers.begin`.

        Parameters
        ----------
        entry, real, variants
            What an entry is, the type of its components, and whose kernels.
        """
        return self._compilers.begin(entry, real, variants)
