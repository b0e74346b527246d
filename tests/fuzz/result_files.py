"""Results files of run, exec and why, right and damaged: ``python -m tests.fuzz.result_files --count 10000``.

What is read from one must be what a plain reader finds in it. Every file that is read is compared with a
right one, some are run again: both may only end in one line.
"""

from __future__ import annotations

import json
import random
import time
import traceback
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from experiments.whatif.compare import compare, read_document, rerun
from tests.data.plain_readers import Refused
from tests.data.plain_tar import NotJudged
from tests.fuzz import json_damage
from tests.fuzz.campaign import MOST_SECONDS, Case, fault_of, main
from tests.fuzz.commands import called
from tests.fuzz.plain_results import (
    MACHINE,
    check_settings,
    counted,
    is_bits,
    is_digest,
    is_engine,
    is_list,
    is_name,
    is_table,
    is_text,
    is_whole,
    lines,
    machine,
    need,
    record,
    rows,
)
from vecsim.support.errors import UserError

Json = Any
KINDS = ("vecsim run", "vecsim exec", "vecsim why")
GOOD = "good.json"
PROGRAM = "k.s"
FOLDER = "@FOLDER@"
"""Stands for the folder of a case, in its files."""
TEXT = "li x1, 4\nsetvl x1\nlv.w v1, 64(x0)\nhalt\n"
RERUN = 0.1
"""Share of the cases that are read and run again."""
COMMAND = 0.05
"""Share of the cases that are compared by the command, too."""
BEGINNING = {"command": ["vecsim"], "date": "2026-01-01", "versions": {"vecsim": "0.1.0"}, "commit": "abc"}
MATRIX = {"name": "laplace2d-3", "source": "built-in", "sha256": "1" * 64, "rows": 9, "cols": 9, "nnz": 33}


def _lines(cycles: int) -> Json:
    return [{"text": "setvl x1", "cycles": cycles - 3}, {"text": "halt", "cycles": 3}]


def run_document() -> Json:
    """Return what ``vecsim run`` writes, as far as it is read."""
    results = [
        {
            "matrix": "laplace2d-3", "program": program, "cycles": cycles, "program_sha256": "2" * 64,
            "cycles_by_cause": {"issue": cycles - 5, "bank_conflict": 5}, "options": {"schedule": "plain"},
        }
        for program, cycles in (("crs", 200), ("jd", 300))
    ]  # fmt: skip
    results[0]["lines"] = _lines(200)
    return {
        "kind": KINDS[0], **BEGINNING, "matrix": MATRIX, "matrices": [MATRIX], "machine": MACHINE,
        "files": [{"what": "program crs", "file": f"{FOLDER}/{PROGRAM}", "sha256": "3" * 64}],
        "engine": "simpy", "seed": 0, "value_bits": 32, "max_cycles": 1000, "results": results,
    }  # fmt: skip


def exec_document() -> Json:
    """Return what ``vecsim exec`` writes, as far as it is read."""
    return {
        "kind": KINDS[1], **BEGINNING, "machine": MACHINE, "file": f"{FOLDER}/{PROGRAM}", "define": {"N": 3},
        "engine": "simpy", "value_bits": 32, "memory_bytes": 4096, "max_cycles": 1000, "cycles": 40,
        "cycles_by_cause": {"issue": 30, "start": 10}, "program_sha256": "2" * 64, "lines": _lines(40),
        "load": [{"text": "64=x.npy", "file": f"{FOLDER}/x.npy", "sha256": "4" * 64}],
        "files": [{"what": "program", "file": f"{FOLDER}/{PROGRAM}", "sha256": "3" * 64}],
    }  # fmt: skip


def why_document() -> Json:
    """Return what ``vecsim why`` writes, as far as it is read."""
    explanation = {
        "program": "crs", "matrix": "laplace2d-3", "options": {"schedule": "plain"}, "machine": MACHINE,
        "value_bits": 32, "engine": "simpy", "cycles": 200, "program_sha256": "2" * 64,
        "cycles_by_cause": {"issue": 195, "start": 5}, "lines": _lines(200),
    }  # fmt: skip
    return {
        "kind": KINDS[2],
        **BEGINNING,
        "matrices": [MATRIX],
        "files": [],
        "seed": 0,
        "explanations": [explanation],
    }


DOCUMENTS = dict(zip(KINDS, (run_document, exec_document, why_document), strict=True))


def make(source: random.Random) -> Case:
    """Make up a results file; what is done with it stands in the arguments."""
    kind = source.choice(KINDS)
    document = json.loads(json.dumps(DOCUMENTS[kind]()))
    if kind == KINDS[1] and source.random() < 0.5:
        del document["load"]
    more = ("rerun",) if source.random() < RERUN else ("command",) if source.random() < COMMAND else ()
    return Case("result.json", json_damage.damaged_document(source, document), (kind, *more))


def judge(data: bytes) -> dict[tuple[str, ...], int | None]:
    """Return the cycles of each run that a file holds; raise `Refused` or `NotJudged`."""
    value = json_damage.strict(data)
    need(type(value) is dict, "no object")
    kind = value.get("kind")
    need(kind in DOCUMENTS if is_text(kind) else kind == "vecsim sweep", "kind")
    check_settings(value)
    if "machine" in value and (value["machine"] is not None or kind != KINDS[2]):
        machine(value["machine"])
    actual = {KINDS[0]: _run, KINDS[1]: _exec, KINDS[2]: _why}[kind](value)
    return rows(actual)


