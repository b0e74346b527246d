"""Whose a file of code is: the user's own, a library's, Python's or vecsim's."""

from __future__ import annotations

import gc
import os
import sysconfig
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

from vecsim.support.project_packages import PACKAGES, ROOT

_LIBRARY_FOLDERS = {"site-packages", "dist-packages"}
_STANDARD = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
_OWN = tuple(f"{ROOT / name}{os.sep}" for name in ("vecsim", *PACKAGES))
_RUNNER = str(Path(__file__).with_name("user_file.py"))
"""What runs files; what it does itself does not count."""


def absolute(path: str | bytes | os.PathLike[Any]) -> str:
    """Return a path from the root on, links as they are."""
    return str(Path(os.fsdecode(path)).absolute())


def is_users(path: str) -> bool:
    """Return whether a file is the user's own, of no library, not Python's and not vecsim's."""
    return not path.startswith("<frozen ") and _is_users(absolute(path) if path[:1] != os.sep else path)


@lru_cache(maxsize=16384)
def _is_users(path: str) -> bool:
    return not (path.startswith((*_STANDARD, *_OWN)) or _LIBRARY_FOLDERS & set(Path(path).parts))


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a frame is one of Python's own imports."""
    return frame is not None and frame.f_code.co_filename.startswith("<frozen importlib")


def by_user(frame: FrameType | None) -> bool:
    """Return whether the innermost module that runs is the user's own: others' imports do not count."""
    while frame is not None and frame.f_code.co_name != "<module>":
        if frame.f_code.co_filename == _RUNNER:
            return False
        frame = frame.f_back
    return frame is not None and is_users(frame.f_code.co_filename)


def asked_by_user(frame: FrameType | None) -> bool:
    """Return whether the user's own code asks, or a library's function for it, and not vecsim.

    What is called as memory is collected, which happens anywhere, nobody asks.
    """
    collecting = {getattr(each, "__code__", None) for each in gc.callbacks}
    while frame is not None:
        if frame.f_code in collecting:
            return False
        file = frame.f_code.co_filename
        if file.startswith(_OWN):
            return False
        if is_users(file):
            return True
        if frame.f_code.co_name == "<module>":
            return False
        frame = frame.f_back
    return False
