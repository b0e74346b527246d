"""``python -m experiments.validation.riscv``: compare presets with published tables of cycles, or fit them.

A table has a column ``instruction`` and one for each width of elements and registers of a group, such as
``e32m4``; its name ends in ``-vl1.csv`` if vl is 1, otherwise vl is as long as registers are.
Vicuna has a table of sequences instead.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments.validation.riscv import sequences
from experiments.validation.riscv.comparison import compared, fit, summaries
from experiments.validation.riscv.recorded import write
from experiments.validation.riscv.tables import CORES, Entry, table, tables_of
from vecsim.machine import load_machine
from vecsim.support.errors import UserError


def main() -> None:
    """Print by timing class how many entries are met, or the costs that fit best."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.validation.riscv",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--record", action="store_true", help="write the recorded file again")
    parser.add_argument("--fit", metavar="MACHINE", help="fit the costs of this machine to the tables")
    parser.add_argument("tables", nargs="*", type=Path, help="tables to fit to; those of MACHINE without")
    arguments = parser.parse_args()
    if arguments.tables and not arguments.fit:
        parser.error("tables need --fit MACHINE")
    try:
        if arguments.fit:
            _fit(arguments.fit, arguments.tables)
        else:
            _compare(record=arguments.record)
    except UserError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


def _compare(*, record: bool) -> None:
    recorded = {}
    for core in CORES:
        rows = recorded[core] = summaries(compared(core))
        for row in rows:
            print(f"{core}: {row.timing}: {row.met} of {row.entries} met. {row.cause}")
        met, all_ = sum(row.met for row in rows), sum(row.entries for row in rows)
        print(f"{core}: {met} of {all_} met, {100 * met / all_:.1f} %", flush=True)
    ours = list(sequences.compared())
    for each in ours:
        what = f"{sequences.CORE}: {each.sequence}, LMUL {each.lmul}, vl {each.vl}"
        print(f"{what}: {each.cycles:g} cycles, ours {each.ours:g}")
    print(f"{sequences.CORE}: {sum(each.is_met for each in ours)} of {len(ours)} met")
    if record:
        write(recorded)
        sequences.write(ours)


def _fit(name: str, files: list[Path]) -> None:
    machine = load_machine(name)
    published: list[Entry] = [entry for file in files or tables_of(name) for entry in table(file)]
    for fitted in fit(machine, published):
        costs = ", ".join(f"{number} = {value}" for number, value in fitted.costs.items())
        print(f"[riscv.{fitted.name}] {costs}  # mean difference {100 * fitted.residual:.1f} %", flush=True)


if __name__ == "__main__":
    main()
