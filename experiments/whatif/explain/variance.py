"""What explains how much of the variance of cycles and of their ratios: matrices, things and pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel
from experiments.whatif.explain.cells import Cells
from experiments.whatif.explain.effects import fit_samples, not_ranked, samples_of
from experiments.whatif.explain.surface import Floats, Ints, Surface, design_of
from experiments.whatif.sweep.specification import OPTION

MATRIX, REST = "matrix", "more than two together, or error"
AND = " x "
LEAST_SHARE = 0.005
"""Of the variance: what is below it in every response is left out."""
MOST_NAMED = 3
"""Parts that a sentence names."""
MOST_DRAWN = 10
"""Parts in the figure."""
TITLE = "What explains the variance"


@dataclass(frozen=True)
class Share:
    """A part of the variance of a response.

    Attributes
    ----------
    of
        Of the variance of the logarithm over all samples and matrices, 0 to 1.
    probability
        Of as large a part by accident, by an F test; None where every combination was tried.
    """

    of: float
    probability: float | None = None


@dataclass(frozen=True, eq=False)
class _Response:
    """The logarithms of cycles of a program, or of a ratio of two: places of samples, and a table."""

    name: str
    places: Ints
    table: Floats


def what_explains(cells: Cells) -> Item | None:
    """Show which things and which pairs explain how much; None where one thing was varied at a time."""
    results: dict[str, Mapping[str, Share]] = {}
    gaps: list[str] = []
    for response in _responses(cells):
        if _is_grid(response.places):
            results[response.name] = _of_grid(cells.several, response)
            continue
        fitted = fit_samples(cells, response.places, response.table)
        if fitted.refusal or fitted.surface is None:
            gaps.append(not_ranked(response.name, fitted))
        else:
            results[response.name] = _of_samples(cells.several, fitted.surface, response)
    if not results and not gaps:
        return None
    seen = _largest(results)
    rows = [
        Comparison(name, part, "", shares[part].of, note=_probability(shares[part]))
        for name, shares in results.items()
        for part in seen
        if part in shares
    ]
    notes = tuple(f"{name}: {_leading(shares)} of the variance." for name, shares in results.items())
    chart = _chart(results, seen)
    return Item("sweep-variance", TITLE, _summary(cells), tuple(rows), chart, notes=notes, gaps=tuple(gaps))


def _largest(results: Mapping[str, Mapping[str, Share]]) -> list[str]:
    """Return the parts that are not small everywhere, the largest first, and what is left at the end."""
    parts: dict[str, float] = {}
    for part, share in itertools.chain.from_iterable(each.items() for each in results.values()):
        parts[part] = max(parts.get(part, 0.0), share.of)
    order = sorted(parts, key=lambda part: (part == REST, -parts[part]))
    return [part for part in order if parts[part] >= LEAST_SHARE or part == REST]


def _probability(share: Share) -> str:
    return "" if share.probability is None else f"p = {share.probability:.2g}"


def _responses(cells: Cells) -> Iterator[_Response]:
    """Return the programs, and each ratio to the first, on matrices that have a result everywhere."""
    tables: list[tuple[str, Ints, Floats]] = []
    for place, program in enumerate(cells.programs):
        places, table = samples_of(cells, place)
        if len(places) and not (places < 0).any():
            tables.append((program, places, table))
    for program, places, table in tables:
        if (whole := _whole(table)).size:
            yield _Response(program, places, whole)
    for (base, first, one), (program, second, other) in itertools.combinations(tables, 2):
        if base == cells.programs[0]:
            both, at, to = _common(first, second)
            if len(both) and (whole := _whole(other[to] - one[at])).size:
                yield _Response(f"{program} / {base}", both, whole)


def _whole(table: Floats) -> Floats:
    return np.asarray(table[:, ~np.isnan(table).any(axis=0)])


def _common(first: Ints, second: Ints) -> tuple[Ints, list[int], list[int]]:
    """Return the samples that two programs have in common, and where each has them."""
    places = {tuple(row): at for at, row in enumerate(second.tolist())}
    match = [(at, places[key]) for at, row in enumerate(first.tolist()) if (key := tuple(row)) in places]
    at, to = [pair[0] for pair in match], [pair[1] for pair in match]
    return first[at], at, to


def _is_grid(places: Ints) -> bool:
    return len(places) == np.prod([len(np.unique(column)) for column in places.T])


def _label(names: Sequence[str]) -> str:
    return AND.join(name.removeprefix(OPTION) for name in names)


def _of_grid(names: Sequence[str], response: _Response) -> dict[str, Share]:
    """Divide the variance where every combination was tried: matrices are a thing like any other."""
    sizes = [len(np.unique(column)) for column in response.places.T]
    order = np.lexsort(response.places.T[::-1])
    field = response.table[order].reshape(*sizes, -1)
    field = field - field.mean()
    total = float(np.mean(field**2))
    axes = range(field.ndim)
    named = [*names, MATRIX]

    def mean(*of: int) -> Floats:
        others = tuple(axis for axis in axes if axis not in of)
        return np.asarray(field.mean(axis=others, keepdims=True))

    shares = {}
    for size in (1, 2):
        for of in itertools.combinations(axes, size):
            effect = mean(*of) if size == 1 else mean(*of) - mean(of[0]) - mean(of[1])
            if all(field.shape[axis] > 1 for axis in of):
                shares[_label([named[axis] for axis in of])] = float(np.mean(effect**2))
    divided = {part: Share(value / total if total else 0.0) for part, value in shares.items()}
    return divided | {REST: Share(max(1 - sum(each.of for each in divided.values()), 0.0) if total else 0.0)}


def _of_samples(names: Sequence[str], surface: Surface, response: _Response) -> dict[str, Share]:
    """Divide the variance over all combinations by the fitted surface, whose terms are orthogonal there.

    What the error of the coefficients adds in the mean to each part is taken off; the F test is the usual one
    of a term's coefficients. Each matrix has coefficients in addition.
    """
    matrices = response.table.shape[1]
    design = design_of(surface.terms, response.places)
    inverse = np.asarray(np.linalg.inv(design.T @ design), dtype=np.float64)
    left = response.table - design @ surface.coefficients
    mean, own_of_matrix = surface.mean, surface.coefficients - surface.mean[:, None]
    error = float(np.sum(left.mean(axis=1) ** 2)) / surface.freedom
    own_error = max(float(np.sum(left**2)) / surface.freedom / matrices - error, 0.0)
    squares, probability = {MATRIX: float(np.mean(own_of_matrix[0] ** 2))}, {}
    for term, own in surface.parts():
        basis = term.basis.reshape(-1, term.size)
        basis = basis[~np.isnan(basis).any(axis=1)]
        accident = float(np.mean(np.einsum("ij,jk,ik->i", basis, inverse[own, own], basis)))
        part = _label([names[thing] for thing in term.things])
        squares[part] = max(float(np.mean((basis @ mean[own]) ** 2)) - error * accident, 0.0)
        probability[part] = _accident(mean[own], inverse[own, own], error, surface.freedom)
        if len(term.things) == 1:
            by_matrix = float(np.mean((basis @ own_of_matrix[own]) ** 2))
            squares[f"{part}{AND}{MATRIX}"] = max(by_matrix - own_error * accident, 0.0)
    squares[REST] = error + own_error
    total = sum(squares.values())
    return {
        part: Share(value / total if total else 0.0, probability.get(part)) for part, value in squares.items()
    }


def _accident(coefficients: Floats, inverse: Floats, error: float, freedom: int) -> float:
    """Return the probability of coefficients as large by accident."""
    from scipy.special import fdtrc

    size = len(coefficients)
    if not size or not error:
        return 0.0
    quotient = float(coefficients @ np.linalg.solve(inverse, coefficients)) / size / error
    return float(fdtrc(size, freedom, quotient))


def _leading(shares: Mapping[str, Share]) -> str:
    """Name the largest parts."""
    best = sorted((part for part in shares if part != REST), key=lambda part: -shares[part].of)
    return ", ".join(f"{part} {shares[part].of:.0%}" for part in best[:MOST_NAMED])


def _summary(cells: Cells) -> str:
    return (
        f"Shares of the variance of the logarithm of {cells.time}, and of the logarithm of the ratio of "
        f"two programs' cycles, over {cells.over}all samples. A pair counts what both do together beyond "
        f"what each does alone. Parts below {LEAST_SHARE:.1%} are left out. Where not every combination was "
        "tried, shares are those of the fitted surface over all combinations, with an F test."
    )


def _chart(results: Mapping[str, Mapping[str, Share]], parts: Sequence[str]) -> BarChart | None:
    if not results:
        return None
    parts_shown = [*[part for part in parts if part != REST][: MOST_DRAWN - 1], REST]
    return BarChart(
        title=TITLE,
        value_label="share of the variance",
        panels=(
            Panel(
                "",
                tuple(part.replace(AND, "\nx ") for part in parts_shown),
                {
                    name: tuple(shares[part].of if part in shares else 0.0 for part in parts_shown)
                    for name, shares in results.items()
                },
            ),
        ),
        description="Bars: shares of the variance for each program and each ratio, the largest part first.",
    )
