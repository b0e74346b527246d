"""What made a report: versions, commit, host; so that its numbers can be had again."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
import subprocess
from pathlib import Path

from experiments.report.item import Appendix, Table

SECONDS = 10
"""Longest wait for an answer of git."""
ROOT = Path(__file__).resolve().parents[2]
COMMIT = "VECSIM_COMMIT"
"""Environment variable that tells the commit where there is no clone to ask, or one of something else."""


def made_by() -> Appendix:
    """Give versions, commit, date and host as a part of a report."""
    rows = [
        ("made", now()),
        ("commit", commit() or "unknown: not run from a clone of the repository"),
        ("host", f"{platform.system()} {platform.machine()}, {processors()} processors"),
        ("Python", platform.python_version()),
        *versions(),
    ]
    return Appendix("", "What made this report", table=Table(("what", "which"), tuple(rows)))


def now() -> str:
    """Give date and time, as reports show them."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


def versions() -> list[tuple[str, str]]:
    """Give vecsim's version and those of the libraries that it needs, by name."""
    needed = (text for text in importlib.metadata.requires("vecsim") or () if "extra ==" not in text)
    matches = (re.match(r"[\w.-]+", text) for text in needed)
    names = ["vecsim", *(match[0] for match in matches if match)]
    found = []
    for name in names:
        try:
            found.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            found.append((name, "not installed"))
    return found


def commit() -> str | None:
    """Give the commit of the clone that runs, with a word if files were changed; None outside a clone.

    The variable `COMMIT` goes before.
    """
    if told := os.environ.get(COMMIT):
        return told
    here = Path(__file__).resolve()
    if _git("ls-files", "--error-unmatch", str(here)) is None:
        return None  # installed, perhaps into a folder that lies in somebody else's repository
    number = _git("rev-parse", "HEAD")
    if number is None:
        return None
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return number + (" with changes that are not committed" if changed else "")


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, timeout=SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def processors() -> int:
    """Give the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
