import json
from dataclasses import replace

import pytest

from docs.tables.gpu_speeds import BEGIN, END, latest, main, render, run_files
from experiments.gpu_bench.records import Record, Run
from vecsim.support.errors import UserError


def record(matrix, class_, library, method, us, **further):
    entries = {
        "matrix": matrix,
        "class_": class_,
        "generated": True,
        "rows": 1000,
        "cols": 1000,
        "nnz": 50_000,
        "dtype": "float64",
        "operation": "spmv",
        "parameters": {},
        "bytes": 600_000,
        "error": 1e-16,
        "setup_us": 2500.0,
        "share_of_bound": 0.8,
    }
    return Record(**(entries | {"library": library, "method": method, "median_us": us} | further))


def results():
    records = []
    for matrix, class_, ratio in (
        ("hexahedra-58", "large_structured", 2.0),
        ("stencil7-150", "large_structured", 0.5),
        ("memplus", "small", 1.5),
    ):
        for stage in ("screen", "final"):
            final = {"stage": stage, "ratio": ratio if stage == "final" else None, "paid_after": 41.6}
            records += [
                record(matrix, class_, "vecsim", "sliced-ell", 10.0, **final),
                record(matrix, class_, "cusparse 12.6.3", "sell_32", 10 * ratio, stage=stage),
            ]
        records += [
            record(matrix, class_, "cusparse 12.6.3", "csr_alg1", 30.0),
            record(matrix, class_, "vecsim", "auto", 11.0, parameters={"format": "crs"}),
        ]
    records.append(record("lost", "small", "vecsim", "", None, status="not_found", reason="no file"))
    header = {
        "device": {"name": "Fake GPU"},
        "date": "2026-11-21T10:00:00",
        "commit": "abcdef",
        "options": {},
    }
    return Run(header | {"copy_gb_per_s": 4000.0}, records, {"measure": 12.3})


@pytest.fixture
def files(tmp_path):
    file, readme = tmp_path / "gpu-fake.json", tmp_path / "README.md"
    file.write_text(json.dumps(results().document()))
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    return file, readme


def test_tables_of_a_small_results_file(files):
    file, readme = files
    assert main([str(file), "--readme", str(readme)]) == 0
    text = readme.read_text()
    assert text.startswith(f"before\n{BEGIN}\n") and text.endswith(f"{END}\nafter\n") and "old" not in text
    assert "### Fake GPU, 2026-11-21" in text
    # The geometric mean of 2 and 0.5 is 1; the mean of the classes' means 1 and 1.5 is 1.25.
    assert "| spmv | large_structured | warm | 2 | 1.00 | 0.50 stencil7-150 |  |  |" in text
    assert "| spmv | mean of the classes | warm |  | 1.25 |  |  |  |" in text
    assert "| hexahedra-58 | float64 | sliced-ell | 3.00 | 2.00 |" in text
    assert "Fake GPU: by the constants of its day (2026-11-21) `auto` takes 1.100 times as long" in text
    # 616,000 bytes in 10 us are 61.6 GB/s, 1.5 % of 4000.
    assert "| memplus | 0.05 | spmv | float64 | sliced-ell 10 | sell_32 15 | 1.50 | 80 | 2 | 1e-16 |" in text
    assert "| 2 | 42 | crs 1.10 |" in text
    assert "Cold" not in text
    assert "- lost: not_found, no file" in text


def test_devices_stand_next_to_each_other():
    actual = results()
    other = replace(
        actual,
        header=actual.header | {"device": {"name": "NVIDIA Other"}, "date": "2026-11-20"},
        records=[record for record in actual.records if record.matrix != "memplus"],
    )
    cold = [replace(record, cache="cold") for record in actual.records if record.stage == "final"]
    text = render([actual, replace(other, records=[*other.records, *cold])])
    both = "1.00 | 0.50 stencil7-150 |  |  | 1.00 | 0.50 stencil7-150 |  |  |"
    assert f"| spmv | large_structured | warm | 2 | {both}" in text
    assert "| spmv | small | warm | 1 | 1.50 | 1.50 memplus |  |  |  |  |  |  |" in text
    assert "| hexahedra-58 | float64 | sliced-ell | 3.00 | 2.00 | sliced-ell | 3.00 | 2.00 |" in text
    assert "| product | class | cache | matrices | Fake GPU float64 | lowest |" in text
    assert "| Other float64 | lowest |" in text
    before, _, after = text.partition("### NVIDIA Other, 2026-11-20")
    assert "Cold; " not in before
    assert "| memplus | 0.05 | spmv | float64 | sliced-ell 10 | sell_32 15 | 1.50 | 80 |\n" in after


def test_the_bound_of_gathers_has_a_column_where_it_was_measured():
    actual = results()
    bounded = [
        replace(each, gather_bound_us=9.0) if each.matrix == "memplus" else each for each in actual.records
    ]
    text = render([replace(actual, records=bounded)])
    assert "| lower bound, % of time | gather bound, % of time | % of copy rate |" in text
    assert "| sell_32 15 | 1.50 | 80 | 90 | 2 |" in text
    assert "| sell_32 20 | 2.00 | 80 |  | 2 |" in text
    assert "gather bound" not in render([actual])


def test_the_last_run_of_each_device_is_taken():
    actual = results()
    older = replace(actual, header=actual.header | {"date": "2026-11-20T23:00:00"})
    other = replace(actual, header=actual.header | {"device": {"name": "A GPU"}})
    assert latest([actual, other, older]) == [other, actual]


def test_results_of_other_kinds_are_passed_over(files, tmp_path):
    (tmp_path / "gpu-check-fake.json").write_text('{"kind": "vecsim gpu check"}')
    assert run_files(tmp_path) == [files[0]]


def test_writing_twice_changes_nothing(files):
    file, readme = files
    main([str(file), "--readme", str(readme)])
    once = readme.read_text()
    main([str(file), "--readme", str(readme)])
    assert readme.read_text() == once


@pytest.mark.parametrize("text", ["", "{}", '{"benchmark": "another"}'])
def test_what_is_no_results_file_is_refused_by_name(files, capsys, text):
    file, readme = files
    file.write_text(text)
    assert main([str(file), "--readme", str(readme)]) == 2
    expected = "is not a file of `vecsim gpu bench`" if text else "is not JSON: line 1, column 1"
    assert f"gpu-fake.json: {expected}" in capsys.readouterr().err
    assert "old" in readme.read_text()


@pytest.mark.parametrize("name", ["device", "date", "commit", "copy_gb_per_s"])
def test_results_without_one_of_the_facts_are_refused(files, capsys, name):
    file, readme = files
    document = json.loads(file.read_text())
    del document[name]
    file.write_text(json.dumps(document))
    assert main([str(file), "--readme", str(readme)]) == 2
    assert "gpu-fake.json: is not a file of `vecsim gpu bench`" in capsys.readouterr().err


def test_a_broken_file_among_the_kept_is_named(tmp_path):
    (tmp_path / "gpu-cut.json").write_text("{")
    with pytest.raises(UserError, match=r"gpu-cut\.json: is not a JSON object"):
        run_files(tmp_path)


def test_a_readme_without_markers_is_left_alone(files, capsys):
    file, readme = files
    readme.write_text("text")
    assert main([str(file), "--readme", str(readme)]) == 2
    assert "has no lines" in capsys.readouterr().err
