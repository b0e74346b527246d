"""How much faster the pipelined programs are than the plain ones: ``python -m benchmarks.schedules``.

Both run on those matrices of the HiSM paper's suite that are found here, each result checked; the
table that it prints is in docs/programs.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from statistics import geometric_mean
from typing import Any

from experiments.hism.suite import Member, load, members, missing
from programs.measurement import ALLOWED_ERROR, measure
from programs.registry import PROGRAMS, SCHEDULE
from vecsim.data import values_as
from vecsim.errors import UserError
from vecsim.machine import as_machine
from vecsim.worker_processes import begin_worker

Cycles = dict[tuple[str, str], int]
"""By program and schedule."""


def cycles_of(member: Member, machine: str, most: int | None = None) -> tuple[str, Cycles] | None:
    """Run every program in every schedule on a member; None if it has more entries than `most`.

    Raises
    ------
    UserError
        A result is wrong.
    """
    if most is not None and member.size > most:
        return None
    values, _ = values_as(load(member), 4)
    return member.name, cycles_of_matrix(member.name, values, machine)


def cycles_of_matrix(name: str, values: Any, machine: str) -> Cycles:
    """Run every program in every schedule on a csr_array of float32; see `cycles_of`."""
    found = {}
    for program in PROGRAMS:
        for schedule in SCHEDULE.values:
            done = measure(program, values, machine, options={"schedule": schedule})
            if not done.relative_error <= ALLOWED_ERROR:
                raise UserError(f"{program}, {schedule}, on {name}: the error is {done.relative_error:.1e}")
            found[program, schedule] = done.cycles
    return found


def table(found: Sequence[tuple[str, Cycles]]) -> list[str]:
    """Give the table, a row a program: geometric mean, least and most of cycles pipelined / plain.

    Parameters
    ----------
    found
        Cycles by matrix, of at least one.
    """
    lines = ["| program | pipelined / plain | least | most |", "|---|---|---|---|"]
    for name, program in PROGRAMS.items():
        ratios = {matrix: cycles[name, "pipelined"] / cycles[name, "plain"] for matrix, cycles in found}
        least, most = min(ratios, key=lambda m: ratios[m]), max(ratios, key=lambda m: ratios[m])
        ends = " | ".join(f"{ratios[matrix]:.2f} ({matrix})" for matrix in (least, most))
        lines.append(f"| {program.title} | {geometric_mean(ratios.values()):.3f} | {ends} |")
    return lines


def cycles_of_suite(machine: str, most: int | None, jobs: int) -> list[tuple[str, Cycles]]:
    """Run every program on the members that are found here, as `cycles_of`, in so many processes.

    Raises
    ------
    UserError
        There is no such machine, no member to run, or a result is wrong.
    """
    as_machine(machine)
    absent = {member.name for member in missing()}
    present = [member for member in reversed(members()) if member.name not in absent]
    if not present:
        raise UserError("no matrix of the suite is found; name their folders in VECSIM_MATRICES")
    with ProcessPoolExecutor(jobs, initializer=begin_worker) as pool:
        results = list(pool.map(partial(cycles_of, machine=machine, most=most), present))
    found = [result for result in results if result is not None]
    if not found:
        raise UserError(f"--most {most}: each of the {len(present)} matrices found has more entries")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and how many matrices it is of; 2 if there is no such machine or no matrix."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.schedules", description=__doc__)
    parser.add_argument("--machine", default="vs2003", help="preset or file; vs2003")
    parser.add_argument("--most", type=int, help="leave out matrices with more entries than this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; all cores")
    given = parser.parse_args(arguments)
    if given.jobs < 1:
        parser.error(f"--jobs {given.jobs}: at least one process is needed")
    try:
        found = cycles_of_suite(given.machine, given.most, given.jobs)
    except UserError as error:
        print(f"schedules: error: {error}", file=sys.stderr)
        return 2
    print("\n".join(table(found)))
    print(f"{len(found)} of {len(members())} matrices on {given.machine}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
