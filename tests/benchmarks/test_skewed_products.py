"""The benchmark of skewed matrices: what is compared, and its tables."""

import json

import pytest

from benchmarks import skewed_products
from experiments.gpu_bench.records import OURS


def timed(name, us, library=OURS, right=True):
    return {"library": library, "name": name, "us": us, "right": right}


RECORD = {
    "matrix": "m",
    "class": "skewed",
    "dtype": "float32",
    "gather_bound_us": 60.0,
    "auto": "sell-hubs",
    "methods": [
        timed("csr_alg1", 120.0, "cusparse 12"),
        timed("coo_alg1", 10.0, "cusparse 12", right=False),
        timed("sell-hubs", 80.0),
        timed("sell-segments", 50.0),
        timed("sell-segments-direct", 40.0),
    ],
}


def test_a_table_by_hand(tmp_path, capsys):
    file = tmp_path / "result.json"
    other = {**RECORD, "matrix": "n", "methods": [*RECORD["methods"], timed("crs", 20.0)]}
    file.write_text(json.dumps({"benchmark": "skewed products", "records": [RECORD, other]}))
    assert skewed_products.main(["--tables", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    row = "| m | csr_alg1 120.0 | sell-segments-direct 40.0 | 3.00 | sell-segments 50.0 | 2.40 |"
    assert f"{row} 0.75 (sell-hubs 80.0) | 2.00 (sell-hubs) |" in lines
    # Geometric means of 3 and 6, and of 2.4 and 6.
    assert "| skewed, geometric mean |  |  | 4.24 |  | 3.79 |  |  |" in lines


def test_another_file_is_refused_in_a_line(tmp_path, capsys):
    file = tmp_path / "other.json"
    for text in ("no json", "[]", '{"benchmark": "sums"}', '{"benchmark": "skewed products"}'):
        file.write_text(text)
        assert skewed_products.main(["--tables", str(file)]) == 2
        assert capsys.readouterr().err == f"error: {file}: is no result of benchmarks.skewed_products\n"


@pytest.mark.parametrize("arguments", [[], ["--only", "no matrix"]])
def test_without_a_gpu_or_a_matrix_it_says_so(arguments, capsys):
    assert skewed_products.main(arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")
