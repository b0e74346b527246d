"""`vecsim run`: tables, JSON, exit codes."""

import json
import math

import pytest

from programs.registry import PROGRAMS

KEYS = {
    "program_sha256",
    "program",
    "matrix",
    "rows",
    "cols",
    "nnz",
    "value_bits",
    "engine",
    "seed",
    "cycles",
    "instructions",
    "cycles_per_nnz",
    "speedup_over_crs",
    "bytes_moved",
    "peak_share",
    "relative_error",
    "counters",
    "waited",
    "options",
    "cycles_by_cause",
    "busy",
    "storage_bytes",
}


def strict(text: str):
    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def results(text: str):
    """Return all fields but the date and the command."""
    return {name: value for name, value in strict(text).items() if name not in ("command", "date")}


def rows_of(table: str) -> dict[str, list[str]]:
    """The rows below the rule, by program."""
    lines = table.split("─\n", 1)[1].splitlines()
    return {line.split()[0]: line.split() for line in lines}


def test_the_table_of_all_programs(vecsim, matrix):
    result = vecsim("run", matrix)
    assert (result.code, result.err) == (0, "")
    header = result.out.splitlines()[0]
    assert header == "tiny: 5 x 4, 6 non-zeros; machine vs2003; engine jit; 32-bit values"
    rows = rows_of(result.out)
    assert list(rows) == list(PROGRAMS)
    assert all(float(row[-1]) <= 1e-5 for row in rows.values())
    assert {row[1] for row in rows.values()} == {"pipelined"}
    cycles = {name: int(row[2].replace(",", "")) for name, row in rows.items()}
    for name, row in rows.items():
        assert float(row[3]) == pytest.approx(cycles[name] / 6, abs=0.006)
        assert float(row[5]) == pytest.approx(cycles["crs"] / cycles[name], abs=0.006)


def test_without_crs_there_is_no_speed_over_it(vecsim, matrix):
    result = vecsim("run", matrix, "--program", "jd", "--program", "hism", "--program", "jd")
    rows = rows_of(result.out)
    assert list(rows) == ["jd", "hism"]
    assert [row[5] for row in rows.values()] == ["-", "-"]
    document = strict(vecsim("run", matrix, "--program", "jd", "--json", "-").out)
    assert document["results"][0]["speedup_over_crs"] is None


def test_json_on_stdout_is_one_object_and_all_else_goes_to_stderr(vecsim, matrix):
    result = vecsim("run", matrix, "--json", "-", "--machine", "t0", "--set", "latency.add=6", "--seed", 7)
    assert result.code == 0
    document = strict(result.out)
    assert "tiny: 5 x 4" in result.err
    assert list(rows_of(result.err)) == list(PROGRAMS)
    expected = {"name": "tiny", "source": str(matrix), "rows": 5, "cols": 4, "nnz": 6}
    assert document["matrix"].items() >= expected.items()
    assert document["machine"]["name"] == "t0"
    assert document["machine"]["latency"]["add"] == 6
    assert (document["engine"], document["seed"], document["value_bits"]) == ("jit", 7, 32)
    assert [r["program"] for r in document["results"]] == list(PROGRAMS)
    for actual in document["results"]:
        assert set(actual) == KEYS
        assert sum(actual["cycles_by_cause"].values()) == actual["cycles"]
        assert actual["cycles_per_nnz"] == actual["cycles"] / 6
        assert 0 < actual["peak_share"] <= 1
        assert actual["relative_error"] <= 1e-5
    assert document["results"][0]["speedup_over_crs"] == 1


