"""Which of the candidates: a choice by numbers alone, without chance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.papers.hism.suite.candidates import Candidate
from experiments.papers.hism.suite.figures import steps_away
from experiments.papers.hism.suite.member import CRITERIA
from experiments.papers.hism.suite.stated_by_paper import LOG_STEPS, MEANS, SUITE_SIZE

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]

FAMILY_LIMIT = 4
"""At most this many of a set of the collection with the same letters in their names."""
SIMILAR = 0.5
"""Of two matrices whose names have the same letters at most one is taken if they are nearer than this, in
steps of the paper's figures."""
DISTANCE_OF_KINDS = 0.5
"""Between matrices of different kinds that are equal in all three criteria, in steps."""
MEANS_WEIGHT = 1000.0
"""Of the squared relative errors of the three means, in the cost."""
STAND_IN_CHARGE = 0.3
"""Of each stand-in, in the cost."""


def choose(candidates: Sequence[Candidate], size: int = SUITE_SIZE) -> list[Candidate]:
    """Return the suite: `size` of the candidates, in their order.

    What the paper names is in, and what lies nearest to each point of the figures' logarithmic scales.
    Others are added one by one, always the one least like all that are in; at most `FAMILY_LIMIT` of a
    family, and none that is `SIMILAR` to one that is in. Then members are exchanged for candidates, always
    the best exchange, as long as that lowers the cost: the squared relative errors of the three means
    (`MEANS_WEIGHT`), twice the likeness of all pairs by the number of members, and `STAND_IN_CHARGE` for
    each stand-in.

    Raises
    ------
    ValueError
        If there are too few candidates.
    """
    pool = _Pool.of(candidates)
    chosen = pool.fixed.copy()
    while chosen.sum() < size:
        likeness = np.where(pool.may_join(chosen), pool.alike[:, chosen].sum(axis=1), np.inf)
        best = int(np.argmin(likeness))
        if not np.isfinite(likeness[best]):
            raise ValueError(f"{len(candidates)} candidates are too few for a suite of {size}; add some")
        chosen[best] = True
    while _exchange(pool, chosen):
        pass
    return [candidate for candidate, taken in zip(candidates, chosen, strict=True) if taken]


def distances(candidates: Sequence[Candidate]) -> FloatArray:
    """Return how far apart the candidates are in the three criteria, float64 of (n, n).

    In steps of the paper's figures: a factor of 3.5 in size, 1.78 in locality, 1.77 in average per row.
    """
    values = np.array([[getattr(c.member, name) for name in CRITERIA] for c in candidates], dtype=np.float64)
    steps = np.log(values) / np.log([LOG_STEPS[name] for name in CRITERIA])
    apart: FloatArray = np.linalg.norm(steps[:, None] - steps[None], axis=2)
    return apart


def likeness(candidates: Sequence[Candidate]) -> FloatArray:
    """Return how alike the candidates are to each other, float64 of (n, n), 0 on the diagonal.

    exp(-d), d being their distance, plus `DISTANCE_OF_KINDS` if they are of different sets of the
    collection, and again if their names have different letters.
    """
    apart = distances(candidates)
    apart += DISTANCE_OF_KINDS * ~_equal([c.member.collection for c in candidates])
    apart += DISTANCE_OF_KINDS * ~_equal([c.letters for c in candidates])
    alike: FloatArray = np.exp(-apart)
    np.fill_diagonal(alike, 0)
    return alike


def _equal(names: Sequence[str]) -> BoolArray:
    label = np.unique(names, return_inverse=True)[1]
    equal: BoolArray = label[:, None] == label
    return equal


@dataclass(frozen=True, eq=False)
class _Pool:
    """The candidates as arrays: criteria over the paper's means, likeness, family, and marks."""

    by_mean: FloatArray
    alike: FloatArray
    similar: BoolArray
    family: IndexArray
    fixed: BoolArray
    stand_in: BoolArray

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> "_Pool":
        by_mean = [[getattr(c.member, name) / MEANS[name] for name in CRITERIA] for c in candidates]
        similar = _equal([c.letters for c in candidates]) & (distances(candidates) < SIMILAR)
        np.fill_diagonal(similar, False)
        return cls(
            np.array(by_mean),
            likeness(candidates),
            similar,
            np.unique([c.family for c in candidates], return_inverse=True)[1],
            np.array([c.is_named for c in candidates]) | _nearest_to_scales(candidates),
            np.array([not c.member.has_original_pattern for c in candidates]),
        )

    def may_join(self, chosen: BoolArray) -> BoolArray:
        """Which candidates are not in, of a family that is not full, and similar to none that is in."""
        full = np.bincount(self.family[chosen], minlength=self.family.max() + 1) >= FAMILY_LIMIT
        return ~chosen & ~full[self.family] & ~self.similar[:, chosen].any(axis=1)

    def may_replace(self, chosen: BoolArray, goes: IndexArray, comes: IndexArray) -> BoolArray:
        """Whether each of `comes` may join when one of `goes` leaves, bool of (goes, comes)."""
        counts = np.bincount(self.family[chosen], minlength=self.family.max() + 1)[self.family[comes]]
        room = counts - (self.family[goes][:, None] == self.family[comes]) < FAMILY_LIMIT
        alike = self.similar[comes][:, chosen].sum(axis=1) - self.similar[np.ix_(goes, comes)]
        may: BoolArray = room & (alike == 0)
        return may


def _nearest_to_scales(candidates: Sequence[Candidate]) -> BoolArray:
    nearest = np.zeros(len(candidates), dtype=np.bool_)
    for criterion in CRITERIA:
        nearest[steps_away(criterion, [c.member for c in candidates]).argmin(axis=0)] = True
    return nearest


def _exchange(pool: _Pool, chosen: BoolArray) -> bool:
    """Make the best exchange, in place; False if none lowers the cost."""
    goes, comes = np.flatnonzero(chosen & ~pool.fixed), np.flatnonzero(~chosen)
    size = int(chosen.sum())

    errors = pool.by_mean[chosen].mean(axis=0) - 1
    after = errors + (pool.by_mean[comes] - pool.by_mean[goes][:, None]) / size
    change: FloatArray = MEANS_WEIGHT * ((after**2).sum(axis=2) - (errors**2).sum())
    likeness_to_all = pool.alike[:, chosen].sum(axis=1)
    gained = likeness_to_all[comes] - pool.alike[np.ix_(goes, comes)]
    change += 2 / size * (gained - likeness_to_all[goes][:, None])
    change += STAND_IN_CHARGE * (pool.stand_in[comes].astype(float) - pool.stand_in[goes][:, None])
    change[~pool.may_replace(chosen, goes, comes)] = np.inf

    out, new = np.unravel_index(np.argmin(change), change.shape)
    if change[out, new] >= -1e-12:
        return False
    chosen[goes[out]], chosen[comes[new]] = False, True
    return True
