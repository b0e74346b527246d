"""``python -m experiments.hism.calibration``: the tables of docs/calibration.md, made of what is kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from experiments.hism.calibration import kept
from experiments.hism.calibration.appendices import DIFFERENCES
from experiments.hism.table2 import GROUPS, PRINTED

NUMBERS_OF_TABLE_2 = ("CRS", "JD", "BBCS")
UNCALIBRATED = "uncalibrated"
WEIGHED = ("all", "small", "medium", "of all within 10 %", "of 18 within 15 %", "orders kept", DIFFERENCES)


def section() -> str:
    """Give the tables in Markdown: the averages, what was changed, the frontier, the conclusions."""
    parts = (
        ("Averages over all matrices", _grid(["", *NUMBERS_OF_TABLE_2], averages())),
        (
            "What was changed",
            _grid(["", UNCALIBRATED, "vs2003", "why these values are plausible"], changed()),
        ),
        ("The frontier", _grid(["", *WEIGHED], frontier())),
        ("The paper's conclusions", _grid(["", "holds on", "machines", "on vs2003"], conclusions())),
    )
    return "\n\n".join(f"### {title}\n\n{table}" for title, table in parts) + "\n"


def averages() -> Iterable[Sequence[str]]:
    """Give the six averages over all matrices: the paper's, the uncalibrated machine's and vs2003's."""
    candidates = _rows("candidates")
    machines = {UNCALIBRATED: candidates[-1], "vs2003": candidates[0]}
    for fast in ("HiSM", "CHiSM"):
        printed = {slow: PRINTED[f"{fast} vs {slow}"][GROUPS.index("all")] for slow in NUMBERS_OF_TABLE_2}
        yield [f"{fast}, paper", *printed.values()]
        for name, row in machines.items():
            yield [
                f"{fast}, {name}",
                *(_beside(row[f"{fast} vs {slow}, all"], printed[slow]) for slow in printed),
            ]


def changed() -> Iterable[Sequence[str]]:
    """Give the choices in which vs2003 differs from the uncalibrated machine."""
    for row in _rows("choices"):
        first = row["values"].split(" | ")[0]
        if row["proposed"] != first:
            yield [row["choice"], first, row["proposed"], row["why they are plausible"]]


def frontier() -> Iterable[Sequence[str]]:
    """Give the machines of the frontier, without the 24 numbers of each."""
    for row in _rows("frontier"):
        yield ["vs2003" if row["rank"] else "", *(row[column] for column in WEIGHED)]


def conclusions() -> Iterable[Sequence[str]]:
    """Give for each conclusion on which machines it holds."""
    for row in _rows("sensitivity"):
        yield [row["conclusion"], row["extent"], f"{row['holds on']} of {row['of']}", row["proposal"]]


def _rows(name: str) -> list[dict[str, str]]:
    table = kept.table(name).table
    assert table is not None
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _beside(ours: str, printed: str) -> str:
    return f"{float(ours):.2f} ({100 * (float(ours) / float(printed) - 1):+.0f} %)"


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    print(section(), end="")
