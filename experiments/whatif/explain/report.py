"""The report of a sweep: everything that its table shows."""

from __future__ import annotations

from experiments.report.environment import made_by
from experiments.report.item import Appendix, Item, Part, Report, Table
from experiments.whatif.explain.cells import Cells
from experiments.whatif.explain.crossings import crossings
from experiments.whatif.explain.front import candidates, machines, pareto
from experiments.whatif.explain.matrix_factors import with_matrix_parameters
from experiments.whatif.explain.pairs import pairs
from experiments.whatif.explain.parameters import FEWEST_MATRICES, against, what_matters
from experiments.whatif.explain.question import answered
from experiments.whatif.explain.variance import what_explains
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

FEWEST_MACHINES = 2


def report(cells: Cells, name: str, remarks: tuple[str, ...] = ()) -> Report:
    """Make the report of a sweep.

    Parameters
    ----------
    cells
        The results of the sweep.
    name
        Of its folder.
    remarks
        Sentences that stand above everything.

    Raises
    ------
    UserError
        Nothing was varied, and there is nothing to compare.
    """
    items: list[Item] = [] if cells.question is None else [answered(cells, cells.question)]
    factors = with_matrix_parameters(cells)
    items += [against(factors, name) for name in factors.several]
    if len(factors.several) > 1:
        items.append(what_matters(factors))
    if factors.several and (variance := what_explains(factors)) is not None:
        items.append(variance)
    if len(factors.several) > 1:
        items += pairs(factors)
    if len(cells.programs) > 1 and len(cells.matrices) >= FEWEST_MATRICES:
        items.append(crossings(cells))
    appendices = [_specification(cells)]
    match = candidates(cells) if cells.machine else []
    if len({each.cost for each in match}) >= FEWEST_MACHINES:
        items.append(pareto(cells, match))
        appendices.append(machines(cells, match))
    if not items:
        raise UserError(
            f"{name}: nothing was varied; vary a number"
            + ("" if cells.is_of_texts else f", or name {FEWEST_MATRICES} matrices and two programs")
        )
    matrices = "" if cells.is_of_texts else f"{counted(len(cells.matrices), 'matrix')} and "
    source = (
        f"{counted(len(cells.cycles), 'cell')} of {matrices}{counted(len(cells.programs), 'program')}; "
        f"{cells.faults:,} have no result."
    )
    if cells.left_out:
        source += (
            f" They are a sample of {cells.left_out + cells.faults + len(cells.cycles):,} cells: the same "
            "points, chosen by chance, of each program and matrix. So a faster machine than the fastest here "
            "can be among the others; `vecsim optimise` looks for it."
        )
    part = Part("sweep", source, tuple(items), remarks)
    return Report(f"Sweep {name}", (part,), (*appendices, made_by()), compares=False)


def _specification(cells: Cells) -> Appendix:
    rows = (
        *(() if cells.is_of_texts else (("matrices", ", ".join(cells.matrices)),)),
        ("programs", ", ".join(cells.programs)),
        *((name, ", ".join(values)) for name, values in cells.varied.items()),
    )
    return Appendix("sweep-varied", "What was varied", table=Table(("what", "values"), rows))
