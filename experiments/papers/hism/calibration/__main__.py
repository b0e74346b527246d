"""``python -m experiments.papers.hism.calibration``: tables of docs/papers/calibration.md, of stored runs.

With ``machines FOLDER`` those of a million machines are computed again, and written into a folder.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from experiments.made_by import made_by, make_folder
from experiments.papers.hism.calibration.headings import DIFFERENCES, HEADINGS, STATES
from experiments.papers.hism.recorded_calibration import NAME, rows
from vecsim.results.atomic_files import write_file
from vecsim.results.provenance import of_command
from vecsim.support.errors import UserError

COMMAND = ("python", "-m", "experiments.papers.hism.calibration")
UNCALIBRATED = "uncalibrated"
CANDIDATES = (
    "rank",
    "score",
    "as near",
    "distinguishable",
    "conclusions that fail",
    "of all within 10 %",
    "of 18 within 15 %",
    DIFFERENCES,
)
WHOLE = ("spread", "standards", "groups", "provenance")
"""Tables that are printed as they are."""
STANDARDS = {
    "vs2003": "proposal, as proposed",
    "vs2003, plain": "proposal, plain",
    "vs2003, pipelined": "proposal, pipelined",
    "finalists": "machines, as proposed",
    "finalists, plain": "machines, plain",
    "finalists, pipelined": "machines, pipelined",
}
"""Columns on conclusions, and what they are of the table by standard of the programs."""
OF_MACHINES = {
    "machines-averages": "A million machines: the six averages",
    "machines-choices": "A million machines: the values of those that fit within 2 spreads",
    "machines-conclusions": "A million machines: the paper's conclusions on the sample of matrices",
    "machines-looks": "A million machines: cheap looks",
    "machines": "A million machines: how they were made",
}
VARIANTS = range(3, 18)
"""Ranks of candidates that differ little from rank 2; only the report shows them."""


def section() -> str:
    """Return the tables in Markdown."""
    changed_head = ("", UNCALIBRATED, "vs2003", "why these values are plausible")
    parts = {name: _whole(name) for name in WHOLE}
    parts["choices"] = _grid(changed_head, changed())
    parts["candidates"] = _grid(CANDIDATES, candidates())
    parts["sensitivity"] = _grid(("conclusion", *STANDARDS, "of all examined"), conclusions())
    titles = {name: HEADINGS[name][0] for name in parts} | {"choices": "What was changed"} | OF_MACHINES
    parts |= {"machines-averages": _grid(*_split(averages())), "machines-choices": _grid(*_split(values()))}
    parts["machines-conclusions"] = _grid(*_split(of_machines()))
    parts |= {name: _whole(name) for name in ("machines", "machines-looks")}
    order = (
        *("spread", "standards", "sensitivity", "groups", "choices", "candidates", "provenance"),
        *OF_MACHINES,
    )
    return "\n\n".join(f"### {titles[name]}\n\n{parts[name]}" for name in order) + "\n"


def changed() -> Iterable[Sequence[str]]:
    """Yield the choices in which vs2003 differs from the uncalibrated machine."""
    for row in rows("choices"):
        first = row["values"].split(" | ")[0]
        if row["proposed"] != first:
            yield [row["choice"], first, row["proposed"], row["why they are plausible"]]


def candidates() -> Iterable[Sequence[str]]:
    """Yield the nearest candidates, without those that vary one that is shown."""
    for row in rows("candidates"):
        if int(row["rank"].partition(",")[0]) not in VARIANTS:
            yield [row[column] for column in CANDIDATES]


def conclusions() -> Iterable[Sequence[str]]:
    """Yield for each conclusion on which machines it holds."""
    for row, all_ in zip(rows("conclusions-by-standard"), rows("sensitivity"), strict=True):
        shown = (row[column] for column in STANDARDS.values())
        yield [row["conclusion"], *shown, f"{all_['holds on']} of {all_['of']}"]


def averages() -> Iterable[Sequence[str]]:
    """Yield a head and for each average its ranges, of machines at random and of those that fit."""
    above = f"{STATES[0]}: above 1 in per cent"
    yield "row", "paper", *(f"{state}: 5 % to 95 %" for state in STATES), above
    for row in rows("machines-averages"):
        ranges = (f"{row[f'{state}: 5 %']} to {row[f'{state}: 95 %']}" for state in STATES)
        yield row["row"], row["paper"], *ranges, row[above]


def values() -> Iterable[Sequence[str]]:
    """Yield a head and for each choice the shares that its values have of the machines that fit."""
    yield (
        "choice",
        "each sampled, per cent",
        "per cent of the machines that fit, with its standard error",
    )
    shares: dict[tuple[str, str], list[str]] = {}
    for row in rows("machines-choices"):
        share, error = (float(row[f"{STATES[-1]}, {what} in per cent"]) for what in ("share", "error"))
        key = row["choice"], row["sampled in per cent"]
        shares.setdefault(key, []).append(f"{row['value']}: {share:.0f} ± {error:.0f}")
    for (choice, sampled), of in shares.items():
        yield choice, f"{float(sampled):.0f}", "; ".join(of)


def of_machines() -> Iterable[Sequence[str]]:
    """Yield a head and for each conclusion on what share of the machines it holds."""
    yield "conclusion", *(f"{state}, per cent" for state in STATES)
    for row in rows("machines-conclusions"):
        yield row["conclusion"], *(_percent(row[state], row[f"of {state}"]) for state in STATES)


def _percent(holds: str, of: str) -> str:
    return f"{100 * int(holds) / int(of):.1f}"


def _split(lines: Iterable[Sequence[str]]) -> tuple[Sequence[str], Iterable[Sequence[str]]]:
    head, *others = lines
    return head, others


def _whole(name: str) -> str:
    """Return a kept table."""
    recorded = rows(name)
    head = list(recorded[0])
    return _grid(head, ([row[column] for column in head] for row in recorded))


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def machines(folder: Path) -> None:
    """Time a million machines and write the tables of what they say.

    Raises
    ------
    UserError
        A matrix is missing, a program cannot be recorded, or the folder cannot be written.
    """
    from experiments.papers.hism import suite
    from experiments.papers.hism.calibration.calibration import sample_weights
    from experiments.papers.hism.calibration.many_machines import EACH, FAMILIES
    from experiments.papers.hism.calibration.matrices import ground
    from experiments.papers.hism.calibration.posterior import posterior
    from experiments.papers.hism.calibration.posterior_tables import tables, whole, written
    from experiments.papers.hism.calibration.simulation import Simulator
    from experiments.papers.kit.request import Request
    from vecsim.engines import DEFAULT_ENGINE
    from vecsim.machine import load_machine

    make_folder(folder)
    made_by()  # of the code as it is now, not minutes later
    begun, matches, base = time.process_time(), ground(), load_machine("vs2003")
    weights = sample_weights(Request(base), matches)
    result = posterior(base, matches, weights, families=FAMILIES, each=EACH)
    minutes = (time.process_time() - begun) / 60
    results = tables(result, base, matches, suite.load, minutes)
    with Simulator(list(matches.members.values()), suite.load, jobs=1, engine=DEFAULT_ENGINE) as simulator:
        results["machines-whole"] = whole(result, simulator, list(matches.members), base)
    for name, of in results.items():
        write_file(folder / f"{NAME}-{name}.csv", written(of).encode())


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables, or compute those of a million machines."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("machines").add_argument("folder", type=Path)
    chosen = parser.parse_args(arguments)
    if chosen.command == "machines":
        try:
            with of_command((*COMMAND, "machines", str(chosen.folder))):
                machines(chosen.folder)
        except UserError as error:
            parser.exit(2, f"error: {error}\n")
    else:
        print(section(), end="")


if __name__ == "__main__":
    main()
