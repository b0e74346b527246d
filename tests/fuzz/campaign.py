"""A fuzzer: cases by seed, read in separate processes and judged by a plain reader.

A finding is a case that ends a process, takes more than `MOST_SECONDS`, raises anything but one line for the
user, or gets different results from the reader and the judge.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.data.plain_readers import Plain, Refused
from tests.data.plain_tar import NotJudged
from tests.differential.workers import Died, Pool
from vecsim.data import read
from vecsim.results.journal import Journal
from vecsim.support.errors import UserError

MOST_SECONDS = 10.0
SILENCE = 30.0
"""Seconds after which a process is ended; more than `MOST_SECONDS`, so that it can say that it was slow."""
START = 180.0
"""The same for its first case of a batch: before that a process begins and compiles."""
BATCH = 250
MEMORY = 3 << 30
LIMITS = {"VECSIM_FILE_LIMIT": "4M", "VECSIM_MEMORY_LIMIT": "512M"}
"""What files may ask for meanwhile."""
LONGEST_MESSAGE = 700


@dataclass(frozen=True)
class Case:
    """A file: its name and its bytes; and what else a command is given."""

    name: str
    data: bytes
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fuzzer:
    """How a kind of file is made up, and judged.

    Attributes
    ----------
    name
        Of the module below ``tests.fuzz``.
    make
        Returns the case of a random source.
    judge
        Returns what a strict reader finds in a case; raises `Refused`, or `NotJudged` where it cannot tell.
    """

    name: str
    make: Callable[[random.Random], Case]
    judge: Callable[[Case], Plain]

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever."""
        return self.make(random.Random(f"{self.name} {seed}"))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Return a word for what came of a case, and what is wrong with that or nothing."""
        return outcome(self, case, folder)


@dataclass(frozen=True)
class Finding:
    """A case that did not go as it must."""

    seed: int
    what: str


Span = tuple[int, int]
"""Seeds, from the first to the one after the last."""


@dataclass
class Tally:
    """What came of the cases of some seeds."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.counts += other.counts
        self.findings += other.findings
        self.spans += other.spans


def outcome(fuzzer: Fuzzer, case: Case, folder: Path) -> tuple[str, str]:
    """Read a case and judge it; return a word for what came of it, and what is wrong with that or nothing."""
    path = folder / case.name
    path.write_bytes(case.data)
    began = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            matrix = read(path)
        actual, message = matrix.csr.tocoo(), ""
    except UserError as error:
        actual, message = None, str(error)
    except Exception:
        return "traceback", traceback.format_exc()
    finally:
        path.unlink()
    seconds = time.monotonic() - began
    if seconds > MOST_SECONDS:
        return "slow", f"took {seconds:.1f} s"
    if actual is None and (fault := fault_of(message, path)):
        return "message", f"{fault}: {message!r}"
    try:
        wanted = fuzzer.judge(case)
    except NotJudged:
        return "not judged", ""
    except Refused as refusal:
        return ("refused", "") if actual is None else ("accepted", f"the judge refuses it: {refusal}")
    if actual is not None:
        return "read", difference(actual, wanted)
    if "VECSIM_" in message or _may_overflow(wanted):
        return "beyond limits", ""
    return "too strict", f"the judge takes it: {message}"


def fault_of(message: str, path: Path) -> str:
    """Return what is wrong with a message for the user about a file; empty if nothing is."""
    if not message.startswith(str(path)):
        return "does not begin with the file"
    if not message.isprintable():
        return "is not one printable line"
    return "is long" if len(message) - len(str(path)) > LONGEST_MESSAGE else ""


def _may_overflow(wanted: Plain) -> bool:
    """Return whether the sum of duplicates depends on their order, or is not finite."""
    return any(sum(map(abs, values)) == float("inf") for values in wanted.entries.values())


def difference(actual: object, wanted: Plain) -> str:
    """Return where two matrices differ; empty if they do not."""
    if actual.shape != (wanted.rows, wanted.columns):
        return f"it has the shape {actual.shape}, not {(wanted.rows, wanted.columns)}"
    values = dict(
        zip(zip(*(axis.tolist() for axis in actual.coords), strict=True), actual.data.tolist(), strict=True)
    )
    if len(values) != actual.nnz or values.keys() != wanted.entries.keys():
        return "it has entries at other places"
    for place, parts in wanted.entries.items():
        value = values[place]
        allowed = 0.0 if len(parts) < 3 else np.finfo(float).eps * len(parts) * sum(map(abs, parts))
        if not abs(value - sum(parts)) <= allowed:
            return f"at {place} it has {value!r}, not {sum(parts)!r}"
    return ""


def run_batch(task: tuple[Fuzzer, int, int], beat: Callable[[int], None]) -> Tally:
    """Run the cases of a span of seeds; in its own process."""
    fuzzer, first, end = task
    os.environ.update(LIMITS)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    tally = Tally(spans=[(first, end)])
    with tempfile.TemporaryDirectory(prefix="vecsim-fuzz-") as folder:
        for seed in range(first, end):
            beat(seed)
            word, wrong = fuzzer.outcome(fuzzer.case(seed), Path(folder))
            tally.counts[word] += 1
            if wrong:
                tally.findings.append(Finding(seed, f"{word}: {wrong}"))
    return tally


