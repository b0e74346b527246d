"""The files that a result depends on, by their digests: recorded in results, compared and checked again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from vecsim.results.digests import SHOWN_DIGITS
from vecsim.support.errors import UserError
from vecsim.support.input_files import DOWNLOAD, InputKind, file_sha256
from vecsim.support.project_packages import input_path


@dataclass(frozen=True)
class InputFile:
    """A file that a result depends on.

    Attributes
    ----------
    what
        What it is read as, such as ``machine`` or ``program crs:my.s``.
    file
        Its absolute path.
    sha256
        Digest of its bytes.
    """

    what: str
    file: str
    sha256: str

    def to_dict(self) -> dict[str, str]:
        """Return it as plain data."""
        return asdict(self)


def input_files(what: str, paths: Iterable[Path]) -> tuple[InputFile, ...]:
    """Return files with their digests. Those that cannot be read are left out: who needs them says so."""
    matches = []
    for path in paths:
        digest = sha256_or_empty(path)
        if digest:
            matches.append(InputFile(what, str(path.absolute()), digest))
    return tuple(matches)


def recorded_files(what: str, folder: Path, digests: Mapping[str, str]) -> tuple[InputFile, ...]:
    """Return files that were recorded as they were read.

    Parameters
    ----------
    what
        What they are read as.
    folder
        That of the program's text.
    digests
        Of each, by its path from there, as `isa.program.Program.inputs` has them.
    """
    base = folder.absolute()
    return tuple(InputFile(what, str(input_path(base, name)), digest) for name, digest in digests.items())


def sha256_or_empty(path: Path, kind: InputKind = DOWNLOAD) -> str:
    """Return the digest of a file's bytes; empty if it cannot be read or is no regular file."""
    try:
        return file_sha256(path, kind)
    except UserError:
        return ""


def changed(files: Iterable[InputFile]) -> tuple[str, ...]:
    """Return a line for each file that has changed: path, digest now and then."""
    matches = []
    for each in files:
        now = sha256_or_empty(Path(each.file))
        if now != each.sha256:
            is_now = f"is another file now (digest {short(now)}" if now else "cannot be read now (digest -"
            matches.append(f"{each.what}: {each.file} {is_now}, then {short(each.sha256)})")
    return tuple(matches)


def short(sha256: str) -> str:
    """Return the digits of a digest that messages show."""
    return sha256[:SHOWN_DIGITS]
