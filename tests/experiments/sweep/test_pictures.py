"""What is drawn of a sweep: means, quartiles, effects and crossings of its table."""

import json
from statistics import geometric_mean

import pytest

from experiments.sweep.pictures import against, crossings, pairs, read_cells, report, what_matters
from vecsim.cli import main
from vecsim.errors import UserError

PER_ROW = {"a": 2, "b": 4, "c": 8, "d": 16}
"""Non-zeros a row of each matrix, of 100 rows."""


def cycles(program, a_row, banks, on):
    """Give cycles a row: JD's grow with the square of the entries, CRS's by themselves; equal at 8."""
    work = a_row**2 / 8 if program == "jd" else a_row
    return work * (2 if banks == 4 else 1) * (1.5 if on == "False" else 1)


@pytest.fixture
def folder(tmp_path):
    lines = ["matrix,rows,cols,nnz,program,banks,chaining,cycles,cycles_per_nnz,fault"]
    for matrix, a_row in PER_ROW.items():
        for program in ("crs", "jd"):
            for banks in (4, 16):
                for on in ("True", "False"):
                    total = round(1000 * cycles(program, a_row, banks, on))
                    place = f"{matrix},100,100,{100 * a_row},{program},{banks},{on}"
                    lines.append(f"{place},{total},{total / (100 * a_row)},")
    lines.append("a,100,100,200,crs,0,True,,,no such machine")
    spec = {"set": {"banks": [0, 4, 16], "chaining": [True, False]}, "option": {}, "programs": ["crs", "jd"]}
    spec["matrices"] = list(PER_ROW)
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "sweep.json").write_text(json.dumps({"kind": "vecsim sweep", "sweep": spec}))
    return tmp_path


def numbers(item):
    return {(row.row, row.quantity): row.ours for row in item.rows}


def test_means_are_over_matrices_and_all_else(folder):
    cells = read_cells(folder)
    assert (cells.faults, len(cells.rows)) == (1, 32)
    found = numbers(against(cells, "banks"))
    of = [10 * geometric_mean([2, 3]) for _ in PER_ROW]
    assert found["4", "crs"] == pytest.approx(geometric_mean(of))
    assert found["16", "crs"] == pytest.approx(geometric_mean(of) / 2)
    assert found["4", "crs, lower quartile"] == pytest.approx(of[0])
    assert found["0", "crs"] is None
    assert "4, jd" not in found


def test_what_matters_most_comes_first(folder):
    item = what_matters(read_cells(folder))
    assert [row.row for row in item.rows] == ["banks", "banks", "chaining", "chaining"]
    assert [row.ours for row in item.rows] == pytest.approx([2, 2, 1.5, 1.5])


def test_two_things_together(folder):
    (item,) = pairs(read_cells(folder))
    found = numbers(item)
    assert found["crs, banks=16", "chaining=true"] == pytest.approx(10)
    assert found["crs, banks=4", "chaining=false"] == pytest.approx(30)
    assert found["crs, banks=0", "chaining=true"] is None


def test_where_programs_change_places(folder):
    found = numbers(crossings(read_cells(folder)))
    assert found["jd / crs", "exponent of non-zeros a row"] == pytest.approx(1)
    assert found["jd / crs", "share of the variance explained"] == pytest.approx(1)
    assert found["jd / crs", "equal at non-zeros a row"] == pytest.approx(8)


def test_the_report_has_every_picture(folder, tmp_path):
    assert main(["explain", str(folder), "--out", str(tmp_path / "out")]) == 0
    made = {path.name for path in (tmp_path / "out").iterdir()}
    for name in ("sweep-banks", "sweep-chaining", "sweep-what-matters", "sweep-crossings"):
        assert {f"{name}.svg", f"{name}.png", f"{name}.csv"} <= made
    assert "<script" not in (tmp_path / "out" / "report.html").read_text()
    assert [item.name for item in report(folder).items][:2] == ["sweep-banks", "sweep-chaining"]


def test_what_cannot_be_explained(folder, tmp_path):
    (folder / "table.csv").write_text((folder / "table.csv").read_text().splitlines()[0] + "\n")
    with pytest.raises(UserError, match="no cell has a result"):
        report(folder)
    other = tmp_path / "run.json"
    other.write_text(
        '{"kind": "vecsim run", "engine": "jit", "seed": 0, "value_bits": 32, "max_cycles": 9, '
        '"matrices": [], "results": []}'
    )
    with pytest.raises(UserError, match="holds results of vecsim run"):
        report(other)
