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


def test_cells_without_a_result_are_reported(swept, matrix):
    result = swept(matrix, "--program", "crs", "--set", "section_size=32,48")
    assert result.code == 0
    assert "warning: no result for 1 cell: machine: section_size = 48: " in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no matrix is named"),
        (("laplace2d-3", "--set", "banks"), "write it as NAME=VALUE"),
        (("laplace2d-3", "--set", "bank=3"), "set.bank: is not a number of the machine"),
        (("laplace2d-3", "--set", "banks=8", "--set", "banks=16"), "banks is varied twice"),
        (("laplace2d-3", "--option", "sums=x"), "option.sums: x: it takes scalar, register"),
        (("none.toml",), "none.toml: no such file"),
        (("none.toml", "--set", "banks=3"), "names what is varied"),
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
