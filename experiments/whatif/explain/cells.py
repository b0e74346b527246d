"""The cells of a sweep, read from its folder, and means of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.whatif.compare.document import TABLE_FILE, Document, read_document
from experiments.whatif.compare.layouts import SWEEP, SweepLayout
from experiments.whatif.compare.table import ProductRow, TableRow
from experiments.whatif.explain.effects import Fit, fit
from experiments.whatif.sweep.answer import Combination, ratios_of
from experiments.whatif.sweep.attributes import Value
from experiments.whatif.sweep.matrix_parameters import matrix_parameters
from experiments.whatif.sweep.question import Question, read_question
from experiments.whatif.sweep.texts import NO_MATRIX
from vecsim.machine.description import flat
from vecsim.support.errors import UserError

ABSENT = -1
"""The place of a value in a cell in which the thing is as the machine has it."""
MOST_CELLS = 100_000
"""Of a larger table a sample is read."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a sweep that have a result.

    Attributes
    ----------
    varied
        Values of each thing that was varied, as texts, by name, in the order of the specification.
    programs, matrices
        Names, in the order of the specification; of texts `NO_MATRIX` stands in the place of the matrices.
    features
        Numbers of the matrices, in their order, by what they are: what programs are compared by.
    machine
        Numbers of the machine that was varied, by full name.
    value_bits
        Bits of a value.
    cost
        Weights of what a machine costs that the specification gives; see `experiments.whatif.sweep.cost`.
    program, matrix
        int64, for each cell: its place in `programs` and `matrices`.
    place
        int64, for each cell, by name: the place in `varied`, or `ABSENT`.
    cycles, per_nnz
        float64, for each cell: cycles, and cycles a non-zero or, of texts, millions of cycles.
    faults
        How many cells have no result.
    question
        Of the sweep; None for none.
    parameters
        The numbers in which generated matrices differ, for each matrix; see
        `experiments.whatif.sweep.matrix_parameters`.
    left_out
        Cells that were not read: of very many a sample stands for all.
    factors, ratios
        What its answer is made of: the values of each thing that was varied, and the logarithms of ratios;
        see `experiments.whatif.sweep.answer`.
    """

    varied: Mapping[str, tuple[str, ...]]
    programs: tuple[str, ...]
    matrices: tuple[str, ...]
    features: Mapping[str, Floats]
    machine: Mapping[str, Any]
    value_bits: int
    cost: Mapping[str, float]
    program: Ints
    matrix: Ints
    place: Mapping[str, Ints]
    cycles: Floats
    per_nnz: Floats
    faults: int
    left_out: int = 0
    question: Question | None = None
    parameters: Mapping[str, Sequence[float]] = field(default_factory=dict)
    factors: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    ratios: Mapping[Combination, float] = field(default_factory=dict)

    @property
    def is_of_texts(self) -> bool:
        """Whether its programs are texts, which multiply no matrix."""
        return self.matrices == (NO_MATRIX,)

    @property
    def speed(self) -> str:
        """What the inverse of `per_nnz` is called."""
        return "runs in a million cycles" if self.is_of_texts else "non-zeros a cycle"

    @property
    def time(self) -> str:
        """What `per_nnz` is called."""
        return "million cycles a run" if self.is_of_texts else "cycles a non-zero"

    @property
    def over(self) -> str:
        """What means are taken over before all else: the matrices, if there are any."""
        return "" if self.is_of_texts else "the matrices and "

    @cached_property
    def fits(self) -> tuple[Fit | None, ...]:
        """For each program the surface that separates effects; None where means over all else are right."""
        return tuple(fit(self, place) for place in range(len(self.programs)))

    @property
    def several(self) -> tuple[str, ...]:
        """Names of the things that have more than one value."""
        return tuple(name for name, values in self.varied.items() if len(values) > 1)

    def means(self, program: int, names: Sequence[str]) -> Floats:
        """Return a program's geometric means of cycles a non-zero over everything else that was varied.

        Where the samples of a value differ in all else (a Latin hypercube), the effects of all else are taken
        out before; where they cannot be separated, there are no means of single values.

        Parameters
        ----------
        program
            Its place in `programs`.
        names
            Things whose values are kept separate: none, one or two.

        Returns
        -------
        float64
            An axis for each name, then one for the matrices; NaN where there is none.
        """
        shape = (*(len(self.varied[name]) for name in names), len(self.matrices))
        model = self.fits[program]
        if names and model is not None and model.refusal:
            return np.full(shape, np.nan)
        chosen = self.program == program
        for name in names:
            chosen &= self.place[name] != ABSENT
        place = {name: each[chosen] for name, each in self.place.items()}
        logs, matrix = np.log(self.per_nnz[chosen]), self.matrix[chosen]
        if names and model is not None:
            logs -= model.other_effects(names, place, matrix)
        flat_place = np.ravel_multi_index((*(place[name] for name in names), matrix), shape)
        size = int(np.prod(shape))
        sums = np.bincount(flat_place, logs, size)
        counts = np.bincount(flat_place, minlength=size)
        with np.errstate(invalid="ignore"):
            return np.exp(sums / counts).reshape(shape)

    def unchanged(self, program: int) -> Floats:
        """Return a program's cycles a non-zero where nothing was changed, a matrix each; NaN for none."""
        chosen = (self.program == program) & np.all([p == ABSENT for p in self.place.values()], axis=0)
        match = np.full(len(self.matrices), np.nan)
        match[self.matrix[chosen]] = self.per_nnz[chosen]
        return match


