import re
import shutil
import subprocess
import sys
from pathlib import Path

import experiments.report.environment as environment


def test_versions_of_vecsim_and_all_that_it_needs():
    found = dict(environment.versions())
    assert {"vecsim", "numpy", "scipy"} <= set(found)
    assert re.match(r"\d+\.\d+", found["numpy"])
    assert "pytest" not in found


def test_the_commit_of_a_clone(tmp_path, monkeypatch):
    monkeypatch.delenv("VECSIM_COMMIT", raising=False)
    # In a repository of its own, for the test may run from an installed package.
    file = tmp_path / "experiments" / "report" / "environment.py"
    file.parent.mkdir(parents=True)
    shutil.copy(Path(str(environment.__file__)), file)
    monkeypatch.setattr(environment, "__file__", str(file))
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    assert environment.commit() is None  # it lies in a repository, but not in its commits
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "first"], check=True)
    clean = environment.commit()
    assert re.fullmatch(r"[0-9a-f]{40}", str(clean))
    file.write_text("")
    assert environment.commit() == f"{clean} with changes that are not committed"
    monkeypatch.setenv("VECSIM_COMMIT", "abcdef")
    assert environment.commit() == "abcdef"


def test_what_made_a_report():
    appendix = environment.made_by()
    assert appendix.table is not None
    facts = dict(appendix.table.rows)
    assert facts["Python"] == sys.version.split()[0]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", facts["made"])
    assert facts["commit"]
