"""Imports of a user's Python file: modules of the user's own are made from their sources, and recorded.

Python keeps what it compiled, and looks at the second and the size of a file alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Protocol
from zipimport import zipimporter

from vecsim.machine.user_origins import absolute, by_user, is_importing, is_users


class Recorder(Protocol):
    """The receiver of notes on modules that are imported."""

    def note(self, kind: str, name: str) -> None:
        """Record a name."""

    def note_source(self, path: str, content: bytes) -> None:
        """Record the source of a module."""

    def note_imports(self, content: bytes, folder: Path) -> None:
        """Record what a source imports."""


class UsersFinder(MetaPathFinder):
    """Finds the user's own modules, so that they are made from their sources."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a user's own module, which is recorded; None for others."""
        others = (finder for finder in sys.meta_path if not isinstance(finder, UsersFinder))
        result = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if result is None or result.origin is None:
            frame: FrameType | None = sys._getframe(1)
            while frame is not None and is_importing(frame):
                frame = frame.f_back
            if path is None and by_user(frame):
                self._recorder.note("module", name)
        elif is_users_spec(result):
            if path is None:
                self._recorder.note("module", name)
            self._record(name, result, result.origin)
            return result
        return None

    def _record(self, name: str, result: ModuleSpec, origin: str) -> None:
        """Record the file of a module: its source, compiled code, or an archive."""
        archive: str | None = getattr(result.loader, "archive", None)
        if archive is None and origin.endswith(".py"):
            result.loader, result.cached = _Loader(name, origin, self._recorder), None
            return
        self._recorder.note("file", absolute(archive or origin))
        source = result.loader.get_source(name) if isinstance(result.loader, zipimporter) else None
        if source is not None:
            self._recorder.note_imports(source.encode(), Path(archive or origin).parent)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, recorder: Recorder) -> None:
        super().__init__(name, path)
        self._recorder = recorder

    def get_code(self, fullname: str) -> CodeType | None:
        """Compile the source; what was compiled before may be of another one of the same second and size."""
        path = self.get_filename(fullname)
        content = self.get_data(path)
        self._recorder.note_source(absolute(path), content)
        code: CodeType = self.source_to_code(content, path)
        return code


def is_users_spec(result: ModuleSpec) -> bool:
    """Return whether a module is the user's own: of a source, of compiled code, or of an archive."""
    return result.origin is not None and result.origin.endswith((".py", ".pyc")) and is_users(result.origin)


def is_users_module(module: object) -> bool:
    """Return whether a module that is there is the user's own."""
    result = getattr(module, "__spec__", None)
    if not isinstance(result, ModuleSpec) or getattr(module, "__name__", "") == "__main__":
        return False
    if result.origin is not None:
        return is_users_spec(result)
    return any(is_users(str(Path(folder, "x"))) for folder in result.submodule_search_locations or ())
