"""What a product does at the least, at a fraction of the cost of counting it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from gpu.choice.hubs import MOST_HUBS, Hubs
from gpu.choice.row_lengths import RowLengths
from gpu.choice.structure import HIGHEST_OFFSET, Structure, Work
from gpu.formats.sliced.slicing import WARP


@dataclass(frozen=True, eq=False)
class LowerBounds(Structure):
    """What estimates ask of a pattern, answered so that no estimate is longer than that of the counted work.

    What takes a pass over all rows, or over a sample of the columns, is bounded by what is known already; the
    rest is as it is.

    Attributes
    ----------
    exact
        The structure of the same pattern, with which this one shares what it counts.
    padded
        Whether the padding of slices is counted, in a pass over the row pointers, and very few rows are
        looked at.
    """

    exact: Structure = field(kw_only=True, repr=False)
    padded: bool = field(kw_only=True)

    @classmethod
    def of_structure(cls, exact: Structure, *, padded: bool) -> Self:
        """Return the bounds for the pattern of a structure."""
        return cls(exact.shape, exact.indptr, exact.indices, exact.value_bytes, exact=exact, padded=padded)

    @property
    def row_lengths(self) -> RowLengths:
        """How many rows have each length."""
        return self.exact.row_lengths

    @property
    def _spreads(self) -> tuple[int, float]:
        return self.exact._spreads

    @property
    def _sampled_sectors(self) -> list[float]:
        return self.exact._sampled_sectors

    @property
    def _sorted_sectors(self) -> list[float]:
        return self.exact._sorted_sectors

    def load_lines(self, threads: float = 1, *, wide: int = 1, by_length: bool = False) -> float:
        """Return the lines as they are: few rows are looked at."""
        return self.exact.load_lines(threads, wide=wide, by_length=by_length)

    def on_a_sample(
        self,
        what: Hashable,
        count: Callable[[Structure], Work | None],
        least: Callable[[Structure], Work],
    ) -> Work | None:
        """Return the least work, unless very few rows say that the format could not win."""
        if self.padded and self.exact.at_a_glance(what, count) is None:
            return None
        return least(self)

    def places(self, *, height: int = WARP, window: int | None = 1, group: int = 1) -> int:
        """Return the places as they are, or with all rows sorted by length: no other order takes fewer."""
        return self.exact.places(height=height, window=window if self.padded else None, group=group)

    @property
    def fits_offsets(self) -> bool:
        """Take for granted that it is so, unless some slices say that it is not."""
        return not self.padded or self.shape[1] <= HIGHEST_OFFSET or self._spreads[0] <= HIGHEST_OFFSET

    def fits_step_offsets(self, window: int) -> bool:
        """Take for granted that it is so, unless some slices say that it is not."""
        return not self.padded or self.exact.fits_step_offsets(window)

    @property
    def sectors_scattered(self) -> float:
        """Take for granted that sorted rows ask for nothing twice."""
        return 0.0

    def segment_slots(self, columns: int) -> float:
        """Take for granted that a row has one."""
        return float(self.filled_rows)

    def segment_slots_by_degree(self, columns: int) -> float:
        """Take for granted that a row has one."""
        return float(self.filled_rows)

    @property
    def near_share(self) -> float:
        """Take for granted that all columns are near."""
        return 1.0

    @property
    def hubs(self) -> Hubs:
        """Take for granted that hubs hold everything and are asked for once."""
        return Hubs(1.0, np.zeros(0), np.full(1, float(min(MOST_HUBS, self.shape[1]))))
