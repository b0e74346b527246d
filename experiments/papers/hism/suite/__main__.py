"""``python -m experiments.papers.hism.suite``: the suite next to the paper, and each figure's ten."""

from rich.console import Console
from rich.table import Table

from experiments.papers.hism.suite.figures import figure
from experiments.papers.hism.suite.loading import missing
from experiments.papers.hism.suite.member import CRITERIA, Criterion, members
from experiments.papers.hism.suite.statistics import (
    ALL,
    PAPER,
    WITHOUT_STAND_INS,
    Distribution,
    distributions,
    subsets,
)

_NUMBERS: dict[Criterion, str] = {"size": ",.0f", "locality": ".3g", "average_per_row": ".3g"}


def main() -> int:
    """Print the tables."""
    console = Console()
    console.print(_comparison())
    for criterion in CRITERIA:
        console.print(_figure(criterion))
    lacking = missing()
    if lacking:
        names = ", ".join(member.name for member in lacking)
        console.print(f"{len(lacking)} of {len(members())} members are not found here: {names}")
    return 0


def _comparison() -> Table:
    title = "The paper's suite and ours: mean, its distance from the paper's, least to greatest"
    table = Table(title=title, show_lines=True)
    for heading in ("", "matrices", *(criterion.replace("_", " ") for criterion in CRITERIA)):
        table.add_column(heading, justify="left" if heading == "" else "right")
    rows: dict[str, list[Distribution]] = {}
    for row in distributions():
        rows.setdefault(row.subset, []).append(row)
    for subset, criteria in rows.items():
        table.add_row(subset, str(criteria[0].count), *map(_cell, criteria))
    return table


def _cell(row: Distribution) -> str:
    least, mean, greatest = (
        format(value, _NUMBERS[row.criterion]) for value in (row.least, row.mean, row.greatest)
    )
    off = "" if row.subset == PAPER else f" ({row.mean_off_percent:+.2f} %)"
    return f"{mean}{off}\n{least} to {greatest}"


def _figure(criterion: Criterion) -> Table:
    table = Table(title=f"The ten of the figure by {criterion.replace('_', ' ')} (* named by the paper)")
    for heading in ("group", "point", "with stand-ins", "", "without", ""):
        table.add_column(heading, justify="right" if heading in ("point", "") else "left")
    chosen = (figure(criterion, subsets()[name]) for name in (ALL, WITHOUT_STAND_INS))
    for pair in zip(*chosen, strict=True):
        cells = [
            text
            for one in pair
            for text in (one.name + "*" * one.named_by_paper, format(one.value, _NUMBERS[criterion]))
        ]
        table.add_row(pair[0].group, format(pair[0].point, _NUMBERS[criterion]), *cells)
    return table


if __name__ == "__main__":
    raise SystemExit(main())
