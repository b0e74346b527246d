"""A user-defined format: SELL-C-sigma from the file of the tutorial, in every command."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import vecsim
from docs.blocks import blocks
from programs.registry import PROGRAMS, find
from vecsim.cli import main
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "own-format.md"
MINIMAL = """
from vecsim import Parameter, UserFormat
def arrays(csr, section_size, {names}):
    {body}
F = UserFormat("mine", "of a test", arrays, {text!r}, {parameters})
"""
SCHEDULES = '{"plain": PROGRAM, "slow": PROGRAM.replace("addi    left", "nop\\n addi left")}'
TEXT = "start:\n    halt\n"


def text_of_the_page():
    (block,) = (each for each in blocks(PAGE.read_text()) if each.options.get("caption") == "sell.py")
    return block.text


@pytest.fixture(scope="module")
def sell(tmp_path_factory):
    path = tmp_path_factory.mktemp("format") / "sell.py"
    path.write_text(text_of_the_page())
    return str(path)


@pytest.fixture
def minimal(tmp_path):
    """Write a file with a format, and return its path."""

    def write(body="return {}", *, text=TEXT, names="**more", parameters="()"):
        path = tmp_path / "mine.py"
        path.write_text(MINIMAL.format(body=body, text=text, names=names, parameters=parameters))
        return str(path)

    return write


@pytest.fixture
def vecsim_bytes(capsys):
    """Run a command with a JSON object as its output, and return the bytes of the only format."""

    def run(arguments):
        assert main([*arguments, "--json", "-"]) == 0
        (form,) = json.loads(capsys.readouterr().out)["formats"].values()
        return form["bytes"]

    return run


@st.composite
def matrices(draw):
    rows, columns = draw(st.integers(1, 150)), draw(st.integers(1, 90))
    density = draw(st.sampled_from((0.0, 0.02, 0.3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = scipy.sparse.random_array((rows, columns), density=density, rng=rng, format="csr")
    return values.astype("f4")


@settings(max_examples=25, deadline=None)
@given(matrices(), st.sampled_from((4, 16, 64)), st.integers(1, 200), st.sampled_from((32, 64)))
def test_the_products_are_right(sell, matrix, section_size, sigma, bits):
    machine = load_machine("vs2003").changed({"section_size": section_size})
    result = vecsim.measure(
        sell, matrix, machine, value_bits=bits, options={"sigma": str(sigma)}, engine="simpy"
    )
    assert result.relative_error < 1e-5


def test_sorting_in_windows_saves_padding(sell):
    one, all_ = (
        vecsim.measure(sell, "randomwalk-40", options={"sigma": sigma}) for sigma in ("1", "1048576")
    )
    assert all_.storage_bytes < one.storage_bytes
    # Arrays alone: widths and targets of 14 slices, then 8 bytes an entry.
    slices = -(-861 // 64)
    assert (one.storage_bytes - 4 * slices * 65) % (8 * 64) == 0


@pytest.mark.ci
def test_every_command_takes_it_like_the_five(sell, tmp_path, monkeypatch, capsys, sweeps_in_one_process):
    monkeypatch.chdir(tmp_path)
    matrix = "randomwalk-20"
    assert main(["run", matrix, "--format", sell, "--json", "a.json"]) == 0
    assert main(["run", matrix, "--format", sell, "--set", "banks=8", "--json", "b.json"]) == 0
    assert main(["compare", "a.json", "b.json"]) == 0
    assert main(["rerun", "a.json"]) == 0
    assert main(["why", matrix, "--program", sell]) == 0
    assert main(["view", matrix, "--program", f"{sell},crs", "--out", "v.html"]) == 0
    Path("script").write_text("step 3\n")
    assert main(["debug", sell, matrix, "--script", "script"]) == 0
    varied = ["--option", "sell.sigma=1:256:x4", "--set", "banks=8,16"]
    sweep = ["sweep", matrix, "--format", sell, *varied, "--out", "swept", "--explain"]
    assert main(sweep) == 0
    printed = capsys.readouterr().out
    assert "sell.py:" in printed  # a place in its text, from why and debug
    assert "60 cells of 1 matrix, 6 programs and 10 points" in printed
    assert main(["rerun", "swept"]) == 0
    table = Path("swept/table.csv").read_text().splitlines()
    sigma = next(place for place, name in enumerate(table[0].split(",")) if name.endswith("sigma"))
    assert len({line.split(",")[sigma] for line in table[1:] if sell in line}) == 5


def test_formats_counts_its_bytes(sell, vecsim_bytes):
    expected = vecsim.measure(sell, "randomwalk-20").storage_bytes
    assert vecsim_bytes(["formats", "randomwalk-20", "--format", sell]) == {"image": expected}


def test_a_place_in_the_text_is_a_line_of_the_python_file(sell):
    program = vecsim.why(sell, "laplace2d-3")
    place = program.lines[0].place
    file, _, line = place.rpartition(":")
    assert file.endswith("sell.py")
    assert Path(sell).read_text().splitlines()[int(line) - 1].split()[0] == program.lines[0].text.split()[0]


def test_a_changed_file_is_computed_anew(sell, tmp_path):
    """The file itself, and a module that it imports."""
    text = Path(sell).read_text()
    (tmp_path / "width.py").write_text("PAD = 0\n")
    own = tmp_path / "own.py"
    own.write_text("from width import PAD\n" + text.replace("widths = padded", "widths = PAD + padded"))
    what = vecsim.Sweep(("laplace2d-5",), (str(own),))
    first = vecsim.sweep(what, jobs=1)
    again = vecsim.sweep(what, jobs=1)
    assert (first.computed, again.computed) == (1, 0)
    (tmp_path / "width.py").write_text("PAD = 11\n")
    wider = vecsim.sweep(what, jobs=1)
    assert wider.computed == 1
    assert wider.columns["cycles"][0] > first.columns["cycles"][0]


def test_several_texts_are_schedules_and_several_formats_have_names(sell, tmp_path):
    text = Path(sell).read_text()
    own = tmp_path / "two.py"
    own.write_text(
        text.replace("    PROGRAM,\n", f"    {SCHEDULES},\n")
        + '\nOTHER = UserFormat("mine", "my CRS", None, "crs.s", like="crs")\n'
    )  # fmt: skip
    (tmp_path / "crs.s").write_text(PROGRAMS["crs"].text("plain").read())
    with pytest.raises(UserError, match=r"two\.py: .*use .*two\.py:sell, .*two\.py:mine"):
        find(str(own))
    plain, slow = (
        vecsim.measure(f"{own}:sell", "laplace2d-9", options=options)
        for options in ({}, {"schedule": "slow"})
    )
    assert plain.options["schedule"] == "plain"
    assert slow.instructions > plain.instructions
    mine = vecsim.measure(f"{own}:mine", "laplace2d-9")
    assert mine.cycles == vecsim.measure("crs", "laplace2d-9", options={"schedule": "plain"}).cycles


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ({"body": "return 3"}, r"arrays of mine: what it returns = 3: a table"),
        ({"body": "return {'rows': 3}"}, r"rows: is no name for a symbol"),
        ({"body": "return {'X': 3}"}, r"X: is no name for a symbol"),
        ({"body": "return {'ROWS': 2.5}"}, r"ROWS = 2\.5: a whole number"),
        ({"body": "return {'ROWS': 1 << 31}"}, r"ROWS = 2147483648: a symbol is at most 2147483647"),
        ({"body": "return {'B': csr.data > 0}"}, r"B: an array of bool: integers or floats"),
        ({"body": "return {'B': csr.indices.astype('i8') << 40}"}, r"B: an integer of it has more than"),
        ({"body": "return {'B': csr.nothing}"}, r"arrays of mine: AttributeError"),
        ({"body": "open(__file__)"}, r"arrays of mine: opens a file in a simulation"),
        ({"text": "start:\n    nothing\n    halt\n"}, r"unknown instruction"),
        ({"parameters": "(Parameter('Sigma', 1, 1, 2),)"}, r"Parameter\('Sigma'\): a name needs lower-case"),
        ({"parameters": "(Parameter('sigma', 9, 1, 2),)"}, r"default 9 must be in 1 to 2"),
        ({"parameters": "(), 'crs'"}, r"UserFormat\('mine'\): give either arrays, or like="),
        ({"text": ""}, r"UserFormat\('mine'\): program"),
    ],
)
def test_mistakes_are_one_line(minimal, file, message):
    path = minimal(**file)
    with pytest.raises(UserError, match=rf"mine\.py[:\d]*: .*{message}") as caught:
        vecsim.measure(path, "laplace2d-3", engine="simpy")
    assert "\n" not in str(caught.value) or "instruction" in message


def test_names_that_are_no_formats(tmp_path, sell):
    with pytest.raises(UserError, match=r"none\.py: no such file"):
        find(str(tmp_path / "none.py"))
    (tmp_path / "empty.py").write_text("x = 1\n")
    with pytest.raises(UserError, match=r"empty\.py: declares no format; write NAME = UserFormat"):
        find(str(tmp_path / "empty.py"))
    with pytest.raises(UserError, match=r"sell\.py:sel: .*did you mean 'sell'"):
        find(f"{sell}:sel")
    with pytest.raises(UserError, match="option sigma = '0': it takes 1 to 1048576"):
        vecsim.measure(sell, "laplace2d-3", options={"sigma": "0"})
    assert find(sell).title == "sell"


def test_a_mean_over_fewer_matrices_says_so(tmp_path, capsys):
    own = tmp_path / "own.py"
    first = "    rows, s = csr.shape[0], section_size\n"
    own.write_text(text_of_the_page().replace(first, f"{first}    assert rows < 30\n"))
    assert main(["sweep", "laplace2d-5", "laplace2d-6", "--program", f"{own},crs", "--jobs", "1"]) == 0
    printed = capsys.readouterr()
    assert " (1 of 2)" in printed.out
    assert "own.py:11: arrays of sell: AssertionError" in printed.err
