"""One way in: a path or the name of a built-in becomes a matrix."""

import difflib
import os
from pathlib import Path

from isa.errors import UserError

from .builtin import BUILTINS, find_builtin, load_builtin
from .harwell_boeing import SUFFIXES as HARWELL_BOEING_SUFFIXES
from .harwell_boeing import parse_harwell_boeing
from .matrix import Matrix
from .matrix_market import BANNER, parse_matrix_market
from .source_bytes import read_bytes

HOW_TO_LIST = "`vecsim list matrices` lists all built-in ones"


def read(path: str | os.PathLike[str]) -> Matrix:
    """Read a matrix file.

    Matrix Market is known by its banner, Harwell-Boeing and Rutherford-Boeing by the suffix (.rua, .rsa,
    .pua, .psa, .rb, .hb, ...); either may be gzipped.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        In one line that names the file and, where known, the line: missing, a directory, unreadable,
        empty, damaged, of another kind, malformed, cut off, an index out of range, not a finite number.
    """
    path = Path(path)
    data = read_bytes(path)
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    name = path.name.removesuffix(".gz")
    name = name[: len(name) - len(suffix)] or path.name
    if suffix in HARWELL_BOEING_SUFFIXES and not data.startswith(BANNER):
        return parse_harwell_boeing(name, str(path), data)
    return parse_matrix_market(name, str(path), data)


def load(source: str | os.PathLike[str]) -> Matrix:
    """Read a file or generate a built-in, whichever `source` names.

    Parameters
    ----------
    source
        The path of an existing file, else the name of a built-in matrix (see `BUILTINS`).

    Raises
    ------
    UserError
        If it is neither, naming the nearest built-ins, or as `read` and `load_builtin` do.
    """
    text = os.fspath(source)
    if _exists(text):
        return read(text)
    if find_builtin(text) is not None:
        return load_builtin(text)
    if isinstance(source, os.PathLike) or os.sep in text or Path(text).suffix:
        raise UserError(f"{text}: no such file")
    raise UserError(f"unknown matrix '{text}': {_nearest(text)}{HOW_TO_LIST}")


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        # A name too long or with a NUL in it, or below a folder that may not be searched.
        return False


def _nearest(name: str) -> str:
    by_folded = {known.lower(): known for known in BUILTINS}
    near = difflib.get_close_matches(name.lower(), by_folded, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(by_folded[known] for known in near)}? " if near else ""
