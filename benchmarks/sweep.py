"""How long a sweep of 10,000 cells takes: ``python -m benchmarks.sweep``.

Five programs on 20 real matrices of up to 30,000 entries and 100 machines, into an empty store; then
again with all cells stored. 200 random cells are compared with single runs. The matrices are those in the
folders of ``VECSIM_MATRICES``.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from experiments.whatif.sweep import Sweep, SweepTable, sweep
from programs.measurement import measure
from vecsim.support.errors import UserError

LARGEST = 30_000
MATRICES = 20
MACHINES = 100
COMPARED = 200
"""Cells that are compared with single runs."""
SEED = 17
VARIED = {
    "banks": (4, 8, 16, 32, 64),
    "bank_busy": (1, 2, 3, 4, 8),
    "accesses_in_flight": (1, 2, 4, 8),
    "startup": (0, 10, 20, 40),
    "addresses_per_cycle": (1, 2, 4),
    "lanes": (1, 2, 4, 8),
    "unit_queue": (0, 2, 8),
    "issue_width": (1, 2, 4),
    "sparse_unit.latency": (8, 16, 24),
    "branch_penalty": (0, 1, 3),
}
"""Numbers of the machine; all images have its section size."""


def chosen() -> tuple[str, ...]:
    """Return names of real matrices, the same ones where the same are found.

    Raises
    ------
    UserError
        There are too few.
    """
    from experiments.papers.hism.suite import load, members  # here, since workers import this module

    names = []
    for member in members():
        if member.provenance == "file" and member.size <= LARGEST:
            try:
                load(member)
            except UserError:
                continue
            names.append(member.name)
    if len(names) < MATRICES:
        raise UserError(
            f"{len(names)} matrices of up to {LARGEST:,} entries are found, {MATRICES} are needed"
        )
    return tuple(sorted(random.Random(SEED).sample(sorted(names), MATRICES)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what it took."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args(arguments)
    try:
        what = Sweep(chosen(), set=VARIED, design="latin-hypercube", samples=MACHINES)
    except UserError as error:
        print(f"sweep: error: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        for again in (False, True):
            began, used = time.monotonic(), _processor_seconds()
            table = sweep(what, store=Path(folder) / "store", jobs=given.jobs)
            seconds, processors = time.monotonic() - began, _processor_seconds() - used
            share = table.engine_seconds / processors
            print(
                f"{'again' if again else 'first'}: {len(table):,} cells, {table.computed:,} simulated, in "
                f"{seconds:.1f} s with {given.jobs} processes; processors' time {processors:.1f} s, engine "
                f"{table.engine_seconds:.1f} s, {share:.0%} of it; load average "
                f"{os.getloadavg()[0]:.1f}"
            )
    sampled = random.Random(SEED).sample(range(len(table)), COMPARED)
    others = [line for row in sampled if (line := difference(table, row))]
    print(f"compared with single runs: {len(sampled)} cells, {len(others)} differ")
    for line in others:
        print(line)
    return 1 if others else 0


def difference(table: SweepTable, row: int) -> str:
    """Describe how a row of a table differs from a single run; empty if it does not."""
    cell = {name: column[row] for name, column in table.columns.items()}
    what, message = table.sweep, f"{cell['matrix']}, {cell['program']}, row {row}"
    try:
        machine = what.base.changed({name: cell[name] for name in what.set})
        alone = measure(cell["program"], cell["matrix"], machine, value_bits=what.value_bits, seed=what.seed)
    except UserError as error:
        # The same reason, with another name of the machine in front.
        same = cell["fault"].rpartition(": ")[2] == str(error).rpartition(": ")[2]
        return "" if same else f"{message}: {error}, in the table {cell['fault']!r}"
    numbers = ("cycles", "instructions", "bytes_moved", "peak_share", "storage_bytes", "relative_error")
    pairs = {name: (getattr(alone, name), cell[name]) for name in numbers}
    pairs |= {f"cause_{name}": (n, cell[f"cause_{name}"]) for name, n in alone.run.cycles_by_cause.items()}
    wrong = [f"{name} {one}, in the table {other}" for name, (one, other) in pairs.items() if one != other]
    return f"{message}: {'; '.join(wrong)}" if wrong else ""


def _processor_seconds() -> float:
    """Return the processors' time of this process and of those that have ended."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


if __name__ == "__main__":
    sys.exit(main())
