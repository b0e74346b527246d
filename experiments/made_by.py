"""What made recorded tables, as rows of them, and a digest that tells whether timing has changed since."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.code_fingerprint import code_fingerprint
from vecsim.results.provenance import provenance
from vecsim.support.errors import UserError

SAMPLE = "SHA-256 of the cycles of a sample of machines"
"""The row that differs where timing rules, programs or machines have changed, and with no other code."""


def made_by() -> dict[str, str]:
    """Return the date, the command and the code that make tables now, by what a table calls them."""
    built = provenance()
    return {
        "made": f"{built.begun:%Y-%m-%d %H:%M} UTC",
        "command": shlex.join(built.command),
        "vecsim": built.versions["vecsim"],
        "commit": str(built.commit),
        "code that decides cycles": code_fingerprint()[:16],
    }


def make_folder(folder: Path) -> None:
    """Make the folder for tables, before the minutes that they take.

    Raises
    ------
    UserError
        It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}; choose another place") from None


def digest_of(cycles: npt.NDArray[np.int64]) -> str:
    """Return what :data:`SAMPLE` names, of cycles in any shape."""
    return hashlib.sha256(cycles.astype("<i8").tobytes()).hexdigest()[:16]
