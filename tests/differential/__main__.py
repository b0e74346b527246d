"""Compare engines: ``python -m tests.differential --seed 0 --count 1000``, or ``... matrices``."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path

from vecsim.support.errors import UserError

from . import matrices
from .campaign import Campaign, keep_failure
from .cases import read_case
from .comparison import compare, timeline_difference
from .report import Report
from .variants import names

FAILURES = Path(__file__).parent / "failures"


def _jobs(text: str) -> int:
    return os.cpu_count() or 1 if text.upper() == "ALL" else int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--engines", nargs=2, default=["simpy", "jit"], metavar=("A", "B"), choices=names())
    shared.add_argument("--also", metavar="C", choices=names(), help="a third one")
    shared.add_argument("--jobs", type=_jobs, default="ALL", help="processes, or ALL for all cores")
    shared.add_argument(
        "--report",
        type=Path,
        default=Path(".differential.json"),
        help="what has been run; goes on from there",
    )
    kinds = parser.add_subparsers(dest="kind", required=True)
    random = kinds.add_parser("random", parents=[shared], help="random programs on random machines")
    random.add_argument("--seed", type=int, default=0, help="the first case")
    random.add_argument("--count", type=int, default=1000, help="how many cases")
    random.add_argument("--failures", type=Path, default=FAILURES, help="where differing cases are written")
    random.add_argument(
        "--set",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="changes of every machine, e.g. memory_ports=1",
    )
    real = kinds.add_parser("matrices", parents=[shared], help="the programs on real matrices")
    real.add_argument("--count", type=int, default=60)
    real.add_argument("--max-nnz", type=int, default=20_000, help="entries that the file may have")
    real.add_argument("--machine", nargs="+", default=["vs2003"])
    real.add_argument("--section-size", nargs="+", type=int, default=[64])
    real.add_argument("--value-bits", nargs="+", type=int, default=[32], choices=[32, 64])
    replay = kinds.add_parser("replay", parents=[shared], help="compare on cases in files")
    replay.add_argument("cases", nargs="+", type=Path, metavar="NAME.s")
    replay.add_argument("--shrink", type=Path, metavar="FOLDER", help="write smaller ones there")
    return parser


def main(arguments: list[str]) -> int:
    """Return the exit code: 1 if the engines differ anywhere."""
    kinds = {"random", "matrices", "replay", "-h", "--help"}
    if not arguments or arguments[0] not in kinds:
        arguments = ["random", *arguments]
    given = _parser().parse_args(arguments)
    say = partial(print, flush=True)
    engines = tuple(filter(None, (*given.engines, given.also)))
    if given.kind == "replay":
        return _replay(given, engines)
    if given.kind == "random":
        span = given.seed, given.seed + given.count
        report = Report(given.report)
        campaign = Campaign(engines, span, given.jobs, report, given.failures, tuple(given.set), say)
        return min(campaign.run(), 1)
    tasks = matrices.products(
        matrices.choose(given.count, given.max_nnz),
        given.machine,
        given.section_size,
        [bits // 8 for bits in given.value_bits],
        engines,
    )
    if not tasks:
        print("no matrices: let VECSIM_MATRICES name folders of NAME.mtx.gz files")
        return 2
    return min(matrices.Comparison(tasks, engines, given.jobs, Report(given.report), say).run(), 1)


def _replay(given: argparse.Namespace, engines: tuple[str, ...]) -> int:
    bad = 0
    for path in given.cases:
        case = read_case(path)
        actual = compare(case, *engines)
        bad += actual is not None
        print(f"{path}: {'same' if actual is None else actual}", flush=True)
        if actual is not None and given.shrink is not None:
            print(keep_failure(case, actual, engines, given.shrink, path.stem))
        elif actual is not None:
            print(timeline_difference(case, *engines))
    return min(bad, 1)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"error: {error}")