def _run(value: Json) -> Json:
    need("machine" in value and "matrices" in value, "machine, matrices")
    need(
        record(
            value, engine=is_engine, seed=is_whole, value_bits=is_bits, max_cycles=lambda v: is_whole(v, 1)
        ),
        "a choice",
    )
    need(type(value.get("results")) is list, "results")
    names = {each["name"] for each in value["matrices"]}
    actual = []
    for each in value["results"]:
        counted(each, "cycles_by_cause")
        fields = {"matrix": is_text, "program": is_text, "program_sha256": is_digest}
        need(record(each, **fields, options=lambda v: is_table(v, is_text)), "a result")
        lines(each.get("lines", []), each["cycles"])
        need(each["matrix"] in names, "no such matrix")
        actual.append(((each["matrix"], each["program"]), each["cycles"]))
    return actual


def _exec(value: Json) -> Json:
    counted(value, "cycles_by_cause")
    fields = {"engine": is_engine, "value_bits": is_bits, "program_sha256": is_digest, "file": is_name}
    need(record(value, **fields, machine=lambda v: type(v) is dict), "a field")
    need(is_whole(value.get("max_cycles"), 1) and is_whole(value.get("memory_bytes"), 16, 2**31), "a number")
    need(is_table(value.get("define"), lambda v: type(v) is int), "define")
    lines(value.get("lines", []), value["cycles"])
    for each in value.get("load", ()) if type(value.get("load", [])) is list else (None,):
        need(record(each, text=is_name, sha256=is_digest, file=is_name), "load")
    return [((Path(value["file"]).name,), value["cycles"])]


def _why(value: Json) -> Json:
    need(record(value, seed=is_whole), "seed")
    shown_text = value.get("explanations")
    need(type(shown_text) is list and shown_text, "explanations")
    need(value.get("matrices"), "matrices")
    names = {each["name"] for each in value["matrices"]}
    actual = []
    for each in shown_text:
        counted(each, "cycles_by_cause")
        need(record(each, matrix=is_text, program=is_text, machine=lambda v: True), "an explanation")
        need(is_table(each.get("options"), is_text) and is_list(each.get("lines"), lambda v: True), "options")
        need(record(each, engine=is_engine, value_bits=is_bits, program_sha256=is_digest), "a choice")
        machine(each["machine"])
        lines(each["lines"], each["cycles"])
        need(each["matrix"] in names, "no such matrix")
        actual.append(((each["matrix"], each["program"]), each["cycles"]))
    return actual


@cache
def _good(kind: str) -> bytes:
    return json.dumps(DOCUMENTS[kind]()).encode()


@dataclass(frozen=True)
class ResultFuzzer:
    """How a results file is tried."""

    name: str = "result_files"

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever."""
        return make(random.Random(f"{self.name} {seed}"))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Read it, compare it, perhaps run it again; return a word for what came of it, and what is wrong."""
        path, good = folder / case.name, folder / GOOD
        here = str(folder).encode()
        path.write_bytes(case.data.replace(FOLDER.encode(), here))
        good.write_bytes(_good(case.arguments[0]).replace(FOLDER.encode(), here))
        (folder / PROGRAM).write_text(TEXT)
        began = time.monotonic()
        try:
            actual, message = read_document(path), ""
            self._used(case, path, good, actual)
        except UserError as error:
            message = str(error)
        except Exception:
            return "traceback", traceback.format_exc()
        finally:
            for each in folder.iterdir():
                each.unlink()
        if (seconds := time.monotonic() - began) > MOST_SECONDS:
            return "slow", f"took {seconds:.1f} s"
        if message and (fault := fault_of(message, path)):
            return "message", f"{fault}: {message!r}"
        return self._judged(
            case, None if message else {key: row.cycles for key, row in actual.rows.items()}, message
        )

    def _used(self, case: Case, path: Path, good: Path, actual: Any) -> None:
        """Do with a file what commands do."""
        right = read_document(good)
        compare(right, actual).to_dict()
        compare(actual, right).to_dict()
        if "command" in case.arguments:
            code, out, err = called(["compare", str(good), str(path)])
            if code != 0 or err or not out:
                raise AssertionError(f"compare ended with {code}: {err!r}")
        if "rerun" in case.arguments and b'"jit' not in case.data:  # compiling takes longer than a case may
            try:
                rerun(actual)
            except UserError as error:
                if fault := fault_of(str(error), path):
                    raise AssertionError(f"rerun: {fault}: {error}") from None

    def _judged(self, case: Case, actual: Json, message: str) -> tuple[str, str]:
        data = case.data
        try:
            wanted = judge(data)
        except NotJudged:
            return "not judged", ""
        except Refused as refusal:
            return ("refused", "") if actual is None else ("accepted", f"the judge refuses it: {refusal}")
        if actual is None:
            return "too strict", f"the judge takes it: {message}"
        return "read", "" if actual == wanted else f"{actual!r:.500}, not {wanted!r:.500}"


FUZZER = ResultFuzzer()

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
