"""What a process that grades a text may use; set before it looks at the text.

The text is data for an assembler that opens no file, so these limits are a second line. Where the system has
no such limits (Windows) only the parent's clock holds.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from vecsim.support.project_packages import ROOT

CPU_SECONDS = 20
WALL_SECONDS = 60
MEMORY = 1 << 30
"""Bytes beyond what the process uses when it is confined."""
FILES = 64
"""Open files: modules may still be imported."""
REFUSED = (
    "ctypes.dlopen", "os.chmod", "os.chown", "os.exec", "os.fork", "os.forkpty", "os.kill", "os.link",
    "os.mkdir", "os.posix_spawn", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.system",
    "os.truncate", "shutil.", "socket.", "subprocess.Popen",
)  # fmt: skip
"""Beginnings of the names of audit events."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine() -> None:
    """Limit this process for the rest of its life, and move it to an empty folder that is gone."""
    places = {*sys.path, sys.prefix, sys.base_prefix, str(ROOT)}
    roots = tuple(os.path.realpath(each) for each in places if each)
    # Where no folder can be made, the folder stays: no path of a text is opened in any case.
    with suppress(OSError):
        folder = tempfile.mkdtemp(prefix="vecsim-grade-")
        os.chdir(folder)
        Path(folder).rmdir()
    sys.dont_write_bytecode = True
    _limit_resources()

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not isinstance(path, int) and not may_open(os.fsdecode(path), flags, roots):
                raise PermissionError(f"a text opens no file: {path!r}")
        elif event.startswith(REFUSED):
            raise PermissionError(f"a text does not do this: {event}")

    sys.addaudithook(refuse)


def may_open(path: str, flags: int, roots: tuple[str, ...]) -> bool:
    """Return whether a file is one of Python's own, and is only read."""
    if flags & WRITING or not Path(path).is_absolute():
        return False
    real = os.path.realpath(path)
    return any(os.path.commonpath((real, root)) == root for root in roots)


def _limit_resources() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime) + 1 + CPU_SECONDS
    # The kernel says that a limit of time is reached a second before it ends the process.
    limits = {"CORE": (0, 0), "CPU": (seconds, seconds + 1), "FSIZE": (0, 0), "NPROC": (0, 0)}
    limits["NOFILE"] = (FILES, FILES)
    pages = _pages()
    if pages is not None:
        room = pages * resource.getpagesize() + MEMORY
        limits["AS"] = (room, room)
    for name, wanted in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is not None:
            most = resource.getrlimit(kind)[1]
            low, high = wanted
            if most != resource.RLIM_INFINITY:
                low, high = min(low, most), min(high, most)
            resource.setrlimit(kind, (low, high))


def _pages() -> int | None:
    """Return the pages of this process's address space; None where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return None
