"""The benchmark of sums on a GPU: its tables from records, and the second operand."""

import json
from pathlib import Path

import numpy as np
import scipy.sparse

from benchmarks import sums

HERE = Path(sums.__file__).parent


def test_the_tables_of_the_readme_are_those_of_the_records():
    document = json.loads(next((HERE / "results").glob("sums-*.json")).read_text(encoding="utf-8"))
    assert all(each["right"] and each["same_bits"] for each in document["records"])
    assert sums.tables(document) in (HERE / "README.md").read_text(encoding="utf-8")


def test_a_table_by_hand(tmp_path, capsys):
    record = {
        "matrix": "m",
        "dtype": "float64",
        "way": "A + B^T",
        "entries": [2_000_000, 1_000_000, 2_500_000],
    }
    ours = {"us": 100.0, "conversion_us": 40.0, "symbolic_us": 20.0, "numeric_us": 40.0, "bound_us": 50.0}
    rival = {"cusparse_symbolic_us": 150.0, "cusparse_numeric_us": 50.0, "cusparse_conversion_us": 100.0}
    same = [{**record, **ours, **rival, "dtype": dtype, "way": way}
            for dtype in sums.DTYPES for way in (sums.PLAIN, sums.TRANSPOSED)]  # fmt: skip
    file = tmp_path / "records.json"
    file.write_text(json.dumps({"records": same}), encoding="utf-8")
    assert sums.main(["--tables", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "| m | 2.0, 1.0, 2.5 | 40 | 20 | 40 | 100 | 0.500 | 200, 100 | 2.00 | 3.00 |" in lines
    assert sums.main(["--tables", str(tmp_path / "none.json")]) == 2


def test_the_second_operand_is_the_first_with_entries_moved():
    matrix = scipy.sparse.eye_array(4000, format="csr") * 3.0
    other = sums.moved(matrix)
    row, column = other.tocoo().coords
    assert other.shape == matrix.shape and 3900 < other.nnz <= 4000
    # The difference of two deviates of sigma 10.
    assert 13 < np.std(row - column) < 15.5
    assert abs(other.data).max() < 2
