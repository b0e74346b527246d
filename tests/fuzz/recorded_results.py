"""Kept results of commands, damaged or of others: ``python -m tests.fuzz.recorded_results --count 10000``.

A case is the journal of `reproduce`, of `calibrate` or of the GPU benchmark. What the command takes from it
must be what a plain reader finds, and what is kept then must be there the next time, next to all that was.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from experiments.gpu_bench import records
from experiments.papers.hism import results_file
from experiments.papers.hism.calibration.simulation import KeptCycles
from experiments.papers.hism.timing import Timing
from tests.fuzz.campaign import Case, fault_of, main
from tests.fuzz.damage import damaged
from tests.fuzz.journals import FOREIGN, RAW, line_of, text_of
from tests.results.plain_journal import records_in
from vecsim.results.journal import KIND
from vecsim.support.errors import UserError

Json = Any
MEMBERS = ("first", "second")
PROGRAMS = ("crs", "jd", "chism")
REQUEST = SimpleNamespace(engine="jit", machine=SimpleNamespace(sha256="0" * 64))
CODE = "1" * 64
HEADER = {"commit": "abc"}
STRANGE = (
    None, True, False, 0, -1, 1.5, 3.0, 1e400, float("nan"), 2**63, 10**400, "", "12", "text", "\n", [], [1],
    {}, {"crs": 1}, {"crs": 1.5}, {"crs": True}, {"crs": None}, [[]],
)  # fmt: skip
RECORD = records.Record(
    "first", "stencil", False, 3, 3, 7, "float32", "spmv", "crs", {"format": "crs"}, "vecsim", median_us=1.5
).document()
NUMBER, TEXT = (int, float, type(None)), (str,)
FIELD_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("matrix", "class", "dtype", "operation", "method", "library"), TEXT),
    **dict.fromkeys(("rows", "cols", "nnz"), (int,)),
    "generated": (bool,),
    "parameters": (dict,),
}
OPTIONAL_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("cache", "stage", "status", "reason", "device", "date"), TEXT),
    **dict.fromkeys(("median_us", "spread", "setup_us", "bound_us", "share_of_bound"), NUMBER),
    **dict.fromkeys(("gather_bound_us", "error", "ratio", "paid_after"), NUMBER),
    "bytes": (int, type(None)),
    "commit": (str, type(None)),
}
"""Of a record of the GPU benchmark."""


@dataclass(frozen=True)
class Kept:
    """A kind of kept results.

    Attributes
    ----------
    kind, header
        Of its journal.
    record
        Makes up a record as the command writes it.
    reader
        Opens a journal, returns what the command takes from it, keeps something if asked to, and closes it.
    wanted
        What a plain reader finds, given the whole records.
    added
        What `reader` keeps, as records.
    """

    kind: str
    header: dict[str, Json]
    record: Callable[[random.Random], Json]
    reader: Callable[[Path, bool], Json]
    wanted: Callable[[list[Json]], Json]
    added: tuple[Json, ...]


def _counts(*values: Json) -> bool:
    return all(type(value) is int and value >= 0 for value in values)


def _key(member: str) -> str:
    with mock.patch.object(results_file.ResultsFile, "__init__", lambda self: None):
        file = results_file.ResultsFile()
    with mock.patch.object(results_file, "code_fingerprint", lambda: CODE):
        file._ground = results_file.ground(REQUEST)
    return file.key(member)


# Of `reproduce`.

TIMING = Timing("bbcs", 5, 6, 7, 0.5)
ADDED_TIMING = {"key": _key("first"), "matrix": "m", **vars(TIMING)}


def _timing_record(source: random.Random) -> Json:
    return {
        "key": source.choice([*map(_key, MEMBERS), "other"]),
        "matrix": "m",
        "program": source.choice(PROGRAMS),
        "cycles": source.randrange(100),
        "instructions": source.randrange(100),
        "bytes_moved": source.randrange(100),
        "relative_error": source.choice((0.0, 1.5e-8)),
    }


def _timings_found(path: Path, keep: bool) -> Json:
    with mock.patch.object(results_file, "code_fingerprint", lambda: CODE):
        file = results_file.ResultsFile(path, REQUEST)
    try:
        reader = {member: file.find(member) for member in MEMBERS}
        if keep:
            file.keep("first", "m", [TIMING])
    finally:
        file.close()
    return reader


def _timings_wanted(lines: list[Json]) -> Json:
    reader: dict[str, dict[str, Timing]] = {member: {} for member in MEMBERS}
    for line in lines:
        program, error = line.get("program"), line.get("relative_error")
        counts = [line.get(name) for name in ("cycles", "instructions", "bytes_moved")]
        if type(program) is str and type(error) is float and _counts(*counts):
            for member in MEMBERS:
                if line.get("key") == _key(member):
                    reader[member][program] = Timing(program, *counts, error)
    return reader


# Of `calibrate`.


def _cycles_record(source: random.Random) -> Json:
    names = source.sample(PROGRAMS, source.choice((0, 1, 2)))
    return {
        "key": source.choice((*MEMBERS, "other")),
        "cycles": {name: source.randrange(100) for name in names},
    }


def _cycles_found(path: Path, keep: bool) -> Json:
    recorded = KeptCycles(path)
    try:
        reader = {key: dict(recorded.find(key)) for key in MEMBERS}
        if keep:
            recorded.keep("first", {"new": 5})
    finally:
        recorded.close()
    return reader


def _cycles_wanted(lines: list[Json]) -> Json:
    reader: dict[str, dict[str, int]] = {key: {} for key in MEMBERS}
    for line in lines:
        key, cycles = line.get("key"), line.get("cycles")
        if type(key) is str and key in reader and type(cycles) is dict and _counts(*cycles.values()):
            reader[key].update(cycles)
    return reader


# Of the GPU benchmark.

ADDED_BENCH = (
    {"begin": "third"},
    {"record": {**RECORD, "matrix": "third"}},
    {"done": "third", "sha256": "a", "records": 1},
)


def _bench_record(source: random.Random) -> Json:
    matrix, way = source.choice(MEMBERS), source.random()
    if way < 0.3:
        return {"begin": matrix}
    if way < 0.6:
        return {"done": matrix, "sha256": "a", "records": source.choice((0, 1, 1, 1, 2))}
    return {"record": {**RECORD, "matrix": matrix, "method": source.choice(PROGRAMS)}}


def _bench_found(path: Path, keep: bool) -> Json:
    journal = records.RunJournal(path, HEADER)
    try:
        reader = journal.done.copy(), [record.document() for record in journal.records]
        if keep:
            journal.begin("third")
            journal.add(records.Record.from_document({**RECORD, "matrix": "third"}))
            journal.finish("third", "a")
    finally:
        journal.close()
    return reader


def _is_bench_record(document: Json) -> bool:
    types = FIELD_TYPES | OPTIONAL_TYPES
    return (
        type(document) is dict
        and FIELD_TYPES.keys() <= document.keys() <= types.keys()
        and all(type(value) in types[name] for name, value in document.items())
    )


def _bench_wanted(lines: list[Json]) -> Json:
    """A matrix is done if as many records as its end says stand between its last beginning and that end."""
    done: dict[str, str] = {}
    tries: dict[str, list[Json]] = {}
    for line in lines:
        document, end = line.get("record"), line.get("done")
        if "record" in line:
            if _is_bench_record(document):
                tries.setdefault(document["matrix"], []).append({**RECORD, "median_us": None, **document})
        elif "begin" in line and type(line["begin"]) is str:
            tries[line["begin"]] = []
            done.pop(line["begin"], None)
        elif type(end) is str and type(line.get("sha256")) is str:
            count = line.get("records")
            if type(count) is int and len(tries.get(end, ())) == count:
                done[end] = line["sha256"]
    return done, [document for matrix in tries if matrix in done for document in tries[matrix]]


KINDS = (
    Kept("vecsim reproduce", {}, _timing_record, _timings_found, _timings_wanted, (ADDED_TIMING,)),
    Kept(
        "vecsim calibrate", {}, _cycles_record, _cycles_found, _cycles_wanted,
        ({"key": "first", "cycles": {"new": 5}},),
    ),
    Kept("vecsim gpu bench", HEADER, _bench_record, _bench_found, _bench_wanted, ADDED_BENCH),
)  # fmt: skip


def make(source: random.Random) -> Case:
    """Make up a journal: of right records, then often with some that are not, or with damage."""
    number = source.randrange(len(KINDS))
    recorded = KINDS[number]
    lines = [line_of(text_of({KIND: recorded.kind, **recorded.header}))]
    for _ in range(source.choice((1, 2, 5, 12))):
        record = recorded.record(source)
        if source.random() < 0.15:
            record = _changed(source, record)
        lines.append(line_of(text_of(record)))
    if source.random() < 0.15:
        lines.insert(
            source.randrange(1, len(lines) + 1), source.choice((line_of(source.choice(FOREIGN)), *RAW))
        )
    if source.random() < 0.05:
        lines[0] = line_of(text_of({KIND: source.choice(KINDS).kind, **source.choice(({}, HEADER))}))
    data = b"".join(lines)
    if source.random() < 0.3:
        first = len(lines[0]) if source.random() < 0.8 else 0
        data = data[:first] + damaged(source, data[first:], source.choice((1, 1, 2, 5)))
    return Case("kept.journal", data, (str(number),))


def _changed(source: random.Random, record: Json) -> Json:
    """Change a field of a record, or of a table in it: its value, its name, or whether it is there."""
    table = record
    if source.random() < 0.6 and isinstance(record.get("record"), dict):
        table = record["record"]
    name, way = source.choice(sorted(table)), source.random()
    if way < 0.6:
        table[name] = source.choice(STRANGE)
    elif way < 0.8:
        del table[name]
    else:
        table[source.choice(("x", "", "class_", "record", "begin", "done"))] = source.choice(STRANGE)
    return record


@dataclass(frozen=True)
class KeptFuzzer:
    """How kept results are tried."""

    name: str = "recorded_results"

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever."""
        return make(random.Random(f"{self.name} {seed}"))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Open, compare, keep, open again; return a word for it, and what is wrong or nothing."""
        path, recorded = folder / case.name, KINDS[int(case.arguments[0])]
        path.write_bytes(case.data)
        whole = records_in(case.data, {KIND: recorded.kind, **recorded.header}) if case.data else []
        try:
            with contextlib.redirect_stderr(io.StringIO()) as said:
                reader = recorded.reader(path, True)
                again = recorded.reader(path, False)
        except UserError as error:
            if path.read_bytes() != case.data:
                return "wrong", "the file was refused, and changed"
            if whole is not None:
                return "too strict", f"the judge takes it: {error}"
            fault = fault_of(str(error), path)
            return ("message", f"{fault}: {error}") if fault else ("refused", "")
        except Exception:
            return "traceback", traceback.format_exc()
        finally:
            for built in folder.iterdir():
                built.unlink()
        if whole is None:
            return "accepted", "the judge refuses it"
        for line in said.getvalue().splitlines():
            if fault := fault_of(line, path):
                return "message", f"{fault}: {line!r}"
        if not _same(reader, recorded.wanted(whole)):
            return "read", f"{reader!r:.500}, not {recorded.wanted(whole)!r:.500}"
        if not _same(again, recorded.wanted([*whole, *recorded.added])):
            return (
                "read",
                f"the next time: {again!r:.500}, not {recorded.wanted([*whole, *recorded.added])!r:.500}",
            )
        return "read", ""


def _same(reader: Json, wanted: Json) -> bool:
    return json.dumps(reader, default=vars, sort_keys=True) == json.dumps(
        wanted, default=vars, sort_keys=True
    )


FUZZER = KeptFuzzer()

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
