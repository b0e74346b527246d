"""The campaign against Spike itself, where it is installed (``python -m tests.riscv``)."""

import json

import pytest

from tests.riscv.__main__ import main
from tests.riscv.kinds import KINDS
from tests.riscv.spike import find_spike


@pytest.mark.nightly
@pytest.mark.parametrize("vlen", [128, 512, 4096])
@pytest.mark.parametrize("kind", KINDS)
def test_random_programs_end_alike(kind, vlen, tmp_path):
    if find_spike() is None:
        pytest.skip("Spike is not found: put it on PATH, or let SPIKE name it")
    report = tmp_path / "report.json"
    arguments = ["--kind", kind, "--vlen", str(vlen), "--seed", "100000", "--count", "100"]
    assert main([*arguments, "--report", str(report)]) == 0
    (counts,) = (
        entry["counts"] for each in json.loads(report.read_text()).values() for entry in _entries(each)
    )
    assert counts["programs"] == 100


def _entries(by_sources):
    return [entry for each in by_sources.values() for entry in each.values()]


def test_without_spike_there_is_one_line(monkeypatch, capsys):
    monkeypatch.setenv("SPIKE", "/no/such/spike")
    with pytest.raises(SystemExit) as caught:
        main(["--count", "1"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.endswith(
        "error: Spike is not found: put it on PATH, or let SPIKE name it\n"
    )
