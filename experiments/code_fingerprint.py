"""A fingerprint of the code that results depend on: results of other code are not taken for them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType


def fingerprint_of(code: Mapping[ModuleType, Sequence[str]]) -> str:
    """Give a hash of source files, 64 hexadecimal digits.

    Parameters
    ----------
    code
        Patterns of files, below the folder of each package.
    """
    digest = hashlib.sha256()
    for package, patterns in code.items():
        folder = Path(str(package.__file__)).parent
        for path in sorted({path for pattern in patterns for path in folder.glob(pattern)}):
            digest.update(path.relative_to(folder.parent).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
