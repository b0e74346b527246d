"""Archives of results: a folder or a ZIP file in which ``SHA256SUMS`` lists every file with its digest.

The same files give the same ZIP file: names are sorted, and no time is recorded.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from vecsim.results.file_digests import short
from vecsim.results.result_folder import is_below
from vecsim.support.errors import UserError
from vecsim.support.input_files import InputKind, is_regular, open_input, read_input
from vecsim.support.mistakes import Mistakes
from vecsim.support.shown_text import one_line

SUMS = "SHA256SUMS"
CITATION = "CITATION.cff"
"""With the sums, what a folder is known by as an archive."""
MOST_BYTES = 1 << 30
"""Of all files of an archive together."""
MOST_FILES = 10_000

_ZIP = InputKind("an archive of results (ZIP)", MOST_BYTES)
_FILE = InputKind("a file of an archive", MOST_BYTES)
_MAGIC = b"PK\x03\x04"
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a ZIP file can state."""
_SUM = re.compile(r"([0-9a-f]{64}) [ *](\S.*)")


def with_sums(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files with a list of their digests, as ``sha256sum -c`` reads it."""
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return {**files, SUMS: "".join(lines).encode()}


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return files as a ZIP file, the same bytes for the same files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system = 3  # whatever this system is: then the rights below count
            info.external_attr = 0o100644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, files[name])
    return target.getvalue()


def read_archive(path: Path) -> dict[str, bytes] | None:
    """Return the files of an archive by name, each as its list of digests states; None if it is none.

    Raises
    ------
    UserError
        It cannot be read, or a file is missing or another one; naming all such files.
    """
    if path.is_dir():
        if not ((path / SUMS).is_file() and (path / CITATION).is_file()):
            return None
        return _checked(path, read_input(path / SUMS, _FILE), lambda name: _in_folder(path / name))
    if not is_regular(path):
        return None
    with open_input(path, _ZIP) as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            return None
    files = _unzipped(path)
    if SUMS not in files:
        raise UserError(f"{path}: has no {SUMS}; name an archive that vecsim export wrote")
    return _checked(path, files[SUMS], files.get)


def _in_folder(path: Path) -> bytes | None:
    return read_input(path, _FILE) if is_regular(path) else None


def _unzipped(path: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(read_input(path, _ZIP))) as archive:
            entries = [each for each in archive.infolist() if not each.is_dir()]
            if len(entries) > MOST_FILES or sum(each.file_size for each in entries) > MOST_BYTES:
                raise UserError(
                    f"{path}: is too large; at most {MOST_FILES:,} files and {MOST_BYTES >> 30} GiB are read"
                )
            return {each.filename: archive.read(each) for each in entries}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise UserError(f"{path}: is damaged: {one_line(str(error))}; get it again") from None


def _checked(path: Path, sums: bytes, read: Callable[[str], bytes | None]) -> dict[str, bytes]:
    """Return the files that a list names, if all are as it states."""
    result, mistakes = {SUMS: sums}, Mistakes()
    for number, line in enumerate(sums.decode("utf-8", "replace").splitlines(), 1):
        match = _SUM.fullmatch(line)
        if match is None or not is_below(match[2]):
            mistakes.add(f"{path}: {SUMS}, line {number}: is not a digest and a file's name")
            continue
        content = read(match[2])
        if content is None:
            mistakes.add(f"{path}: {match[2]} is missing (digest {short(match[1])})")
            continue
        now = hashlib.sha256(content).hexdigest()
        if now != match[1]:
            mistakes.add(
                f"{path}: {match[2]} is another file now (digest {short(now)}, then {short(match[1])})"
            )
        result[match[2]] = content
    mistakes.raise_all()
    return result
