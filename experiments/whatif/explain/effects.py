"""The effect of each thing varied apart from all others, where a design does not try every combination.

In a Latin hypercube the samples of one value differ in all else, so a mean over them mixes effects. A surface
through the logarithms of the cycles separates them (`experiments.whatif.explain.surface`), matrices cancel
out, and each effect has an interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from experiments.whatif.explain.surface import (
    Floats,
    Ints,
    Surface,
    Term,
    fit_surface,
)
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from experiments.whatif.explain.cells import Cells

LEAST_PREDICTED = 0.8
"""Share of the variance of samples that the surface has not seen, that it must predict for a ranking."""
WELL_PREDICTED = 0.95
"""Share from which structure in the residuals is too small to matter for a rank."""
CONFIDENCE = 0.95
"""That all intervals of a program hold together."""
_ROUNDING = 1e-9
"""Least half-width of an interval, in the logarithm."""


@dataclass(frozen=True, eq=False)
class Effect:
    """What the values of one thing do to the cycles of a program.

    Attributes
    ----------
    levels
        float64, for each value: the logarithm of the factor on the cycles, 0 in the mean of the values; NaN
        of a value without a sample.
    ratio
        Cycles with the slowest value over those with the fastest.
    low, high
        The interval of this ratio.
    """

    levels: Floats
    ratio: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Fit:
    """The surface of a program's cycles.

    Attributes
    ----------
    names
        The things varied.
    surface
        The logarithm of cycles a non-zero; None if effects cannot be separated.
    effects
        By the name of the thing varied.
    samples
        Points of the design.
    matrices
        int64, places of the matrices that have a result in every sample: a response of the surface each.
    """

    names: tuple[str, ...]
    surface: Surface | None
    effects: Mapping[str, Effect]
    samples: int
    matrices: Ints

    @property
    def refusal(self) -> str:
        """Why its effects are not ranked; empty if they are."""
        surface = self.surface
        if surface is None:
            return f"{counted(self.samples, 'sample')} are too few to separate {len(self.names)} things"
        if surface.predicted < LEAST_PREDICTED:
            return (
                f"the fitted surface does not fit: it predicts {max(surface.predicted, 0):.1%} of the "
                "variance of the logarithm of the cycles of samples that it has not seen, "
                f"{LEAST_PREDICTED:.0%} are needed"
            )
        if surface.structure is not None and surface.predicted < WELL_PREDICTED:
            what = self.names[surface.structure] if surface.structure >= 0 else "the prediction itself"
            return f"the fitted surface does not fit: its residuals depend on {what}"
        return ""

    def other_effects(self, names: Sequence[str], place: Mapping[str, Ints], matrix: Ints) -> Floats:
        """Return what everything that is not named adds to the logarithm of cycles.

        Parameters
        ----------
        names
            Things whose effects, and those of pairs of them, are left out.
        place, matrix
            int64, for each cell the places of its values, by name, and of its matrix.

        Returns
        -------
        float64
            For each cell; without a result in every sample a matrix has the effects of the mean.
        """
        result = np.zeros(len(matrix))
        if self.surface is None:
            return result
        response = np.full(int(matrix.max(initial=0)) + 1, len(self.matrices))
        response[self.matrices] = np.arange(len(self.matrices))
        every = np.column_stack([self.surface.coefficients, self.surface.mean])
        for term, own in self.surface.parts():
            things = [self.names[thing] for thing in term.things]
            if not set(things) <= set(names):
                levels = np.asarray(term.basis @ every[own])
                result += levels[(*(place[name] for name in things), response[matrix])]
        return result


def not_ranked(name: str, model: Fit) -> str:
    """Return a sentence: the effects of a program, or on a ratio of two, are not ranked, and why."""
    return f"{name} is not ranked, and left out where its means would mix effects: {model.refusal}."


def fit(cells: Cells, program: int) -> Fit | None:
    """Fit the surface of a program.

    Parameters
    ----------
    cells
        Of the sweep.
    program
        Its place in ``cells.programs``.

    Returns
    -------
    Fit or None
        None where means over all else are right as they are: every combination has a result, or one thing
        was varied at a time.
    """
    names = cells.several
    if len(names) < 2:
        return None
    places, table = samples_of(cells, program)
    if not len(places) or (places < 0).any():
        return None
    if len(places) == np.prod([len(np.unique(column)) for column in places.T]):
        return None
    return fit_samples(cells, places, table)


def fit_samples(cells: Cells, places: Ints, table: Floats) -> Fit:
    """Fit the surface through samples.

    Parameters
    ----------
    cells
        Of the sweep.
    places
        int64, for each sample the places of the values of ``cells.several``.
    table
        float64, for each sample and matrix the logarithm of a response; NaN for no result.
    """
    names = cells.several
    whole = np.flatnonzero(~np.isnan(table).any(axis=0))
    values = [cells.varied[name] for name in names]
    surface = fit_surface(values, places, table[:, whole]) if len(whole) else None
    if surface is None:
        unknown = {
            name: Effect(np.full(len(each), np.nan), 1.0, 1.0, np.inf)
            for name, each in zip(names, values, strict=True)
        }
        return Fit(names, None, unknown, len(places), whole)
    effects = {
        names[term.things[0]]: _effect(term, own, surface, np.unique(places[:, term.things[0]]))
        for term, own in surface.parts()
        if len(term.things) == 1
    }
    return Fit(names, surface, effects, len(places), whole)


def samples_of(cells: Cells, program: int) -> tuple[Ints, Floats]:
    """Return the places of the values of each sample, and the logarithms of its cycles a non-zero.

    Returns
    -------
    int64
        A row for each sample, a column for each of ``cells.several``.
    float64
        A row for each sample, a column for each matrix; NaN for no result.
    """
    chosen = cells.program == program
    points = np.column_stack([cells.place[name][chosen] for name in cells.several])
    unique, which = np.unique(points, axis=0, return_inverse=True)
    table = np.full((len(unique), len(cells.matrices)), np.nan)
    table[which.reshape(-1), cells.matrix[chosen]] = np.log(cells.per_nnz[chosen])
    return unique, table


def _effect(term: Term, own: slice, surface: Surface, present: Ints) -> Effect:
    """Return the effect of a thing, with Scheffé's interval for all differences of two of its values."""
    from scipy.stats import f

    basis, things = term.basis[present], 1 + max(max(each.things) for each in surface.terms)
    of = basis @ surface.mean[own]
    levels = np.full(len(term.basis), np.nan)
    levels[present] = of
    if not term.size:
        return Effect(levels, 1.0, 1.0, 1.0)
    width = np.sqrt(term.size * f.ppf(1 - (1 - CONFIDENCE) / things, term.size, surface.freedom))
    differences = of[:, None] - of[None, :]
    between = basis[:, None, :] - basis[None, :, :]
    errors = np.einsum("ijk,kl,ijl->ij", between, surface.covariance[own, own], between)
    half = np.maximum(width * np.sqrt(np.maximum(errors, 0)), _ROUNDING)
    low, high = max(float((differences - half).max()), 0.0), float((differences + half).max())
    return Effect(levels, float(np.exp(differences.max())), float(np.exp(low)), float(np.exp(high)))
