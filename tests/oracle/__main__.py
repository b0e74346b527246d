"""The oracle and an engine: ``python -m tests.oracle --seed 0 --count 1000``; goes on where it ended."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path

from tests.differential import report as reports
from tests.differential.cases import Case, random_case, write_case
from tests.differential.report import Report, Span
from tests.differential.shrinking import Shrinker
from tests.oracle.comparison import ENGINE, difference

HERE = Path(__file__).parent
CHUNK = 50
SHRINK_SECONDS = 60.0
MOST_CYCLES = 200_000
"""A smaller program that takes more is taken for an endless one."""
MOST_MISMATCHES = 20


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--engine", default=ENGINE, help="the engine that the oracle is compared with")
    parser.add_argument("--seed", type=int, default=0, help="the first case")
    parser.add_argument("--count", type=int, default=1000, help="how many cases")
    parser.add_argument(
        "--report",
        type=Path,
        default=Path(".differential.json"),
        help="what has been run; goes on from there",
    )
    parser.add_argument(
        "--failures", type=Path, default=HERE / "failures", help="where differing cases are written"
    )
    return parser


def main(arguments: list[str]) -> int:
    """Return the exit code: 1 if the oracle and the engine differ anywhere."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.count < 1:
        parser.error(f"--count {given.count}: 1 or more is expected")
    if given.seed < 0:
        parser.error(f"--seed {given.seed}: 0 or more is expected")
    report = Report(given.report)
    sources = _sources()
    entry = report.entry("oracle", sources, given.engine)
    spans: list[Span] = [(first, last) for first, last in entry.get("spans", [])]
    bad: list[int] = entry.get("mismatches", [])
    wanted = given.seed, given.seed + given.count
    begun, done = time.monotonic(), 0
    for span in _chunks(reports.missing(spans, wanted)):
        bad += _mismatches(span, given.engine, given.failures)
        spans, done = reports.add_span(spans, span), done + span[1] - span[0]
        entry |= {"spans": spans, "cases": sum(b - a for a, b in spans), "mismatches": bad}
        if _sources() != sources:
            sys.exit("error: the sources changed meanwhile: what ran since the last progress does not count")
        report.save()
        if len(bad) >= MOST_MISMATCHES:
            print(f"stopped after {len(bad)} mismatches", flush=True)
            break
    print(
        f"oracle and {given.engine}: {done} cases in {time.monotonic() - begun:.0f} s; "
        f"{entry.get('cases', 0)} on sources {sources} in all, {len(bad)} mismatches"
    )
    return min(sum(wanted[0] <= seed < wanted[1] for seed in bad), 1)


def _sources() -> str:
    return reports.source_hash(
        "isa", "vecsim/engines", "vecsim/machine", "tests/oracle", files=reports.generator_files()
    )


def _chunks(gaps: list[Span]) -> list[Span]:
    return [(first, min(first + CHUNK, last)) for begin, last in gaps for first in range(begin, last, CHUNK)]


def _mismatches(span: Span, engine: str, failures: Path) -> list[int]:
    """Return the seeds on which the two differ; report each, keep the smallest program found that does."""
    bad = []
    for seed in range(*span):
        case = random_case(seed)
        try:
            message = difference(case, engine)
        except Exception:  # every failure of either is reported
            message = traceback.format_exc()
        if message:
            bad.append(seed)
            print(f"seed {seed}: {message}\n{_keep(case, engine, failures, f'seed-{seed}')}", flush=True)
    return bad


def _keep(case: Case, engine: str, failures: Path, name: str) -> str:
    small = case
    if _differs(case, engine):
        small = Shrinker(lambda smaller: _differs(smaller, engine), SHRINK_SECONDS).shrink(case)
    return f"written to {write_case(small, failures, name)} (and .toml, .bin):\n{small.assembly}"


def _differs(case: Case, engine: str) -> bool:
    """Whether both come to the end, and to different ones: a smaller program may be endless, or a fault."""
    try:
        return bool(difference(replace(case, max_cycles=MOST_CYCLES), engine))
    except Exception:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