def left_of(span: Span, done: Sequence[Span]) -> Iterator[Span]:
    """Yield what is left of a span without those that are done."""
    first, end = span
    for start, stop in sorted(done):
        if first < min(start, end):
            yield first, min(start, end)
        first = max(first, stop)
    if first < end:
        yield first, end


def fuzz(
    fuzzer: Fuzzer, first: int, count: int, jobs: int, batch: int = BATCH, done: Sequence[Span] = ()
) -> Iterator[Tally]:
    """Run the cases of seeds from `first` on, but those that are done; yield what came of each batch."""
    tasks = [
        (fuzzer, start, min(start + batch, end))
        for begin, end in left_of((first, first + count), done)
        for start in range(begin, end, batch)
    ]
    pool = Pool(run_batch, jobs, SILENCE, START)
    for task, result in pool.run(tasks):
        if isinstance(result, Died):
            # What came before it in the batch is run again, as what comes after it.
            _, start, stop = task
            pool.tasks.extend(
                span
                for span in ((fuzzer, start, result.at), (fuzzer, result.at + 1, stop))
                if span[1] < span[2]
            )
            crash = Finding(result.at, f"crash: {result.reason}")
            yield Tally(Counter({"crash": 1}), [crash], [(result.at, result.at + 1)])
        else:
            yield result


class Kept:
    """What came of all seeds so far; kept in a journal, if one is named, from which a run goes on.

    Raises
    ------
    UserError
        The journal cannot be read or written, or is not of this fuzzer.
    """

    def __init__(self, fuzzer: Fuzzer, path: Path | None) -> None:
        self.total = Tally()
        self._journal = None if path is None else Journal(path, f"tests.fuzz.{fuzzer.name}")
        for record in () if self._journal is None else self._journal.records:
            findings = [Finding(*actual) for actual in record["findings"]]
            spans = [(first, end) for first, end in record["spans"]]
            self.total.add(Tally(Counter(record["counts"]), findings, spans))

    def add(self, tally: Tally) -> None:
        self.total.add(tally)
        if self._journal is not None:
            findings = [(finding.seed, finding.what) for finding in tally.findings]
            self._journal.append({"spans": tally.spans, "counts": tally.counts, "findings": findings})

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()


def main(fuzzer: Fuzzer, arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return 1 if this run found anything, 2 if its journal cannot be used."""
    given = _parser(fuzzer).parse_args(arguments)
    if given.show is not None:
        case = fuzzer.case(given.show)
        print(case.name, case.data, *case.arguments, sep="\n")
        with tempfile.TemporaryDirectory() as folder:
            print(*fuzzer.outcome(case, Path(folder)), sep=": ")
        return 0
    try:
        with closing(Kept(fuzzer, given.journal)) as recorded:
            return int(_run(fuzzer, given, recorded))
    except UserError as error:
        print(f"{fuzzer.name}: error: {error}", file=sys.stderr)
        return 2


def _run(fuzzer: Fuzzer, given: argparse.Namespace, recorded: Kept) -> bool:
    """Run the seeds that are asked for and print what came of them; return whether anything was found.

    Findings that the journal lists do not count: they may have been mended since.
    """
    began, total = time.monotonic(), recorded.total
    cases_before, findings_before = total.counts.total(), len(total.findings)
    for tally in fuzz(fuzzer, given.first, given.count, given.jobs, done=tuple(total.spans)):
        recorded.add(tally)
        for finding in tally.findings:
            print(f"seed {finding.seed}: {finding.what}", flush=True)
            if given.keep is not None:
                given.keep.mkdir(parents=True, exist_ok=True)
                case = fuzzer.case(finding.seed)
                (given.keep / f"{finding.seed}-{case.name}").write_bytes(case.data)
    seconds, actual = time.monotonic() - began, len(total.findings) - findings_before
    counts = ", ".join(f"{count} {word}" for word, count in sorted(total.counts.items()))
    earlier = f", {cases_before} before" if cases_before else ""
    listed = f", and {findings_before} of earlier runs in the journal" if findings_before else ""
    print(
        f"{fuzzer.name}: {total.counts.total() - cases_before} cases in {seconds:.0f} s{earlier}: {counts}; "
        f"{actual} findings{listed}; go on with --first {given.first + given.count}"
    )
    return actual > 0


def _parser(fuzzer: Fuzzer) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m tests.fuzz.{fuzzer.name}", description=__doc__)
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="go on from this seed")
    parser.add_argument("--count", type=int, default=1000, help="how many cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write the files of findings there")
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help="keep what came of seeds, and leave out those it has"
    )
    parser.add_argument("--show", type=int, metavar="SEED", help="print what came of one case, and its bytes")
    return parser
