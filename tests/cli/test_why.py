"""`vecsim why`: a sentence for each program, tables, JSON."""

import json

from vecsim.machine import load_machine


def test_all_programs_are_explained_in_a_sentence_each(vecsim, matrix):
    result = vecsim("why", matrix, "--engine", "simpy")
    assert (result.code, result.err) == (0, "")
    sentences = result.out.splitlines()[:5]
    assert [line.split(" on ")[0] for line in sentences] == ["CRS", "JD", "BBCS", "HiSM", "CHiSM"]
    assert all(line.endswith(".") for line in sentences)
    assert result.out.count("what would help") == 5


def test_the_listing_has_all_that_was_executed_in_order(vecsim, matrix):
    result = vecsim("why", matrix, "--program", "hism", "--listing", "--json", "-")
    document = json.loads(result.out)
    (actual,) = document["explanations"]
    table = result.err.split("longest for")[1].split("cycles by cause")[0]
    shown = [int(line.split()[0]) for line in table.splitlines() if line[:1].isdigit()]
    assert shown == [line["pc"] for line in actual["lines"]] == sorted(shown)
    assert sum(line["cycles"] for line in actual["lines"]) == actual["cycles"]


def test_the_costliest_come_first(vecsim, matrix):
    result = vecsim("why", matrix, "--program", "crs", "--hot", "3", "--set", "startup=40")
    table = result.out.split("longest for")[1].split("cycles by cause")[0]
    cycles = [
        int(line.split("%")[0].split()[-2].replace(",", "")) for line in table.splitlines() if "%" in line
    ]
    assert len(cycles) == 3
    assert cycles == sorted(cycles, reverse=True)
    assert load_machine("vs2003", ["startup=40"]).label_with_digest in result.out


def test_mistakes_end_in_a_line(vecsim, matrix):
    assert "unknown program" in vecsim("why", matrix, "--program", "hsim").mistake()
    assert "--value-bits 16" in vecsim("why", matrix, "--value-bits", "16").mistake()
    assert "unknown engine" in vecsim("why", matrix, "--engine", "fast").mistake()
