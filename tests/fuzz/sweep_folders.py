"""Folders of sweeps, right and damaged: ``python -m tests.fuzz.sweep_folders --count 10000``.

A case is a ``sweep.json`` and a ``table.csv``. What is read of both must be what a plain reader finds. Every
folder that is read is explained, but for the drawing, and compared with a right one.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import time
import traceback
from dataclasses import dataclass
from math import isclose, isfinite
from pathlib import Path
from typing import Any

from experiments.whatif.compare import compare, read_document
from experiments.whatif.explain.cells import read_cells
from experiments.whatif.explain.report import report
from experiments.whatif.studies import remarks
from experiments.whatif.sweep.cost import WEIGHTS
from tests.data.plain_readers import Refused
from tests.data.plain_tar import NotJudged
from tests.fuzz import json_damage
from tests.fuzz.campaign import MOST_SECONDS, Case, fault_of, main
from tests.fuzz.commands import called
from tests.fuzz.damage import damaged
from tests.fuzz.plain_results import (
    MACHINE,
    MOST,
    check_settings,
    is_bits,
    is_engine,
    is_list,
    is_name,
    is_table,
    is_text,
    is_whole,
    machine,
    need,
    record,
    rows,
)
from vecsim.support.errors import UserError

Json = Any
FOLDER, GOOD = "swept", "good"
BETWEEN = b"\n--- table.csv ---\n"
"""Stands between the files of a case."""
EXPLAINED = 0.003
"""Share of the cases that the command plots, which takes a second."""
COMMAND = 0.05
REPORTED = 0.2
"""Share of the cases that make all items of a report, but plot none."""
NEEDED = ("matrix", "rows", "nnz", "locality", "program", "cycles", "cycles_per_nnz", "fault")
COLUMNS = ("matrix", "rows", "cols", "nnz", "locality", "program")
STRANGE = (
    "", "0", "-1", "1.5", "nan", "inf", "-inf", "1e400", "1e5", "01", "+3", " 3", "3 ", "1_0", "\u0663",
    "True", "true", "crs", "x", "a,b", 'a"b', "a\nb", "a\rb", "\x00", "\x1b[1m", "9" * 18, "9" * 19, "9" * 25,
    "9" * 5000, "x" * 140_000, "\ufeff",
)  # fmt: skip


def _specification(source: random.Random) -> Json:
    design = source.choice(("grid", "grid", "one-at-a-time"))
    varied: Json = {"banks": [4, 8], "chaining": [True, False]}
    return {
        "matrices": ["a.mtx", "b.mtx", "c.mtx"][: source.choice((1, 2, 3))], "programs": ["crs", "jd"],
        "machine": "vs2003", "extend": [], "set": dict(list(varied.items())[: source.choice((0, 1, 2))]),
        "option": source.choice(({}, {"schedule": ["plain", "pipelined"]})), "design": design, "samples": 100,
        "design_seed": 0, "value_bits": 32, "seed": 0, "engine": "jit", "max_cycles": 1000,
        "cost": source.choice(({}, {"lanes": 2.0})),
    }  # fmt: skip


def _points(spec: Json) -> list[dict[str, Json]]:
    factors = {**spec["set"], **{f"option.{name}": values for name, values in spec["option"].items()}}
    if spec["design"] == "one-at-a-time":
        return [{}, *({name: value} for name, values in factors.items() for value in values)]
    actual: list[dict[str, Json]] = [{}]
    for name, values in factors.items():
        actual = [{**point, name: value} for point in actual for value in values]
    return actual


def _table(source: random.Random, spec: Json) -> list[list[str]]:
    """Return the table of a sweep, its head first."""
    factors = [*spec["set"], *(f"option.{name}" for name in spec["option"])]
    columns = [*COLUMNS, *factors, "cycles", "cycles_per_nnz", "cause_issue", "cause_start", "fault"]
    lines = [columns]
    for number, matrix in enumerate(spec["matrices"]):
        nnz = (7, 30, 0)[number]
        facts = {"matrix": matrix[0], "rows": 5 + number, "cols": 5, "nnz": nnz, "locality": 1.5 + number}
        for program in spec["programs"]:
            for point in _points(spec):
                cycles = source.randrange(1, 5000)
                cell = {**facts, **point, "program": program}
                if source.random() < 0.03:
                    cell |= {"fault": 'machine: "banks" = 0, no, 5'}
                else:
                    cycles_by_cause = source.randrange(cycles + 1)
                    cell |= {
                        "cycles": cycles, "cycles_per_nnz": cycles / nnz if nnz else "", "fault": "",
                        "cause_issue": cycles_by_cause, "cause_start": cycles - cycles_by_cause,
                    }  # fmt: skip
                lines.append([str(cell.get(name, "")) for name in columns])
    return lines


def _written(lines: list[list[str]]) -> bytes:
    text = "".join(",".join(map(_cell, line)) + "\n" for line in lines)
    return text.encode("utf-8", "surrogatepass")


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if re.search(r'[,"\r\n]', text) else text


def make(source: random.Random) -> Case:
    """Make up a folder, most of the time with something wrong in one of its files."""
    spec = _specification(source)
    lines = _table(source, spec)
    cells = len(lines) - 1
    of_table = source.random() < 0.6
    if of_table and source.random() < 0.7:
        for _ in range(source.choice((1, 1, 2))):
            _edit(source, lines)
    table = _written(lines)
    if of_table and source.random() < 0.3:
        table = damaged(source, table, source.choice((1, 1, 2)))
    document = _document(spec, table, cells)
    if source.random() < 0.1:
        document["table_sha256"] = "0" * 64
    data = json_damage.damaged_document(source, document, 1.0 if of_table else 0.1)
    word = source.random()
    more = ("explain",) if word < EXPLAINED else ("command",) if word < EXPLAINED + COMMAND else ()
    more = ("report",) if not more and source.random() < REPORTED else more
    return Case(FOLDER, data + BETWEEN + table, more)


def _document(spec: Json, table: bytes, cells: int) -> Json:
    matrices = [
        {"name": name[0], "source": f"/data/{name}", "sha256": name[0] * 64} for name in spec["matrices"]
    ]
    return {
        "kind": "vecsim sweep", "versions": {"vecsim": "0.1.0"}, "commit": "abc", "sweep": spec,
        "machine": json.loads(json.dumps(MACHINE)), "matrices": matrices, "files": [], "cells": cells,
        "computed": 3, "table_sha256": hashlib.sha256(table).hexdigest(),
    }  # fmt: skip


def _edit(source: random.Random, lines: list[list[str]]) -> None:
    row = source.randrange(len(lines))
    way = source.random()
    if way < 0.5 and lines[row]:
        lines[row][source.randrange(len(lines[row]))] = source.choice(STRANGE)
    elif way < 0.6 and lines[row]:
        del lines[row][source.randrange(len(lines[row]))]
    elif way < 0.7:
        lines[row].insert(source.randrange(len(lines[row]) + 1), source.choice(STRANGE))
    elif way < 0.8 and len(lines) > 1:
        del lines[row]
    elif way < 0.9:
        lines.insert(row, list(lines[source.randrange(len(lines))]))
    elif lines[row]:
        other = source.randrange(len(lines))
        place = source.randrange(len(lines[row]))
        if place < len(lines[other]):
            lines[row][place] = lines[other][place]


Found = tuple[dict[tuple[str, ...], int | None], int]
"""Cycles by what tells rows apart, and how many rows there are."""


def judge(data: bytes) -> Found:
    """Return what a folder holds; raise `Refused` or `NotJudged`."""
    text, _, table = data.partition(BETWEEN)
    value = json_damage.strict(text)
    need(type(value) is dict and value.get("kind") == "vecsim sweep", "kind")
    check_settings(value)
    need("machine" in value, "machine")
    machine(value["machine"])
    spec = value.get("sweep")
    _judge_specification(spec)
    need(record(value, matrices=bool, cells=is_whole), "matrices or cells")
    need(value.get("table_sha256") == hashlib.sha256(table).hexdigest(), "another table")
    return _judge_table(value, spec, table)


def _judge_specification(spec: Json) -> None:
    choices = {"set": _is_choices, "option": _is_choices}
    need(record(spec, matrices=_is_names, programs=_is_names, **choices), "sweep")
    for name, of in {
        "machine": is_text, "extend": lambda v: is_list(v, is_text), "design": is_text,
        "samples": lambda v: is_whole(v, 1), "design_seed": is_whole, "value_bits": is_bits, "seed": is_whole,
        "engine": is_engine, "max_cycles": lambda v: is_whole(v, 1), "cost": _is_cost,
    }.items():  # fmt: skip
        need(record(spec, **{name: of}), name)


def _is_names(value: Json) -> bool:
    return is_list(value, is_name) and len(value) > 0


def _is_choices(value: Json) -> bool:
    return is_table(value, lambda v: is_list(v, _is_value) and len(v) > 0)


def _is_value(value: Json) -> bool:
    return type(value) in (bool, str) or is_whole(value, -MOST)


def _is_cost(value: Json) -> bool:
    if not is_table(value, lambda v: type(v) in (int, float)):
        return False
    return value.keys() <= WEIGHTS.keys() and all(isfinite(v) and v >= 0 for v in map(float, value.values()))


def _lines(table: bytes) -> list[list[str]]:
    """Read CSV as RFC 4180 has it, with any end of a line."""
    try:
        text = table.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(str(error)) from None
    if "\0" in text:
        raise NotJudged
    text = re.sub(r'"(?:[^"]|"")*"|\r\n?', lambda part: part[0] if part[0][0] == '"' else "\n", text)
    lines, line, place = [], [], 0
    while place < len(text):
        quoted = re.compile(r'"((?:[^"]|"")*)"(?=[,\n]|\Z)').match(text, place)
        plain = re.compile(r"[^,\n]*").match(text, place)
        if text[place] == '"' and not quoted:
            raise Refused("a quote that is not closed")
        actual = quoted or plain
        assert actual is not None
        line.append(quoted[1].replace('""', '"') if quoted else actual[0])
        if len(line[-1]) > 130_000:
            raise NotJudged
        place = actual.end()
        if place < len(text) and text[place] == ",":
            place += 1
            if place < len(text):
                continue
            line.append("")
        lines.append(line)
        line, place = [], place + 1
    return lines


def _judge_table(value: Json, spec: Json, table: bytes) -> Found:
    head, *lines = _lines(table) or [[]]
    factors = {
        **spec["set"],
        **{f"option.{name}": values for name, values in spec["option"].items()},
    }
    need(len(set(head)) == len(head), "a column twice")
    need({*NEEDED, *factors} <= set(head), "head")
    if {"cycles_by_cause", "varied"} & set(head) or {*factors} & {
        *COLUMNS,
        "cycles",
        "cycles_per_nnz",
        "fault",
    }:
        raise NotJudged
    known = {each["name"] for each in value["matrices"]}
    facts: dict[str, Json] = {}
    actual = []
    for line in lines:
        need(len(line) == len(head), "length of a line")
        cell = dict(zip(head, line, strict=True))
        actual.append(_judge_row(cell, spec, factors))
        of_matrix = (int(cell["rows"]), int(cell["nnz"]), cell["locality"] and float(cell["locality"]))
        need(facts.setdefault(cell["matrix"], of_matrix) == of_matrix, "facts of a matrix")
        need(cell["matrix"] in known, "no such matrix")
    need(value["cells"] == len(lines), "rows that are missing")
    return rows(actual), len(actual)


def _judge_row(cell: dict[str, str], spec: Json, factors: Json) -> tuple[tuple[str, ...], int | None]:
    need(cell["matrix"] and cell["program"] in spec["programs"], "matrix or program")
    need(_whole(cell["rows"]) >= 1 and _whole(cell["nnz"]) >= 0, "sizes")
    if cell["locality"]:
        need(_real(cell["locality"]) >= 0, "locality")
    causes = [_whole(text) for name, text in cell.items() if name.startswith("cause_") and text]
    key = [cell["matrix"], cell["program"]]
    for name, values in factors.items():
        shown_text = cell[name]
        need(
            shown_text in map(str, values) or (shown_text == "" and spec["design"] == "one-at-a-time"),
            "a value",
        )
        key += [f"{name}={shown_text}"] if shown_text else []
    need((cell["cycles"] == "") == (cell["fault"] != ""), "cycles or a fault")
    if not cell["cycles"]:
        if cell["cycles_per_nnz"]:
            need(_real(cell["cycles_per_nnz"]) > 0, "cycles a non-zero")
        return tuple(key), None
    cycles, nnz = _whole(cell["cycles"]), _whole(cell["nnz"])
    need(cycles >= 1 and (not causes or sum(causes) == cycles), "cycles")
    need((nnz == 0) == (cell["cycles_per_nnz"] == ""), "cycles a non-zero")
    if nnz:
        need(isclose(_real(cell["cycles_per_nnz"]), cycles / nnz, rel_tol=1e-9), "cycles a non-zero")
    return tuple(key), cycles


def _whole(text: str) -> int:
    need(re.fullmatch("[0-9]{1,19}", text) and int(text) <= MOST, "a whole number")
    return int(text)


def _real(text: str) -> float:
    need(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", text), "a number")
    need(isfinite(float(text)), "a number")
    return float(text)


@dataclass(frozen=True)
class FolderFuzzer:
    """How a folder is tried."""

    name: str = "sweep_folders"

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever."""
        return make(random.Random(f"{self.name} {seed}"))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Read it, explain it, compare it; return a word for what came of it, and what is wrong."""
        path, good = folder / case.name, folder / GOOD
        for at, data in ((path, case.data), (good, _right())):
            at.mkdir(exist_ok=True)
            text, _, table = data.partition(BETWEEN)
            (at / "sweep.json").write_bytes(text)
            (at / "table.csv").write_bytes(table)
        began = time.monotonic()
        try:
            actual, message = read_document(path), ""
            self._used(case, path, good)
        except UserError as error:
            message = str(error)
        except Exception:
            return "traceback", traceback.format_exc()
        if (seconds := time.monotonic() - began) > MOST_SECONDS:
            return "slow", f"took {seconds:.1f} s"
        if message and (fault := fault_of(message, path)):
            return "message", f"{fault}: {message!r}"
        read = None if message else ({key: row.cycles for key, row in actual.rows.items()}, len(actual.table))
        return self._judged(case, read, message)

    def _used(self, case: Case, path: Path, good: Path) -> None:
        """Do with a folder what commands do."""
        actual, right = read_document(path), read_document(good)
        compare(right, actual).to_dict()
        compare(actual, right).to_dict()
        try:
            cells = read_cells(path)
            if "report" in case.arguments:
                report(cells, FOLDER, remarks(cells))
        except UserError as error:
            if not re.search("no cell has a result|nothing was varied|no cell has cycles", str(error)):
                raise AssertionError(f"explain: {error}") from None
        if "explain" in case.arguments or "command" in case.arguments:
            given = (
                ["compare", str(good), str(path)] if "command" in case.arguments else ["explain", str(path)]
            )
            code, _, err = called(given)
            if code not in (0, 2) or (code == 2 and err.count("\n") != 1):
                raise AssertionError(f"{given[0]} ended with {code}: {err!r}")

    def _judged(self, case: Case, actual: Found | None, message: str) -> tuple[str, str]:
        try:
            wanted = judge(case.data)
        except NotJudged:
            return "not judged", ""
        except Refused as refusal:
            return ("refused", "") if actual is None else ("accepted", f"the judge refuses it: {refusal}")
        if actual is None:
            return "too strict", f"the judge takes it: {message}"
        return "read", "" if actual == wanted else f"{actual!r:.500}, not {wanted!r:.500}"


def _right() -> bytes:
    """Return a folder with nothing wrong."""
    source = random.Random("right")
    spec = _specification(source)
    lines = _table(source, spec)
    table = _written(lines)
    return json.dumps(_document(spec, table, len(lines) - 1)).encode() + BETWEEN + table


FUZZER = FolderFuzzer()

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
