"""The file of results, and what is asked of them."""

import json
from dataclasses import dataclass, field, replace

import pytest

from experiments.papers.kit.recorded import kind_of
from experiments.papers.kit.results import MatrixRecord, Record, Results, read_results
from vecsim.support.errors import UserError


@dataclass(frozen=True)
class Extra:
    name: str
    counts: tuple[int, ...] = ()


@dataclass(frozen=True)
class Own(Results):
    paper = "mine"
    own = "fast"

    extras: tuple[Extra, ...] = field(default=())


A, B = MatrixRecord("a", nnz=1000, longest=4), MatrixRecord("b", missing="no file")
RECORDS = (
    Record("a", "fast", "float64", median_us=10.0, error=1e-16, parts={"setup": 1.23456}),
    Record("a", "slow", "float64", median_us=30.0, error=1e-16),
    Record("a", "other", "float64", "spmv_t", status="failed", reason="no memory"),
)


def results(**changes):
    base = Own("vecsim reproduce mine", "2026-11-21", "abc", "a GPU", {}, {"all": 1.0}, (A, B), RECORDS)
    return replace(base, **changes)


def test_results_come_back_from_their_file(tmp_path):
    path = tmp_path / "results.json"
    built = results(extras=(Extra("e", (1, 2)),))
    path.write_bytes(built.to_json())
    again = read_results(path, Own)
    assert again.records[0].parts == {"setup": 1.235}
    rounded = (replace(RECORDS[0], parts={"setup": 1.235}), *RECORDS[1:])
    assert again == replace(built, records=rounded)
    assert kind_of(path) == built.kind
    # A line for each matrix and record: a file that can be compared.
    lines = path.read_text().splitlines()
    assert sum(line.startswith("  {") for line in lines) == 2 + 3 + 1
    assert (
        '  {"matrix": "a", "method": "slow", "dtype": "float64", "median_us": 30.0, "error": 1e-16},' in lines
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "vecsim crosscheck"}, "is not a file of"),
        ({"gpu": {"name": "x"}}, "gpu: input should be a valid string"),
        (
            {"records": [{"matrix": "m", "method": "ell", "dtype": "float64", "median_us": "slow"}]},
            "records.0",
        ),
    ],
)
def test_another_file_is_refused_in_one_line(tmp_path, change, message):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(json.loads(results().to_json()) | change))
    with pytest.raises(UserError, match=message) as error:
        read_results(path, Own)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"{path}: is not a file of `vecsim reproduce mine`")


def test_no_file_and_no_json(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        read_results(tmp_path / "none.json", Own)
    (tmp_path / "some.json").write_text("{")
    with pytest.raises(UserError, match="is not JSON"):
        read_results(tmp_path / "some.json", Own)
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(UserError, match="is not a file of"):
        read_results(tmp_path / "list.json", Own)


def test_times_and_ratios():
    actual = results()
    assert (actual.time(A, "slow", "float64"), actual.time(A, "slow", "float32")) == (30, None)
    assert actual.ratio(A, "slow", "float64") == 3
    assert actual.ratio(A, "fast", "float64", "slow") == pytest.approx(1 / 3)
    assert actual.ratios((A, B), "slow", "float64") == {"a": 3}
    assert actual.gflops(A, "fast", "float64") == pytest.approx(0.2)
    assert actual.absent(A, "other", "float64", "spmv_t") == "failed"
    assert actual.absent(B, "slow", "float64") == "not measured"


def test_what_is_missing_and_wrong_is_named():
    actual = results()
    assert actual.gaps() == (
        "Not measured: b: no file",
        "Failed, and therefore without numbers: other, spmv_t of a (no memory)",
    )
    assert actual.faults() == ()
    wrong = (replace(RECORDS[0], error=float("nan")), replace(RECORDS[1], same_bits=False))
    assert results(records=wrong).faults() == (
        "fast on a, float64: relative error nan",
        "slow on a, float64: two runs differ",
    )
