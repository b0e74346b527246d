"""The tree can be read: no folder holds more modules side by side than a reader takes in."""

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("isa", "vecsim", "programs", "gpu", "experiments", "benchmarks", "docs")
MOST = 25


def test_no_folder_has_more_modules_than_a_reader_takes_in():
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in modules)
    assert {folder: count for folder, count in counts.items() if count > MOST} == {}


def test_no_two_test_modules_share_a_name():
    # pytest imports each as a top-level module, and refuses the second of a name.
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
