"""Folders of results: sets of files with plain names, written whole, next to whatever else is there.

A set is written into a folder below, ``.vecsim-NAME.partial``. Then the manifest is replaced. It lists every
file that vecsim wrote here with its digest, and replacing it is the moment at which the new set counts. Then
each file of the set is renamed to its plain name. If the process ends before that is done, the next writer
goes on, and until then `read_set` takes the files that still lie below. Nothing else in the folder is
touched.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

from filelock import FileLock, Timeout
from pydantic import BaseModel, StringConstraints, ValidationError

from vecsim.results.atomic_files import PARTIAL
from vecsim.support.errors import UserError
from vecsim.support.input_files import InputKind, read_input

MANIFEST = ".vecsim-files.json"
LOCK = ".vecsim.lock"
LOCK_SECONDS, POLL_SECONDS = 60, 0.005
"""How long a writer waits for another one, and how often it looks."""
LOOKS, LOOK_SECONDS = 5, 0.005
"""How often a reader looks again where files and manifest do not agree: a writer may be between the two."""

_STAGED = ".vecsim-"
_IS_STAGED = re.compile(rf"{re.escape(_STAGED)}\w+{re.escape(PARTIAL)}")
_KIND = InputKind("a manifest (JSON)", 1 << 24)


class _Manifest(BaseModel, extra="forbid", frozen=True):
    """What vecsim wrote into a folder: digests by name, and the folder from which the last set comes."""

    staged: Annotated[str, StringConstraints(pattern=rf"^{_IS_STAGED.pattern}$")]
    files: dict[str, Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]]


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Put a set of files into a folder, all of them or none; several processes do so in turn.

    Parameters
    ----------
    path
        The folder; it and those above it are made where they are missing. All other files in it stay.
    files
        Contents by name; a name may be a path below the folder.

    Raises
    ------
    UserError
        The folder cannot be written; what was there before is as it was.
    """
    path = Path(os.path.realpath(path))
    try:
        path.mkdir(parents=True, exist_ok=True)
        with _locked(path):
            _finish(path)
            _require_room(path, files)
            staged = Path(tempfile.mkdtemp(prefix=_STAGED, suffix=PARTIAL, dir=path))
            alive = _lock(staged, 0)
            alive.acquire()
        try:
            for name, content in files.items():
                _write(staged / name, content)
            _sync_folder(staged)
            with _locked(path):
                _finish(path)
                _commit(path, staged, files)
                _put_in_place(path, staged, files)
        finally:
            manifest = _known(path)
            if manifest is None or manifest.staged != staged.name:
                shutil.rmtree(staged, ignore_errors=True)
            alive.release()
    except OSError as error:
        raise UserError(
            f"{error.filename or path}: cannot be written: {error.strerror or error}; choose another place"
        ) from None


def read_set(path: Path, kinds: Mapping[str, InputKind]) -> dict[str, bytes]:
    """Return the contents of files that belong together, by name, as one call of `write_folder` left them.

    A file that the manifest of the folder does not list, or that somebody else has changed since, is taken as
    it is.

    Parameters
    ----------
    path
        The folder.
    kinds
        What is needed, by name.

    Raises
    ------
    UserError
        A file cannot be read.
    """
    result: dict[str, bytes] = {}
    for _ in range(LOOKS):
        manifest = _known(path)
        listed = manifest.files.keys() & kinds.keys() if manifest else set()
        contents = {name: _written(path, name, kinds[name], manifest) for name in listed}
        result = {name: content for name, content in contents.items() if content is not None}
        if result.keys() == listed and (listed == kinds.keys() or _known(path) == manifest):
            break
        time.sleep(LOOK_SECONDS)
    return result | {name: read_input(path / name, kinds[name]) for name in kinds.keys() - result.keys()}


def _written(path: Path, name: str, kind: InputKind, manifest: _Manifest | None) -> bytes | None:
    """Return the file that the manifest means, from its place or from where its set was written, or None."""
    assert manifest is not None
    for place in (path / name, path / manifest.staged / name):
        try:
            content = read_input(place, kind)
        except UserError:
            continue  # a writer may just have renamed it
        if _digest(content) == manifest.files[name]:
            return content
    return None


def is_below(name: str) -> bool:
    """Return whether a name is that of a file in a folder or below it, with ``/`` between folders."""
    first = name.partition("/")[0]
    return name == posixpath.normpath(name) and first not in ("", ".", "..") and "\\" not in name


def _lock(path: Path, seconds: float) -> FileLock:
    # The lock file gets the rights of the folder: whoever may write here may wait for others who do.
    mode = path.stat().st_mode & 0o666
    return FileLock(path / LOCK, timeout=seconds, mode=mode, poll_interval=POLL_SECONDS)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = _lock(path, LOCK_SECONDS)
    try:
        lock.acquire()
    except Timeout:
        raise UserError(
            f"{path}: another process has been writing it for {LOCK_SECONDS} s; wait, or "
            "choose another folder"
        ) from None
    try:
        yield
    finally:
        lock.release()


def _finish(path: Path) -> None:
    """Put the files of the last set into their places, if its writer did not come to that; drop leftovers."""
    manifest = _known(path)
    for left in [each for each in path.iterdir() if _IS_STAGED.fullmatch(each.name)]:
        if left.is_symlink() or not left.is_dir():
            continue
        if manifest is not None and left.name == manifest.staged:
            retained = [name for name, digest in manifest.files.items() if _is(left / name, digest)]
            _put_in_place(path, left, retained)
            continue
        with suppress(Timeout, FileNotFoundError), _lock(left, 0):  # otherwise its writer is at work
            shutil.rmtree(left, ignore_errors=True)


def _require_room(path: Path, names: Iterable[str]) -> None:
    """Refuse names that something other than a file has."""
    for name in names:
        if not is_below(name) or not name.isprintable():
            raise UserError(f"{path}: cannot be written: {name!r} is not a file name; use one")
        for folder in list(Path(name).parents)[:-1]:
            place = path / folder
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                raise UserError(f"{place}: is not a directory; remove it or choose another folder")
        if (path / name).is_dir() and not (path / name).is_symlink():
            raise UserError(f"{path / name}: is a directory; remove it or choose another folder")


def _commit(path: Path, staged: Path, files: Mapping[str, bytes]) -> None:
    """Let the manifest name a set that is written: from now on it counts."""
    before = _known(path)
    digests = {name: each for name, each in before.files.items() if (path / name).exists()} if before else {}
    digests |= {name: _digest(content) for name, content in files.items()}
    manifest = _Manifest(staged=staged.name, files=dict(sorted(digests.items())))
    _write(staged / MANIFEST, (manifest.model_dump_json(indent=1) + "\n").encode())
    (staged / MANIFEST).replace(path / MANIFEST)
    _sync_folder(path)


def _put_in_place(path: Path, staged: Path, names: Iterable[str]) -> None:
    for name in names:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (staged / name).replace(path / name)
    shutil.rmtree(staged)
    _sync_folder(path)


def _known(path: Path) -> _Manifest | None:
    """Return the manifest of a folder; None if it has none, or a damaged one."""
    try:
        return _Manifest.model_validate_json(read_input(path / MANIFEST, _KIND))
    except (UserError, ValidationError):
        return None


def _is(file: Path, digest: str) -> bool:
    return file.is_file() and _digest(file.read_bytes()) == digest


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())


def _sync_folder(path: Path) -> None:
    """Let the names of a folder be on the disk, where the system can do so."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
