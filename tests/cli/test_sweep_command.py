"""`vecsim sweep`: a table in the terminal, files in a folder, mistakes in a line."""

import csv
import json

import pytest


@pytest.fixture
def swept(vecsim, tmp_path):
    def call(*arguments):
        return vecsim("sweep", *arguments, "--store", tmp_path / "store", "--jobs", "1")

    return call


def test_a_grid_from_the_command_line(swept, matrix, tmp_path):
    out = tmp_path / "out"
    arguments = ("--program", "crs,hism", "--set", "banks=8,16", "--option", "crs.schedule=plain")
    result = swept(matrix, *arguments, "--out", out)
    assert result.code == 0
    assert "4 cells of 1 matrix, 2 programs and 2 points in " in result.out
    assert "; 4 were simulated" in result.out
    rows = list(csv.DictReader((out / "table.csv").read_text().splitlines()))
    assert [(row["program"], row["banks"]) for row in rows] == [
        ("crs", "8"), ("crs", "16"), ("hism", "8"), ("hism", "16"),
    ]  # fmt: skip
    text = json.loads((out / "sweep.json").read_text())
    assert text["kind"] == "vecsim sweep"
    assert text["sweep"]["set"] == {"banks": [8, 16]}
    assert text["machine"]["label"] == "vs2003"
    assert "; 0 were simulated" in swept(matrix, *arguments).out


def test_a_specification_file(swept, matrix, tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text(f'matrices = ["{matrix}"]\nprograms = ["crs"]\nset.banks = "4:16:x2"\n')
    result = swept(spec)
    assert [line.split()[0] for line in result.out.splitlines() if line.startswith("banks=")] == [
        "banks=4", "banks=8", "banks=16",
    ]  # fmt: skip


SPECIFICATION = """
matrices = ["laplace2d-3", "laplace2d-4"]
programs = ["crs", "hism"]
machine = "t0"
value_bits = 64
set.banks = [4, 8]
set.startup = "0:40:20"
option.schedule = "plain"
"""


def test_the_command_line_overrides_a_specification_file(swept, tmp_path):
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(SPECIFICATION)
    words = ("--set", "banks=16", "--set", "lanes=1:4:x2", "--set", "option.schedule=pipelined")
    assert swept(spec, *words, "--program", "crs", "--matrix", "laplace2d-5", "--out", out).code == 0
    message = json.loads((out / "sweep.json").read_text())["sweep"]
    assert message["set"] == {"banks": [16], "startup": [0, 20, 40], "lanes": [1, 2, 4]}
    assert message["option"] == {"schedule": ["pipelined"]}
    assert (message["programs"], message["matrices"]) == (["crs"], ["laplace2d-5"])
    assert (message["machine"], message["value_bits"]) == ("t0", 64)  # defaults of options change nothing


def test_every_mistake_of_a_file_has_a_line(swept, tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text(
        'matrix = ["laplace2d-3"]\nprograms = ["crs", "hsim"]\ndesign = "grod"\nsamples = 0\n'
        'set.bank = 3\nset.lanes = "5:3"\ncost.lane = 1\n'
    )
    result = swept(spec)
    assert (result.code, result.out) == (2, "")
    starts = [line.removeprefix(f"vecsim: error: {spec}: ")[:14] for line in result.err.splitlines()]
    assert starts == [
        "unknown key 'm", "matrices is mi", "set.lanes: 5:3", "samples = 0: a", "design = 'grod",
        "cost.lane: is ", "unknown progra",
    ]  # fmt: skip


def test_a_dry_run_says_what_a_sweep_would_do(vecsim, matrix, tmp_path):
    store, out = tmp_path / "store", tmp_path / "out"
    words = (matrix, "--program", "crs,hism", "--set", "section_size=32,48", "--store", store, "--out", out)
    before = sorted(tmp_path.iterdir())
    first = vecsim("sweep", *words, "--explain", "--dry-run")
    assert first.code == 0
    assert "4 cells: 1 matrix, 2 programs, 2 points (grid)" in first.out
    assert "0 are stored, 2 would be simulated, 2 can have no result" in first.out
    assert "from the number of non-zeros for 2" in first.out
    assert sorted(tmp_path.iterdir()) == before
    assert vecsim("sweep", *words, "--jobs", "1").code == 0
    content, before = store.read_bytes(), sorted(tmp_path.iterdir())
    assert "2 are stored, 0 would be simulated" in vecsim("sweep", *words, "--dry-run").out
    more = vecsim("sweep", *words, "--set", "banks=4,8", "--dry-run").out
    assert "0 are stored, 4 would be simulated, 4 can have no result" in more
    assert "banks              2  4, 8" in more
    assert (store.read_bytes(), sorted(tmp_path.iterdir())) == (content, before)


def test_a_dry_run_refuses_what_is_no_store(vecsim, matrix, tmp_path):
    other = tmp_path / "other"
    other.write_bytes(b"something else " * 100)
    message = vecsim("sweep", matrix, "--store", other, "--dry-run").mistake()
    assert message == f"{other}: is not a store of cells: name another --store"


def test_cells_without_a_result_are_reported(swept, matrix):
    result = swept(matrix, "--program", "crs", "--set", "section_size=32,48", "--set", "startup=20,-1")
    assert result.code == 0
    assert "warning: no result for 2 cells: machine: section_size = 48: " in result.err
    assert "warning: no result for 1 cell: machine: startup = -1: must be at least 0" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no matrix is named"),
        (("laplace2d-3", "--set", "banks"), "write it as KEY=VALUES"),
        (("laplace2d-3", "--set", "bank=3"), "set.bank: is not a number of the machine"),
        (("laplace2d-3", "--set", "banks=8", "--set", "banks=16"), "banks: is varied twice"),
        (("laplace2d-3", "--option", "sums=x"), "option.sums: x: it takes scalar, register"),
        (("none.toml",), "none.toml: no such file"),
        (("none.toml", "--set", "banks=3"), "none.toml: no such file"),
        (("memory", "--set", "bank=3"), "set.bank: is not a number of the machine"),
        (("laplace2d-3", "--design", "grod"), "did you mean 'grid'"),
    ],
)
def test_mistakes_end_in_a_line(swept, arguments, message):
    assert message in swept(*arguments).mistake()


def test_plotted_at_once(swept, matrix, tmp_path):
    out = tmp_path / "out"
    result = swept(matrix, "--program", "crs", "--set", "banks=8,16", "--out", out, "--explain")
    assert result.code == 0
    assert "Speed against banks" in result.out
    assert {"table.csv", "sweep.json", "report.html", "sweep-banks.png"} <= {p.name for p in out.iterdir()}
    assert "name a folder by --out" in swept(matrix, "--explain").mistake()


def test_parquet_next_to_the_csv(swept, matrix, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out"
    assert swept(matrix, "--program", "crs", "--out", out, "--parquet").code == 0
    (cycles,) = parquet.read_table(out / "table.parquet")["cycles"].to_pylist()
    assert str(cycles) in (out / "table.csv").read_text()