def comparable(means: Floats) -> Floats:
    """Leave only the matrices that have a number wherever any of them has one; an axis of no matrix is NaN.

    Parameters
    ----------
    means
        The last axis is that of the matrices.
    """
    places = means.reshape(-1, means.shape[-1])
    there = places[~np.isnan(places).all(axis=1)]
    return means[..., ~np.isnan(there).any(axis=0)]


def overall(means: Floats) -> Floats:
    """Return the geometric means over the matrices, the last axis; NaN where there is none."""
    if not means.shape[-1]:
        return np.full(means.shape[:-1], np.nan)
    return np.asarray(np.exp(np.mean(np.log(means), axis=-1)))


def number(value: float) -> float | None:
    """Return a number as tables take it: None for NaN."""
    return None if np.isnan(value) else float(value)


def read_cells(folder: Path) -> Cells:
    """Read the folder that ``vecsim sweep --out`` wrote, or an archive of it.

    Raises
    ------
    UserError
        It is none, or no cell of it has a result.
    """
    return cells_of(read_document(folder, MOST_CELLS), folder)


def cells_of(document: Document, where: Path) -> Cells:
    """Return the cells of a document of a sweep; messages call it `where`.

    Raises
    ------
    UserError
        It is of another command, or no cell of it has a result.
    """
    layout = document.layout
    if not isinstance(layout, SweepLayout):
        raise UserError(f"{where}: is of {document.kind}; name the results of {SWEEP}")
    spec = layout.sweep
    there = [row for row in document.table if _time(row) is not None]
    if not there:
        raise UserError(f"{where}: no cell has a result; see the column fault of {TABLE_FILE}")
    varied = spec.factors
    matrices = {row.matrix: row for row in there if isinstance(row, ProductRow)}
    named = tuple(matrices) or (NO_MATRIX,)
    sources = {each.name: each.source for each in layout.matrices}
    question = read_question(spec.question, spec.programs) if spec.question else None
    features = {"non-zeros a row": [row.nnz / row.rows for row in matrices.values()]}
    localities = [row.locality for row in matrices.values() if row.locality is not None]
    if len(localities) == len(matrices):
        features["locality"] = localities
    return Cells(
        varied={name: tuple(map(_label, values)) for name, values in varied.items()},
        programs=tuple(spec.programs),
        matrices=named,
        features={name: np.array(values) for name, values in features.items()},
        machine=flat(layout.machine),
        value_bits=spec.value_bits,
        cost=spec.cost,
        program=_places((row.program for row in there), spec.programs),
        matrix=_places((_matrix(row) for row in there), named),
        place={
            name: _places((row.varied[name] for row in there), tuple(map(str, values)))
            for name, values in varied.items()
        },
        cycles=np.array([row.cycles for row in there], dtype=float),
        per_nnz=np.array([_time(row) for row in there], dtype=float),
        faults=len(document.table) - len(there),
        left_out=layout.cells - len(document.table),
        question=question,
        parameters=matrix_parameters(list(matrices), [sources[name] for name in matrices])[0],
        factors=varied,
        ratios={} if question is None else _ratios(document.table, tuple(varied), question),
    )


def _matrix(row: TableRow) -> str:
    return row.matrix if isinstance(row, ProductRow) else NO_MATRIX


def _time(row: TableRow) -> float | None:
    """Return cycles a non-zero or, of a text, millions of cycles; None for no result."""
    if isinstance(row, ProductRow):
        return row.cycles_per_nnz
    return None if row.cycles is None else row.cycles / 1e6


def _ratios(table: Sequence[TableRow], varied: Sequence[str], question: Question) -> dict[Combination, float]:
    columns: dict[str, list[object]] = {
        "matrix": [_matrix(row) for row in table],
        "program": [row.program for row in table],
        "cycles": [row.cycles for row in table],
        **{name: [row.varied[name] for row in table] for name in varied},
    }
    return ratios_of(columns, varied, question)


def _label(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _places(match: Iterable[str], values: Sequence[str]) -> Ints:
    places = {"": ABSENT} | {value: place for place, value in enumerate(values)}
    return np.array([places[each] for each in match], dtype=np.int64)
