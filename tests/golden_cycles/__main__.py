"""``python -m tests.golden_cycles``: compare the suite's cycles with those recorded, or record them again."""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor

from experiments.papers.hism.suite import members, missing
from vecsim.support.worker_processes import begin_worker

from . import recorded
from .running import rows_of


def main() -> int:
    """Return 1 if any number differs, or if a matrix that can be had has none written down."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden_cycles", description=__doc__)
    parser.add_argument(
        "--record", action="store_true", help="write the file again; every matrix must be here"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes; all cores")
    arguments = parser.parse_args()
    absent = {member.name for member in missing()}
    # The largest first, so that no process is left alone with it; listed as the suite lists them.
    present = [member for member in reversed(members()) if member.name not in absent]
    with ProcessPoolExecutor(arguments.jobs, initializer=begin_worker) as pool:
        actual = [row for rows in reversed(list(pool.map(rows_of, present))) for row in rows]
    if arguments.record:
        if absent:
            parser.error(f"these matrices are missing: {', '.join(sorted(absent))}")
        recorded.write(actual)
        print(f"{len(actual)} rows of {len(present)} matrices written to {recorded.FILE}")
        return 0
    return compare(actual, sorted(absent))


def compare(actual: list[recorded.Row], absent: list[str]) -> int:
    """Print what differs and what is missing; return 1 if anything differs."""
    known = {row.key: row for row in recorded.read()}
    bad = 0
    for row in actual:
        golden = known.get(row.key)
        if golden != row:
            bad += 1
            print(f"{row.name} on {row.preset}: found {row}, written down {golden}")
    if absent:
        print(f"{len(absent)} matrices are missing here: {', '.join(absent)}")
    print(f"{len(actual)} rows compared, {bad} differ")
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
