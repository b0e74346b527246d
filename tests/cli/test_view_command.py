"""`vecsim view`: one run, two runs, and what it refuses."""

import json
import re

import numpy as np
import pytest
from tiers import one_in

from vecsim.cli import main

QUICK = ["view", "laplace2d-5", "--engine", "simpy"]


def runs_of(path):
    text = path.read_text(encoding="utf-8")
    document = json.loads(re.search(r'id="document">(.*?)</script>', text, re.S)[1])
    assert document["about"]["versions"]["vecsim"]
    return [run["name"] for run in document["runs"]], document


def test_a_product_and_its_y(tmp_path, capsys):
    path = tmp_path / "page.html"
    assert main([*QUICK, "--program", "crs", "--out", str(path)]) == 0
    names, document = runs_of(path)
    assert names == ["crs pipelined on laplace2d-5, vs2003"]
    (piece,) = document["runs"][0]["pieces"]
    assert (piece["name"], piece["count"], piece["type"]) == ("Y", 25, "float")
    assert f"{document['runs'][0]['cycles']:,} cycles" in capsys.readouterr().out


def test_json_says_what_is_in_the_page(tmp_path, capsys):
    path = tmp_path / "page.html"
    assert main([*QUICK, "--program", "crs", "--out", str(path), "--json", "-"]) == 0
    output = json.loads(capsys.readouterr().out)
    (run,) = output["runs"]
    document = runs_of(path)[1]["runs"][0]
    assert output["page"] == str(path)
    assert (run["cycles"], run["shown"], run["left_out"]) == (document["cycles"], run["instructions"], 0)


TWO = {
    "--program crs,jd": ("crs pipelined", "jd pipelined"),
    "--program jd --beside-option schedule=plain": ("jd pipelined", "jd plain"),  # plain: options
    "--program jd --set startup=9 --beside-set banks=64": ("startup=9", "banks=64"),  # plain: options
    "--program jd --beside-machine t0": ("vs2003", "t0"),  # plain: options
}


@pytest.mark.parametrize("arguments", one_in(2, TWO))
def test_two_runs(tmp_path, capsys, arguments):
    path = tmp_path / "page.html"
    assert main([*QUICK, *arguments.split(), "--out", str(path)]) == 0
    names, document = runs_of(path)
    assert len(names) == 2
    assert all(part in name for part, name in zip(TWO[arguments], names, strict=True))
    assert document["runs"][0]["cycles"] != document["runs"][1]["cycles"]


def test_a_program_of_any_kind(tmp_path, capsys):
    program, path = tmp_path / "short.s", tmp_path / "page.html"
    program.write_text("li x1, 7\nsw x1, 64(zero)\nhalt\n", encoding="utf-8")
    how = ["--engine", "simpy", "--memory", "4K", "--show", "64:2:word"]
    assert main(["view", str(program), *how, "--out", str(path)]) == 0
    assert runs_of(path)[1]["runs"][0]["instructions"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--program", "crs,jd,hism"], "a page shows at most 2"),
        (["--program", "crs", "--show", "Q:8"], "--show Q:8: unknown symbol 'Q'"),
        (["--program", "crs", "--define", "A=1"], "--define needs a program FILE.s"),
        (["--program", "crs", "--window", "5"], "--window 5: write it as FROM:TO"),
        (["--program", "crs", *["--show", "0:20000:byte"] * 4], "a page shows 65,536 at most"),
        (["--program", "crs", "--out", "nowhere/page.html"], "the folder nowhere does not exist"),
    ],
)
def test_what_it_refuses(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([*QUICK, *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_arrays_of_files_are_in_memory(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.arange(3, 7, dtype=np.int32))
    # It takes as many times around the loop as the array says.
    loop = "lw x1, X(zero)\nagain: addi x1, x1, -1\nbnez x1, again\nhalt\n"
    (tmp_path / "a.s").write_text(f".data 64\nX: .space 16\n.text\n{loop}")
    asked = ["view", "a.s", "--load", "X=x.npy", "--show", "X:4:word", "--engine", "simpy", "--out", "a.html"]
    assert main(asked) == 0
    (run,) = runs_of(tmp_path / "a.html")[1]["runs"]
    assert (run["instructions"], run["pieces"][0]["name"]) == (1 + 3 * 2 + 1, "X")
    assert main(["view", "laplace2d-5", "--load", "X=x.npy"]) == 2
    assert "--load needs a program FILE.s" in capsys.readouterr().err