def test_a_json_file_next_to_the_table(vecsim, matrix, tmp_path):
    target = tmp_path / "results.json"
    target.write_text("old")
    result = vecsim("run", matrix, "--json", target)
    assert list(rows_of(result.out)) == list(PROGRAMS)
    assert results(target.read_text()) == results(vecsim("run", matrix, "--json", "-").out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.json", "tiny.mtx"]


def test_json_goes_through_a_symbolic_link_and_into_a_device(vecsim, matrix, tmp_path):
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    assert vecsim("run", matrix, "--program", "crs", "--json", tmp_path / "link.json").code == 0
    assert (tmp_path / "link.json").is_symlink()
    assert strict((tmp_path / "real.json").read_text())["results"]
    assert vecsim("run", matrix, "--program", "crs", "--json", "/dev/null").code == 0


def test_two_runs_are_equal(vecsim, matrix):
    first, second = (vecsim("run", matrix, "--json", "-") for _ in range(2))
    assert results(first.out) == results(second.out)
    assert first.err == second.err


def test_the_seed_changes_x_and_not_the_cycles(vecsim, matrix):
    runs = [strict(vecsim("run", matrix, "--json", "-", "--seed", seed).out)["results"] for seed in (0, 1)]
    assert [r["cycles"] for r in runs[0]] == [r["cycles"] for r in runs[1]]
    assert [r["relative_error"] for r in runs[0]] != [r["relative_error"] for r in runs[1]]


def test_values_of_64_bits(vecsim, matrix):
    narrow, wide = (
        strict(vecsim("run", matrix, "--program", "crs", "--json", "-", "--value-bits", bits).out)
        for bits in (32, 64)
    )
    assert wide["value_bits"] == 64
    assert wide["results"][0]["bytes_moved"] > narrow["results"][0]["bytes_moved"]
    assert wide["results"][0]["relative_error"] < 1e-15


def test_several_matrices_and_programs(vecsim, matrix):
    arguments = ["run", matrix, "laplace2d-3", "--program", "hism,crs"]
    lines = vecsim(*arguments).out.splitlines()
    assert lines[0].startswith("tiny: 5 x 4, 6 non-zeros; machine vs2003")
    assert sum(line.startswith("laplace2d-3: 9 x 9, 33 non-zeros") for line in lines) == 1
    document = strict(vecsim(*arguments, "--json", "-").out)
    assert "matrix" not in document
    assert [each["name"] for each in document["matrices"]] == ["tiny", "laplace2d-3"]
    actual = [(each["matrix"], each["program"]) for each in document["results"]]
    assert actual == [(name, program) for name in ("tiny", "laplace2d-3") for program in ("hism", "crs")]
    alone = strict(vecsim("run", "laplace2d-3", "--program", "hism,crs", "--json", "-").out)
    assert document["results"][2:] == alone["results"]
    assert alone["matrices"] == [alone["matrix"]]
    # The summary has a row a matrix, and the geometric mean of both.
    per_nonzero = [each["cycles_per_nnz"] for each in document["results"]]
    *_, first, second, mean = (line.split() for line in lines)
    assert first == ["tiny", "6", *(f"{value:.2f}" for value in per_nonzero[:2])]
    assert second == ["laplace2d-3", "33", *(f"{value:.2f}" for value in per_nonzero[2:])]
    both = [math.sqrt(per_nonzero[k] * per_nonzero[k + 2]) for k in (0, 1)]
    assert mean == ["geometric", "mean", "-", *(f"{value:.2f}" for value in both)]


def test_all_matrices_are_read_before_one_is_run(vecsim, matrix, monkeypatch):
    def never(*_, **__):
        raise AssertionError("the run began")

    monkeypatch.setattr("programs.measurement.measure", never)
    assert "unknown matrix 'second'" in vecsim("run", matrix, "second").mistake()
    assert "unknown program 'hsm'" in vecsim("run", matrix, "--program", "crs,hsm").mistake()


def test_a_wrong_result_of_several_names_the_matrix(vecsim, matrix, monkeypatch):
    monkeypatch.setattr("programs.measurement.relative_error", lambda *_: 2e-5)
    result = vecsim("run", matrix, "laplace2d-3", "--program", "crs")
    assert result.code == 1
    said = "vecsim: the relative error is above 1e-05: tiny: crs (2.0e-05), laplace2d-3: crs (2.0e-05)\n"
    assert result.err == said


def test_an_option_holds_for_every_program_that_has_it(vecsim, matrix):
    both = ["--program", "hism", "--program", "chism", "--json", "-"]

    def options(*given):
        results = strict(vecsim("run", matrix, *both, *given).out)["results"]
        return {actual["program"]: actual["options"]["positions"] for actual in results}

    assert options() == {"hism": "auto", "chism": "auto"}
    assert options("--option", "positions=two") == {"hism": "two", "chism": "two"}
    assert options("--option", "chism.positions=two") == {"hism": "auto", "chism": "two"}


def test_a_builtin_matrix_and_a_changed_machine(vecsim):
    result = vecsim("run", "laplace2d-3", "--program", "crs", "--set", "banks=32", "--set", "section_size=8")
    assert result.out.startswith("laplace2d-3: 9 x 9, 33 non-zeros; machine vs2003 with section_size=8, ban")


@pytest.mark.parametrize(("error", "written"), [(2e-5, 2e-5), (math.nan, None), (math.inf, None)])
def test_a_wrong_result_is_shown_and_ends_with_1(vecsim, matrix, monkeypatch, error, written):
    monkeypatch.setattr("programs.measurement.relative_error", lambda *_: error)
    result = vecsim("run", matrix, "--program", "crs", "--json", "-")
    assert result.code == 1
    assert "crs" in rows_of(result.err)
    assert result.err.endswith(f"vecsim: the relative error is above 1e-05: crs ({error:.1e})\n")
    assert strict(result.out)["results"][0]["relative_error"] == written


def test_what_reading_changed_is_reported(vecsim, tmp_path):
    path = tmp_path / "complex.mtx"
    path.write_text("%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 5\n2 2 1e-42 0\n")
    result = vecsim("run", path, "--program", "crs", "--json", "-")
    assert result.code == 0
    strict(result.out)
    warnings = [line for line in result.err.splitlines() if line.startswith("vecsim: warning: ")]
    assert len(warnings) == 2
    assert "real part" in warnings[0]
    assert "too small for 32 bits" in warnings[1]
    assert str(path) in warnings[1]


def test_what_one_program_has_no_room_for_is_said_before_any_runs(vecsim, tmp_path, monkeypatch):
    def never(*_, **__):
        raise AssertionError("a program ran")

    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n9000 9000 1\n1 1 5\n")
    monkeypatch.setattr("programs.loading.ADDRESS_SPACE", 130_000)
    reason = "the matrix is too large for the simulated address space: matrix, vectors and stack need"
    with monkeypatch.context() as patch:
        patch.setattr("programs.measurement.measure", never)
        assert reason in vecsim("run", tmp_path / "m.mtx").mistake()
        assert reason in vecsim("run", tmp_path / "m.mtx", "--program", "jd").mistake()
    assert vecsim("run", tmp_path / "m.mtx", "--program", "bbcs").code == 0


def test_a_user_program_next_to_the_one_it_replaces(vecsim, matrix, tmp_path):
    own = tmp_path / "my.s"
    own.write_text(PROGRAMS["crs"].text("plain").read())
    options = ("--option", "crs.schedule=plain", "--json", "-")
    result = vecsim("run", matrix, "--program", f"crs,{own}", "--like", "crs", *options)
    theirs, mine = strict(result.out)["results"]
    assert (theirs["program"], mine["program"]) == ("crs", f"crs:{own}")
    assert theirs["cycles"] == mine["cycles"]
    assert "needs --like NAME" in vecsim("run", matrix, "--program", own).mistake()
    assert (
        "needs a user-defined program" in vecsim("run", matrix, "--program", "crs", "--like", "crs").mistake()
    )
    assert "did you mean 'hism'" in vecsim("run", matrix, "--program", own, "--like", "hsim").mistake()
