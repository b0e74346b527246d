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
