"""The peak of this process's resident memory, set back at will; only Linux tells it."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import re
from pathlib import Path


def restart_peak() -> int | None:
    """Let the peak begin again at what is resident now, and give that in bytes; None where it cannot.

    What Python and the C library keep for later use goes back to the system first: a run that took its
    memory from there would not be seen.
    """
    gc.collect()
    # Under another C library the growth may come out too small.
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return peak()


def peak() -> int | None:
    """Bytes that were resident at most since :func:`restart_peak`; None where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    found = re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)
    return int(found[1]) * 1024 if found else None
