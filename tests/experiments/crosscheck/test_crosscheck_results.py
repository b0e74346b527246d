import json
import math

import pytest
from crosscheck_cases import written

from experiments.crosscheck.results import read_results
from vecsim.machine import load_machine
from vecsim.support.errors import UserError
from vecsim.support.shown_text import to_json


def test_what_is_written_is_read(results, tmp_path):
    actual = read_results(written(results, tmp_path / "r.json"))
    assert to_json(actual.document()) == to_json(results.document())
    assert actual.matrices == results.matrices
    assert (actual.device, actual.missing, actual.commit) == (results.device, results.missing, "abc")


def test_what_was_no_number_is_none_again(results, tmp_path):
    document = json.loads(to_json(results.document()))
    document["matrices"][0]["checks"][0]["apart"]["SciPy - GPU"] = None
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document))
    actual = read_results(path)
    assert math.isnan(actual.matrices[0].check.checks[0].furthest)
    assert actual.disagreements == ["gre_185: crs: SciPy and GPU differ by nan, rounding allows 1.0e-06"]


def test_cycles_of_another_machine(results):
    machine = load_machine("wide")
    cycles = {"memplus": {"crs": 7, "jd": 6, "bbcs": 5, "hism": 4, "chism": 3}}
    actual = results.with_cycles(cycles, machine)
    assert [each.name for each in actual.matrices] == ["memplus"]
    assert [check.cycles for check in actual.matrices[0].check.checks] == [7, 6, 5, 4, 3]
    assert actual.machine.label == "wide"
    assert [check.gpu_us for check in actual.matrices[0].check.checks] == [4.0, 2.0, 6.0, 5.0, 5.0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        ("{", "is not JSON"),
        ("[]", "is not a file of results; name one that `vecsim crosscheck --json` wrote"),
        ('{"kind": "something else"}', "is not a file of results"),
        (
            '{"kind": "vecsim crosscheck"}',
            "is not a complete file of results; write it again: 'matrices' is missing",
        ),
    ],
)
def test_what_is_no_results_is_refused(tmp_path, content, message):
    path = tmp_path / "r.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UserError, match=message):
        read_results(path)
