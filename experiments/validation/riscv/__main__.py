"""``python -m experiments.validation.riscv``: compare presets with published tables of cycles, or fit them.

A table has a column ``instruction`` and one for each width of elements and registers of a group, such as
``e32m4``; its name ends in ``-vl1.csv`` if vl is 1, otherwise vl is as long as registers are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

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
    if arguments.fit:
        try:
            _fit(arguments.fit, arguments.tables)
        except UserError as error:
            parser.exit(2, f"{parser.prog}: {error}\n")
        return
    if arguments.tables:
        parser.error("tables need --fit MACHINE")
    recorded = {}
    for core in CORES:
        rows = recorded[core] = summaries(compared(core))
        for row in rows:
            print(f"{core}: {row.timing}: {row.met} of {row.entries} met. {row.cause}")
        met, all_ = sum(row.met for row in rows), sum(row.entries for row in rows)
        print(f"{core}: {met} of {all_} met, {100 * met / all_:.1f} %")
    if arguments.record:
        write(recorded)


def _fit(name: str, files: list[Path]) -> None:
    machine = load_machine(name)
    published: list[Entry] = [entry for file in files or tables_of(name) for entry in table(file)]
    for fitted in fit(machine, published):
        costs = ", ".join(f"{number} = {value}" for number, value in fitted.costs.items())
        print(f"[riscv.{fitted.name}] {costs}  # mean difference {100 * fitted.residual:.1f} %", flush=True)


if __name__ == "__main__":
    main()
