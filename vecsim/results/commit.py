"""Which commit of vecsim runs: asked of git in a checkout, written into packages when they are built.

``setup.py`` loads this file by its path, where nothing is installed yet: it needs the standard library alone.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

VARIABLE = "VECSIM_COMMIT"
"""Environment variable that tells the commit of a copy without its history, or of something else."""
UNKNOWN = "unknown"
PACKAGES = ("isa", "vecsim", "programs", "gpu", "experiments")
"""The folders whose files decide what results are; others may be changed."""
BAKED = "_commit"
"""Module of this package that a built one has: the commit that it was built from."""
ARCHIVED = "$Format:%H$"
"""What ``git archive`` replaces by the commit (.gitattributes)."""
SECONDS = 10
"""Longest wait for an answer of git."""
SHOWN = 5
"""Changed files that are named; of more it gives the number."""


@dataclass(frozen=True)
class Commit:
    """A commit, and what differs from it.

    Attributes
    ----------
    number
        40 hexadecimal digits, or what the environment variable says; ``unknown`` if nobody knows.
    changed
        Files of the packages that are not as in the commit, or not in it at all.
    """

    number: str
    changed: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.changed:
            return self.number
        more = f" and {len(self.changed) - SHOWN} more" if len(self.changed) > SHOWN else ""
        named = ", ".join(self.changed[:SHOWN])
        return f"{self.number} with changes that are not committed: {named}{more}"


def commit() -> Commit:
    """Return the commit of the code that runs.

    It is what the environment variable says; otherwise what was written into the package when it was built;
    otherwise what git says of the checkout; otherwise what ``git archive`` wrote into this file; otherwise
    unknown.
    """
    if message := os.environ.get(VARIABLE):
        return Commit(message)
    folder = Path(__file__).resolve().parent
    if (folder / f"{BAKED}.py").exists():
        baked = import_module(f"{__package__}.{BAKED}")
        return Commit(baked.NUMBER, tuple(baked.CHANGED))
    return of_checkout(folder.parents[1]) or Commit(ARCHIVED if ":" not in ARCHIVED else UNKNOWN)


def of_checkout(root: Path) -> Commit | None:
    """Ask git for the commit of a checkout of vecsim; None if the folder is none, or lies in another's."""
    if _git(root, "ls-files", "--error-unmatch", "vecsim/results/commit.py") is None:
        return None
    number = _git(root, "rev-parse", "HEAD")
    status = _git(root, "status", "--porcelain", "--untracked-files=all", "-z", "--", *PACKAGES)
    if number is None or status is None:
        return None
    return Commit(number.strip(), tuple(_files(status)))


def as_module(results: Commit) -> str:
    """Write a commit as the module `BAKED`."""
    return (
        '"""The commit that this package was built from; written by setup.py."""\n\n'
        f"NUMBER = {results.number!r}\nCHANGED = {results.changed!r}\n"
    )


def _files(status: str) -> list[str]:
    """Return the files of ``git status --porcelain -z``: two letters, a blank, a name (two if renamed)."""
    results = []
    entries = iter(status.split("\0"))
    for entry in entries:
        if entry:
            results.append(entry[3:])
            if entry[0] in "RC":
                results.append(next(entries))
    return sorted(results)


def _git(root: Path, *arguments: str) -> str | None:
    # The checkout may be another user's, as in a container: its code runs already, so it is trusted.
    command = ["git", "-c", "safe.directory=*", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout
