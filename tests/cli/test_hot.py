"""`--hot` and `--listing` of run and exec: the instructions that cost most."""

import json

import pytest


@pytest.mark.parametrize("option", [("--hot", "3"), ("--listing",)])
def test_run_shows_them_of_each_program(vecsim, matrix, option):
    result = vecsim("run", matrix, "--program", "crs,hism", *option, "--json", "-")
    assert result.code == 0
    for actual in json.loads(result.out)["results"]:
        assert sum(line["cycles"] for line in actual["lines"]) == actual["cycles"]
        assert all(sum(line["cycles_by_cause"].values()) == line["cycles"] for line in actual["lines"])
        table = (
            result.err.split(f"{actual['program']}, pipelined")[1]
            .split("longest for")[1]
            .split("pipelined")[0]
        )
        shown = [int(row.split()[0]) for row in table.splitlines() if "%" in row]
        cycles = {line["pc"]: line["cycles"] for line in actual["lines"]}
        if option == ("--listing",):
            assert shown == list(cycles)
        else:
            assert [cycles[pc] for pc in shown] == sorted(cycles.values(), reverse=True)[:3]


def test_without_them_nothing_is_said_of_instructions(vecsim, matrix):
    result = vecsim("run", matrix, "--program", "crs", "--json", "-")
    assert "lines" not in json.loads(result.out)["results"][0]


def test_exec_shows_what_they_are_attributed_to(vecsim, tmp_path):
    program = tmp_path / "load.s"
    program.write_text("li x1, 64\nsetvl x1\nlv.w v1, 64(x0)\nhalt\n")
    result = vecsim("exec", program, "--hot", "1")
    assert "startup 56%, contiguous transfer 44%" in result.out
    assert "setvl" not in result.out.split("longest for")[1]


def test_comments_of_the_source_are_left_out(vecsim, tmp_path):
    program = tmp_path / "a.s"
    program.write_text("addi x1, x0, 1  # one\nhalt ; stop\n")
    shown = vecsim("exec", program, "--listing").out
    assert "addi x1, x0, 1" in shown
    assert "one" not in shown and "stop" not in shown
