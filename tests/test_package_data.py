"""What a package reads at run time is installed with it: its files match the patterns of pyproject.toml."""

import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
PATTERNS = SETTINGS["package-data"]["*"]
PACKAGES = [pattern.removesuffix("*") for pattern in SETTINGS["packages"]["find"]["include"]]


def is_installed(name, patterns=PATTERNS):
    """Return whether a pattern takes a file; it is relative to a package, and every folder is one."""
    path = PurePosixPath(name)
    return any(
        len(PurePosixPath(pattern).parts) <= len(path.parts) - 1
        and all(map(fnmatch, path.parts[::-1], PurePosixPath(pattern).parts[::-1]))
        for pattern in patterns
    )


def data_files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = filter(None, listed.stdout.split("\0"))
    return [name for name in names if not name.endswith(".py") and (ROOT / name).is_file()]


def test_every_data_file_of_a_package_is_installed():
    files = data_files()
    assert len(files) > 20
    assert [name for name in files if not is_installed(name)] == []


def test_what_reports_and_the_gpu_benchmark_read_is_among_them():
    recorded = {name.partition("/recorded/")[0] for name in data_files() if "/recorded/" in name}
    folders = (
        "crosscheck",
        "rvv",
        "validation",
        "whatif",
        *(f"papers/{name}" for name in ("hbp", "hism", "hisparse", "layouts", "pellr")),
    )
    assert recorded == {*(f"experiments/{name}" for name in folders), "gpu/compound/tuning"}
    assert "experiments/gpu_bench/suite.toml" in data_files()


@pytest.mark.parametrize(
    ("name", "installed"),
    [
        ("experiments/new/recorded/a.json", True),
        ("experiments/new/a.json", False),
        ("experiments/new/a.parquet", False),
        ("experiments/new/table.csv", True),
    ],
)
def test_a_file_that_no_pattern_takes_is_noticed(name, installed):
    assert is_installed(name) is installed
