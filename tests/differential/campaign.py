"""Any number of random cases on two engines or more, on all cores, to be gone on with at any time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from vecsim.support.errors import UserError

from . import report as reports
from .cases import Case, case_texts, changed, random_case, write_case
from .comparison import Difference, compare, outcome, timeline_difference
from .report import Report, Span
from .shrinking import Shrinker
from .workers import Beat, Died, Pool

CHUNK = 40
SHRINK_SECONDS = 60.0
SHRUNK = 4
"""Mismatches that are shrunk, one of each chunk; the others are reported as they are."""
SAVE_SECONDS = 5.0
MOST_MISMATCHES = 20
"""After this many the campaign stops: one mistake shows in many cases."""


@dataclass(frozen=True)
class Chunk:
    """Seeds for one worker."""

    engines: tuple[str, ...]
    span: Span
    failures: Path | None
    """Where cases on which the engines differ are written, shrunk; None: nowhere."""
    changes: tuple[str, ...] = ()

    def case(self, seed: int) -> Case:
        """Return the case of a seed, its machine changed."""
        case = random_case(seed, faults=True)
        return replace(case, machine=changed(case.machine, self.changes)) if self.changes else case


@dataclass(frozen=True)
class Mismatch:
    """A case on which the engines differ."""

    seed: int
    text: str


def run_chunk(chunk: Chunk, beat: Beat) -> list[Mismatch]:
    """Compare the engines on the cases of a chunk."""
    mismatches = []
    for seed in range(*chunk.span):
        beat(seed)
        case = chunk.case(seed)
        actual = compare(case, *chunk.engines)
        if actual is not None:
            text = str(actual)
            if chunk.failures is not None and not mismatches:
                text = keep_failure(case, actual, chunk.engines, chunk.failures, f"seed-{seed}", beat, seed)
            mismatches.append(Mismatch(seed, text))
    return mismatches


def keep_failure(
    case: Case,
    actual: Difference,
    engines: tuple[str, ...],
    folder: Path,
    name: str,
    beat: Beat = lambda at: None,
    seed: int = 0,
) -> str:
    """Shrink a case and write it; tell what differs and where it is."""

    def differs(smaller: Case) -> bool:
        beat(seed)
        again = compare(smaller, *engines)
        return again is not None and again.ends == actual.ends

    small = Shrinker(differs, SHRINK_SECONDS).shrink(replace(case, max_cycles=_enough_cycles(case, engines)))
    path = write_case(small, folder, name)
    now = compare(small, *engines) or actual
    lines = [str(now), timeline_difference(small, *engines), f"written to {path} (and .toml, .bin):"]
    return "\n".join([*filter(None, lines), case_texts(small)[0]])


def _enough_cycles(case: Case, engines: tuple[str, ...]) -> int:
    """Cycles for any smaller case that is of use: one with an endless loop should not take long."""
    needed = max(outcome(case, name).facts.get("cycles", 0) for name in engines)
    return min(case.max_cycles, 4 * needed + 2000)


def _sources() -> str:
    return reports.source_hash("isa", "vecsim/engines", "vecsim/machine", files=reports.generator_files())


@dataclass
class Campaign:
    """A range of seeds, the engines, and the report that knows what has been run."""

    engines: tuple[str, ...]
    span: Span
    jobs: int
    report: Report
    failures: Path
    changes: tuple[str, ...] = ()
    """key=value changes of every machine, to look at a part of them; counted apart."""
    say: Callable[[str], None] = print

    def run(self) -> int:
        """Run what is missing; return how many seeds of the range the engines differ on."""
        sources = _sources()
        entry = self.report.entry("random", sources, " ".join((*self.engines, *self.changes)))
        spans: list[Span] = [(first, last) for first, last in entry.get("spans", [])]
        bad: list[int] = entry.get("mismatches", [])
        gaps = reports.missing(spans, self.span)
        left = sum(last - first for first, last in gaps)
        begun = said = saved = time.monotonic()
        done = 0
        for span, mismatches in self._results(gaps):
            spans, done = reports.add_span(spans, span), done + span[1] - span[0]
            bad = sorted({*bad, *(m.seed for m in mismatches)})
            for mismatch in mismatches:
                self.say(f"seed {mismatch.seed}: {mismatch.text}\n")
            entry |= {"spans": spans, "cases": sum(b - a for a, b in spans), "mismatches": bad}
            now = time.monotonic()
            if mismatches or now - saved > SAVE_SECONDS:
                self._save(sources)
                saved = now
            if now - said > SAVE_SECONDS:
                self.say(
                    f"{done} of {left} cases, {done / (now - begun):.1f} a second, {len(bad)} mismatches"
                )
                said = now
            if len(bad) >= MOST_MISMATCHES:
                self.say(f"stopped after {len(bad)} mismatches")
                break
        self._save(sources)
        seconds = max(time.monotonic() - begun, 1e-9)
        self.say(
            f"{' and '.join(self.engines)}: {done} cases in {seconds:.0f} s ({done / seconds:.1f} a second); "
            f"{entry.get('cases', 0)} on sources {sources} in all, {len(bad)} mismatches"
        )
        return sum(self.span[0] <= seed < self.span[1] for seed in bad)

    def _save(self, sources: str) -> None:
        if _sources() != sources:
            raise UserError("the sources changed meanwhile: what ran since the last progress does not count")
        self.report.save()

    def _results(self, gaps: list[Span]) -> Iterator[tuple[Span, list[Mismatch]]]:
        chunks = [
            Chunk(self.engines, (first, min(first + CHUNK, last)), self.failures, self.changes)
            for begin, last in gaps
            for first in range(begin, last, CHUNK)
        ]
        pool = Pool(run_chunk, self.jobs)
        message = 0
        for chunk, result in pool.run(chunks):
            message += isinstance(result, list) and len(result) > 0
            if message == SHRUNK:
                pool.tasks = deque(replace(task, failures=None) for task in pool.tasks)
            if isinstance(result, Died):
                yield self._died(pool, chunk, result)
            else:
                yield chunk.span, result

    def _died(self, pool: Pool, chunk: Chunk, died: Died) -> tuple[Span, list[Mismatch]]:
        """Write the case that ended a worker as it is; what the worker had and what was left is run again."""
        first, last = chunk.span
        seed = min(max(died.at, first), last - 1)
        parts = [(first, seed), (seed + 1, last)]
        pool.tasks.extend(replace(chunk, span=part) for part in parts if part[0] < part[1])
        path = write_case(chunk.case(seed), self.failures, f"seed-{seed}")
        return (seed, seed + 1), [Mismatch(seed, f"{died.reason}; not shrunk, written to {path}")]
