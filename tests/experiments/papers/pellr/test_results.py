import json

import pytest
from pellr_cases import results

from experiments.papers.pellr.results import read, to_json
from vecsim.support.errors import UserError


def test_results_come_back_from_their_file(tmp_path):
    path = tmp_path / "results.json"
    path.write_bytes(to_json(results()))
    assert read(path) == results()
    # A line for each matrix and record: a file that can be compared.
    lines = path.read_text().splitlines()
    assert sum(line.startswith("  {") for line in lines) == len(results().matrices) + len(results().records)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "vecsim crosscheck"}, "kind: input should be 'vecsim reproduce pellr'"),
        ({"gpu": {"name": "x"}}, "gpu.multiprocessors: field required"),
        (
            {"records": [{"matrix": "m", "method": "ell", "dtype": "float64", "median_us": "slow"}]},
            "records.0",
        ),
    ],
)
def test_another_file_is_refused_in_one_line(tmp_path, change, message):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(json.loads(to_json(results())) | change))
    with pytest.raises(UserError, match=message) as error:
        read(path)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"{path}: is no file of `vecsim reproduce pellr`: ")


def test_no_file_and_no_json(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        read(tmp_path / "none.json")
    (tmp_path / "some.json").write_text("{")
    with pytest.raises(UserError, match="is no file of"):
        read(tmp_path / "some.json")
