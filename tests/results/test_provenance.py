"""What made a result."""

import re
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vecsim import __version__
from vecsim.results.commit import Commit
from vecsim.results.provenance import LIBRARIES, of_command, provenance, versions

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_versions_of_what_results_depend_on():
    actual = versions()
    assert list(actual)[:2] == ["vecsim", "python"]
    assert actual["vecsim"] == __version__
    assert actual["python"] == sys.version.split()[0]
    assert re.match(r"\d+\.\d+", actual["numpy"])
    assert set(actual) <= {"vecsim", "python", *LIBRARIES}


def test_the_libraries_are_those_that_vecsim_needs():
    if not PYPROJECT.exists():
        pytest.skip("the tests run next to no checkout")
    project = tomllib.loads(PYPROJECT.read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["gpu"]]
    names = {re.match(r"[\w-]+", text)[0] for text in needed}
    assert set(LIBRARIES) - {"llvmlite"} <= names  # Numba's compiler: the code is as its version makes it


def test_within_a_command_it_is_found_out_once(monkeypatch):
    monkeypatch.setattr("vecsim.results.provenance.commit", lambda: Commit("first"))
    with of_command(["vecsim", "run", "a b.mtx"]):
        built = provenance()
        monkeypatch.setattr("vecsim.results.provenance.commit", lambda: Commit("second"))
        assert provenance() is built
    assert built.command == ("vecsim", "run", "a b.mtx")
    assert built.to_dict()["commit"] == "first"
    outside = provenance()
    assert (outside.command, str(outside.commit)) == (tuple(sys.argv), "second")


def test_the_date_is_of_now_in_utc():
    before = datetime.now(UTC).replace(microsecond=0)
    built = datetime.fromisoformat(provenance().date)
    assert before <= built <= datetime.now(UTC)
    assert built.utcoffset().total_seconds() == 0
