"""The Python that the page runs: vecsim without what needs a file system or a processor, and its packages."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from vecsim.support.project_packages import ROOT

PARTS = ("isa", "vecsim", "programs", "experiments/course")
"""Folders whose files go along."""
LEFT_OUT = (
    "experiments/course/batch",
    "programs/course",
    "programs/measurement.py",
    "programs/rvv",
    "programs/transposition",
    "vecsim/cli",
    "vecsim/data",
    "vecsim/playground/page",
    "vecsim/viewer",
)
"""Of them what the page does not use, or must not have."""
ALONE = ("experiments/__init__.py",)
ENDINGS = (".py", ".s", ".toml", ".lark", ".txt")
WHEN = (2026, 1, 1, 0, 0, 0)
"""The time of files in the archive, the same each time."""


def project_files() -> Iterator[tuple[str, bytes]]:
    """Yield the files of this project, by their paths in the archive."""
    paths = [path for part in PARTS for path in sorted((ROOT / part).rglob("*")) if path.suffix in ENDINGS]
    for path in [*paths, *(ROOT / name for name in ALONE)]:
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(LEFT_OUT) and "__pycache__" not in name:
            yield name, path.read_bytes()


def files_of(wheels: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of wheels."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(archive.namelist()):
                if not name.endswith("/"):
                    yield name, archive.read(name)


def write_archive(target: Path, wheels: Iterable[Path]) -> None:
    """Write the archive of everything that Pyodide unpacks."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in (*project_files(), *files_of(wheels)):
            information = zipfile.ZipInfo(name, WHEN)
            information.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(information, content)
