"""Which commit runs: in a checkout, a wheel, a source distribution, an archive; given, unknown."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import vecsim.results.commit
from vecsim.results.commit import Commit, commit, of_checkout

ROOT = Path(__file__).parents[2]
GIT = ("git", "-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main")


def git(folder, *arguments):
    return subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def checkout(tmp_path):
    """A repository with what is needed to build a package that knows its commit."""
    folder = tmp_path / "checkout"
    (folder / "vecsim" / "results").mkdir(parents=True)
    package = Path(vecsim.__file__).parent
    for name in ("__init__.py", "results/__init__.py", "results/commit.py"):
        shutil.copy(package / name, folder / "vecsim" / name)
    for name in ("setup.py", "pyproject.toml", ".gitattributes", "README.md", "LICENSE"):
        if not (ROOT / name).exists():
            pytest.skip("the tests run next to no checkout")
        shutil.copy(ROOT / name, folder)
    (folder / ".gitignore").write_text("__pycache__/\n")  # building may import what it builds
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def head(checkout):
    return git(checkout, "rev-parse", "HEAD").strip()


def test_of_a_checkout(checkout, tmp_path):
    assert of_checkout(checkout) == Commit(head(checkout))
    (checkout / "notes.txt").write_text("what is next to the packages decides nothing")
    assert str(of_checkout(checkout)) == head(checkout)
    (checkout / "vecsim" / "new.py").write_text("")
    (checkout / "vecsim" / "__init__.py").write_text("changed = 1\n")
    assert of_checkout(checkout).changed == ("vecsim/__init__.py", "vecsim/new.py")
    message = f"{head(checkout)} with changes that are not committed: vecsim/__init__.py, vecsim/new.py"
    assert str(of_checkout(checkout)) == message
    git(checkout, "mv", "vecsim/results/commit.py", "vecsim/other name.py")
    git(checkout, "checkout", "HEAD", "vecsim/results/commit.py")
    assert "vecsim/other name.py" in of_checkout(checkout).changed
    assert of_checkout(tmp_path) is None


def test_a_copy_in_somebody_elses_repository_is_no_checkout(checkout):
    copy = checkout / "venv" / "site-packages"
    shutil.copytree(checkout / "vecsim", copy / "vecsim")
    assert of_checkout(copy) is None


def test_many_changed_files_are_counted():
    files = tuple(f"vecsim/{number}.py" for number in range(8))
    assert str(Commit("abc", files)).endswith(": " + ", ".join(files[:5]) + " and 3 more")


def commit_in(folder):
    """Return the commit that the package in a folder reports; the folder has no repository."""
    code = "from vecsim.results.commit import commit; print(commit())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": "."},
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()


def unpacked(packed, target):
    """Unpack a tar file; Python 3.11 knows filters from 3.11.4 on."""
    how = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    shutil.unpack_archive(packed, target, **how)


def build(folder, what):
    """Build a wheel or a source distribution as pip does, and unpack it next to the folder."""
    pytest.importorskip("setuptools", minversion="77")
    target = folder.parent / f"{what} of {folder.name}"
    target.mkdir()
    code = f"from setuptools import build_meta; build_meta.build_{what}({str(target)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True)
    (packed,) = target.iterdir()
    if what == "wheel":
        shutil.unpack_archive(packed, target, "zip")
        return target
    unpacked(packed, target)
    return next(path for path in target.iterdir() if path.is_dir())


def test_a_wheel_and_a_source_distribution_know_their_commit(checkout):
    number = head(checkout)
    assert commit_in(build(checkout, "wheel")) == number
    assert not (checkout / "vecsim" / "_commit.py").exists()
    source = build(checkout, "sdist")
    assert commit_in(source) == number
    assert commit_in(build(source, "wheel")) == number


def test_a_wheel_of_changed_files_says_so(checkout):
    (checkout / "vecsim" / "new.py").write_text("")
    expected = f"{head(checkout)} with changes that are not committed: vecsim/new.py"
    assert commit_in(build(checkout, "wheel")) == expected


def test_an_archive_knows_its_commit(checkout, tmp_path):
    git(checkout, "archive", "--output", str(tmp_path / "archive.tar"), "HEAD")
    unpacked(tmp_path / "archive.tar", tmp_path / "archive")
    assert commit_in(tmp_path / "archive") == head(checkout)


def test_a_bare_copy_does_not_know_and_the_variable_tells(checkout, tmp_path, monkeypatch):
    shutil.copytree(checkout / "vecsim", tmp_path / "copy" / "vecsim")
    assert commit_in(tmp_path / "copy") == "unknown"
    monkeypatch.setenv("VECSIM_COMMIT", "abcdef")
    assert commit() == Commit("abcdef")
