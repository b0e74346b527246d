"""Every file that a user names as input is opened here: regular files only, of a limited size.

A pipe or a device may have no end, and waiting for one may never end either. So a file is opened without
waiting, what was opened is checked, and no more than the limit of its kind is read, whatever size it claims.
Files that the kernel makes up, as those in /proc, look regular. They are refused: what they say differs by
process, and may be a secret of this one.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from vecsim.support.claimed_files import claim_input
from vecsim.support.errors import UserError

Name = str | os.PathLike[str]

_OPEN = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY", "O_CLOEXEC")
)
_CHUNK = 1 << 24
_UNITS = {"TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10}
_KINDS = {
    stat.S_ISLNK: "a symbolic link",
    stat.S_ISDIR: "a directory",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}
_KERNEL = frozenset({
    "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "efivarfs", "fusectl", "mqueue", "proc",
    "pstore", "resctrl", "securityfs", "selinuxfs", "sysfs", "tracefs",
})  # fmt: skip
"""File systems of Linux whose files the kernel makes up when they are read."""
_MOUNTS = Path("/proc/self/mountinfo")
_ADVICE = {"a pipe": "; write it to a file first", "a symbolic link": "; name the file itself"}


@dataclass(frozen=True)
class InputKind:
    """A kind of input file.

    Attributes
    ----------
    noun
        What messages say is needed, with its article.
    most_bytes
        Bytes that such a file may have.
    variable
        The environment variable that sets another limit; empty if none does.
    links
        Whether its name may be that of a symbolic link.
    kernel
        Whether it may be a file that the kernel makes up.
    """

    noun: str
    most_bytes: int
    variable: str = ""
    links: bool = True
    kernel: bool = False


ASSEMBLY = InputKind("an assembly text", 1 << 26)
SOURCE = InputKind("a source text", 1 << 26)
SUBMISSION = InputKind("a text that is graded", 1 << 16, links=False)
ELF_FILE = InputKind("a RISC-V program (ELF)", 1 << 28)
PROGRAM_FILE = InputKind("a program file", 1 << 30)
PROGRAM = InputKind("a program (assembly text or a program file)", 1 << 30)
INCLUDED = InputKind("a file of bytes to include", 1 << 28)
EXTENSION = InputKind("a Python file with an extension", 1 << 22)
EXERCISE = InputKind("a file of an exercise", 1 << 20)
FORMAT_FILE = InputKind("a Python file with a format", 1 << 22)
EXTENSION_DATA = InputKind("a file that an extension reads", 1 << 40, kernel=True)
MACHINE_FILE = InputKind("a machine file (TOML)", 1 << 18)
SPECIFICATION = InputKind("a specification of a sweep (TOML)", 1 << 18)
RESULTS = InputKind("a file of results (JSON)", 1 << 30)
TABLE = InputKind("a table of results (CSV)", 1 << 30)
SCRIPT = InputKind("a script of the debugger", 1 << 24)
JOURNAL = InputKind("a journal", 1 << 40)
DATABASE = InputKind("a file of kept results (SQLite)", 1 << 40)
DOWNLOAD = InputKind("a downloaded file", 1 << 40)
RECORD = InputKind("a record of a download (JSON)", 1 << 20)


def open_input(path: Name, kind: InputKind, name: str = "") -> BufferedReader:
    """Open a regular file for reading bytes.

    Symbolic links to regular files are followed where the kind allows it. Use `read_input` to read no more
    than the limit of a file that grows meanwhile.

    Parameters
    ----------
    path
        The file.
    kind
        What is needed there.
    name
        What messages call it; by default its path.

    Raises
    ------
    UserError
        There is no such file, it is a directory, a pipe, a socket, a device or made up by the kernel, it is
        too large, or it cannot be read.
    """
    name = name or os.fspath(path)
    claim_input(path)
    try:
        require_regular(path, kind, name)  # before it is opened: opening alone changes some devices
        descriptor = os.open(path, _OPEN if kind.links else _OPEN | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        raise UserError(f"{name}: no such file; check the path") from None
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None
    try:
        _check(os.fstat(descriptor), kind, name)  # only what is open cannot be exchanged any more
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_input(path: Name, kind: InputKind, name: str = "") -> bytes:
    """Return the content of a regular file.

    Parameters
    ----------
    path, kind, name
        As `open_input` takes them.

    Raises
    ------
    UserError
        As `open_input`; also if the file turns out to have more bytes than its kind may have.
    """
    parts, left = [], kind.most_bytes + 1
    with open_input(path, kind, name) as file:
        try:
            while part := file.raw.read(min(left, _CHUNK)):
                parts.append(part)
                left -= len(part)
        except OSError as error:
            raise unreadable(name or os.fspath(path), error) from None
    if not left:
        raise too_large(name or os.fspath(path), kind)
    return b"".join(parts)


def file_sha256(path: Name, kind: InputKind) -> str:
    """Return the SHA-256 of a regular file, 64 hexadecimal digits.

    Raises
    ------
    UserError
        As `open_input`; also if it cannot be read to its end.
    """
    with open_input(path, kind) as file:
        try:
            return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise unreadable(os.fspath(path), error) from None


def read_text(path: Name, kind: InputKind, name: str = "") -> str:
    """Return the text of a regular file in UTF-8, with or without a byte order mark; see `read_input`.

    All line ends become those of Unix.

    Raises
    ------
    UserError
        As `read_input`, and if the content is not UTF-8.
    """
    return decoded(read_input(path, kind, name), name or os.fspath(path))


def read_stdin(kind: InputKind) -> str:
    """Return the text that is given on standard input; see `read_text`.

    Raises
    ------
    UserError
        It is too large or not UTF-8.
    """
    content = sys.stdin.buffer.read(kind.most_bytes + 1)
    if len(content) > kind.most_bytes:
        raise too_large("standard input", kind)
    return decoded(content, "standard input")


def decoded(content: bytes, name: str) -> str:
    """Return the text that bytes are in UTF-8, with or without a byte order mark.

    Raises
    ------
    UserError
        They are not UTF-8.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = content[error.start]
        raise UserError(
            f"{name}: is not text in UTF-8: byte {byte:#04x} at offset {error.start}; save it as UTF-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_regular(path: Name) -> bool:
    """Return whether a path names a regular file; False for names that no file can have."""
    try:
        return Path(path).is_file()
    except OSError:  # too long
        return False


def require_regular(path: Name, kind: InputKind, name: str = "") -> None:
    """Check what another library will open by its name: it is a regular file, or is not there yet.

    Raises
    ------
    UserError
        It is something else, or too large.
    """
    name = name or os.fspath(path)
    try:
        status = Path(path).stat(follow_symlinks=kind.links)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None
    _check(status, kind, name)


def too_large(name: str, kind: InputKind, what: str = "the file") -> UserError:
    """Return the error for a file, or for a part of it, that has more bytes than its kind may have."""
    limit = written_bytes(kind.most_bytes)
    if kind.variable:
        return UserError(
            f"{name}: {what} has more than {limit}; {kind.variable} sets another limit (8G, 500M)"
        )
    return UserError(
        f"{name}: {what} has more than {limit}; use a smaller one: {kind.noun} may have that much"
    )


def unreadable(name: str, error: Exception) -> UserError:
    """Return the error for a file that the system does not let us read."""
    return UserError(
        f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}; check its path and permissions"
    )


def written_bytes(count: int) -> str:
    """Write a number of bytes for a reader."""
    unit = next((unit for unit, size in _UNITS.items() if count >= size), "")
    return f"{count / _UNITS[unit]:.3g} {unit}" if unit else f"{count} bytes"


def _check(status: os.stat_result, kind: InputKind, name: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        result = next((word for test, word in _KINDS.items() if test(status.st_mode)), "no regular file")
        advice = _ADVICE.get(result, "")
        raise UserError(f"{name}: is {result}, {kind.noun} is needed{advice}")
    if not kind.kernel and _is_of_kernel(status):
        raise UserError(f"{name}: is a file of the kernel, {kind.noun} is needed; copy it to a file first")
    if status.st_size > kind.most_bytes:
        raise too_large(name, kind)


def _is_of_kernel(status: os.stat_result) -> bool:
    """Return whether a file is on a file system of the kernel, wherever that is mounted."""
    if not hasattr(os, "major") or os.major(status.st_dev):  # those are on no device
        return False
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    for mount in mounts:
        fields, _, system = mount.partition(" - ")
        number = fields.split(" ", 3)[2]
        if system.partition(" ")[0] in _KERNEL and number == f"0:{os.minor(status.st_dev)}":
            return True
    return False
