"""What running a user's Python file depends on: files that it opens, modules, variables, recorded as it runs.

Modules of the user's own are imported again for each file, from their sources and not from what Python kept
compiled: so every file finds them as they are now, and all that they read is recorded, too. Libraries in
``site-packages`` are not: of them the Python files count, but for those that vecsim needs itself.
"""

from __future__ import annotations

import ast
import hashlib
import os
import stat
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import invalidate_caches
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from vecsim.results.file_digests import sha256_or_empty
from vecsim.support.errors import UserError
from vecsim.support.input_files import EXTENSION_DATA
from vecsim.support.own_packages import LIBRARIES, PACKAGES, ROOT

_LIBRARY_FOLDERS = {"site-packages", "dist-packages"}
_STANDARD = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
_OWN = tuple(f"{ROOT / name}{os.sep}" for name in ("vecsim", *PACKAGES))
_OUTSIDE = {
    **dict.fromkeys(("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork"), "a process"),
    **dict.fromkeys(("os.forkpty", "pty.spawn"), "a process"),
    **dict.fromkeys(("socket.connect", "socket.getaddrinfo", "urllib.Request"), "a connection"),
}
"""Events of Python whose outcome is in no file, and what each begins."""
_OPENING = ("open", "sqlite3.connect", "ctypes.dlopen", "os.listdir", "os.scandir")
"""Events of Python that name a file or a folder."""
_RUNNER = str(Path(__file__).with_name("own_file.py"))
"""What runs files; what it does itself does not count."""

_SIMULATION = str(Path(__file__).parents[1] / "engines" / "own_faults.py")
"""What runs simulations with user-defined code; what called it does not count."""

_loading = threading.RLock()
_simulating: set[int] = set()
"""Threads that run user-defined code now."""
_recording: Recording | None = None
_hooked = False
_left: list[ModuleType] = []
"""Modules of the user's own that the file before imported: what it calls may import them again."""


class Recording:
    """What a user's file depended on.

    Attributes
    ----------
    inputs
        By kind and name what was found: the digest of a file or of the names in a folder, what is under a
        path, the value of a variable, where a module is; empty if there was none.
    outside
        What it depends on that cannot be looked at again, such as ``a process``; empty if nothing.
    """

    def __init__(self, file: str) -> None:
        self.inputs: dict[tuple[str, str], str] = {}
        self.outside = ""
        self._folder = str(Path(file).resolve().parent)
        self._thread = threading.get_ident()
        self._busy = False
        self._imported: set[str] = set()

    def note(self, kind: str, name: str) -> None:
        """Record what a name stands for now, the first time that it is used."""
        if threading.get_ident() == self._thread and not self._busy and (kind, name) not in self.inputs:
            self._busy = True
            try:
                self.inputs[kind, name] = self._probe(kind, name)
            finally:
                self._busy = False

    def note_path(self, path: object) -> None:
        """Record what a file or a folder has in it."""
        if not isinstance(path, str | bytes | os.PathLike):
            return
        name = _absolute(path)
        mode = int(_status(name).partition(" ")[0] or 0)
        if mode and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode) and name != os.devnull:
            self.outside = "a device or a pipe"
        elif is_users(name):
            self.note("folder" if stat.S_ISDIR(mode) else "file", name)

    def note_source(self, path: str, content: bytes) -> None:
        """Record the source of a module, and the libraries that it imports."""
        self.inputs.setdefault(("file", path), hashlib.sha256(content).hexdigest())
        with suppress(SyntaxError, ValueError, RecursionError):
            for node in ast.walk(ast.parse(content)):
                if isinstance(node, ast.Import):
                    self._imported.update(each.name.partition(".")[0] for each in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    self._imported.add(node.module.partition(".")[0])
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    self._note_named(node.value, Path(path).parent)

    def _note_named(self, name: str, folder: Path) -> None:
        """Record the files that a text may name: compiled libraries open files without telling Python."""
        for place in (folder, Path.cwd()):
            with suppress(OSError, ValueError):
                if (os.sep in name or "." in name) and (place / name).is_file():
                    self.note_path(place / name)

    def note_libraries(self) -> None:
        """Record the libraries that the user's modules import, now that all of them are known."""
        known = {*sys.stdlib_module_names, "vecsim", *PACKAGES, *LIBRARIES}
        for name in sorted(self._imported - known):
            self.note("library", name)

    def digest(self, content: bytes) -> str:
        """Return the digest of a file and of all that it depends on; that of the file alone if that is all.

        Folders do not count, so that it is the same wherever the files are.
        """
        plain = hashlib.sha256(content).hexdigest()
        told = [
            repr((kind, name if kind in ("variable", "library") else Path(name).name, value))
            for (kind, name), value in self.inputs.items()
            if kind != "module" or not value
        ]
        return hashlib.sha256("\n".join([plain, *told]).encode()).hexdigest() if told else plain

    def is_current(self) -> bool:
        """Say whether everything is as it was recorded."""
        invalidate_caches()
        return all(self._probe(kind, name) == value for (kind, name), value in self.inputs.items())

    def _probe(self, kind: str, name: str) -> str:
        if kind == "module":
            found = PathFinder.find_spec(name, [self._folder, *sys.path])
            return "" if found is None else str(found.origin)
        return _PROBES[kind](name)


def _absolute(path: str | bytes | os.PathLike[Any]) -> str:
    return str(Path(os.fsdecode(path)).absolute())


def _file_digest(path: str) -> str:
    return sha256_or_empty(Path(path), EXTENSION_DATA)


def _names_digest(path: str) -> str:
    try:
        return hashlib.sha256(
            "\0".join(sorted(each.name for each in Path(path).iterdir())).encode(errors="replace")
        ).hexdigest()
    except OSError:
        return ""


def _status(path: str) -> str:
    try:
        found = _stat(path)
    except (OSError, ValueError):
        return ""
    return f"{stat.S_IFMT(found.st_mode)} {found.st_size if stat.S_ISREG(found.st_mode) else 0}"


def _link(path: str) -> str:
    try:
        return os.fsdecode(_readlink(path))
    except (OSError, ValueError):
        return ""


def _variable(name: str) -> str:
    return repr(os.environ._data.get(os.environ.encodekey(name)))  # type: ignore[attr-defined]


@cache
def _library(name: str) -> str:
    """Return a digest of the Python files of a library; empty if there is none."""
    with suppress(ImportError, ValueError):
        found = find_spec(name)
        if found is not None and found.origin is not None and not is_users(found.origin):
            origin = Path(found.origin)
            files = sorted(origin.parent.rglob("*.py")) if origin.stem == "__init__" else [origin]
            digest = hashlib.sha256()
            for path in files:
                digest.update(_file_digest(str(path)).encode("ascii"))
            return digest.hexdigest()
    return ""


_stat, _lstat, _readlink = os.stat, os.lstat, os.readlink
_PROBES: Mapping[str, Callable[[str], str]] = {
    "file": _file_digest,
    "folder": _names_digest,
    "path": _status,
    "link": _link,
    "variable": _variable,
    "library": _library,
}


def is_users(path: str) -> bool:
    """Say whether a file is the user's own, of no library, not Python's and not vecsim's."""
    if path.startswith("<frozen ") or _LIBRARY_FOLDERS & set(Path(path).parts):
        return False
    return not _absolute(path).startswith((*_STANDARD, *_OWN))


def _is_importing(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_code.co_filename.startswith("<frozen importlib")


def _by_user(frame: FrameType | None) -> bool:
    """Say whether the innermost module that runs is the user's own: others' imports do not count."""
    while frame is not None and frame.f_code.co_name != "<module>":
        if frame.f_code.co_filename == _RUNNER:
            return False
        frame = frame.f_back
    return frame is not None and is_users(frame.f_code.co_filename)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Record what Python tells of: files that are opened, folders that are listed."""
    if event in (*_OUTSIDE, *_OPENING) and threading.get_ident() in _simulating:
        if event in _OUTSIDE:
            _refuse_in_simulation(f"begins {_OUTSIDE[event]}", sys._getframe(1))
        elif isinstance(arguments[0], str | bytes | os.PathLike) and is_users(_absolute(arguments[0])):
            _refuse_in_simulation("opens a file", sys._getframe(1))
    recording = _recording
    if recording is None or recording._busy or recording._thread != threading.get_ident():
        return
    if event == "import" and arguments[1] is not None and is_users(str(arguments[1])):
        recording.note("file", _absolute(arguments[1]))  # a compiled module
    elif event in (*_OUTSIDE, *_OPENING) and not _is_importing(sys._getframe(1)):
        if not _by_user(sys._getframe(1)):
            return
        if event in _OUTSIDE:
            recording.outside = _OUTSIDE[event]
        elif event != "open" or not _is_written(*arguments[1:3]):
            recording.note_path("." if arguments[0] is None else arguments[0])


@contextmanager
def simulating() -> Iterator[None]:
    """Let user-defined code read no files meanwhile: no key of kept results covers what it would read."""
    _install_hook()
    thread = threading.get_ident()
    outer = thread in _simulating
    _simulating.add(thread)
    try:
        yield
    finally:
        if not outer:
            _simulating.discard(thread)


def _refuse_in_simulation(what: str, frame: FrameType | None) -> None:
    """Refuse what user-defined code of a simulation looks at; what vecsim and libraries do does not count."""
    while frame is not None and frame.f_code.co_filename != _SIMULATION:
        if is_users(frame.f_code.co_filename):
            raise UserError(f"{what} in a simulation; do it when the extension is loaded")
        frame = frame.f_back


def _is_written(mode: object, flags: object) -> bool:
    """Say whether a file is opened to be written alone, and begins empty or is added to."""
    if isinstance(mode, str):
        return "r" not in mode and "+" not in mode
    return isinstance(flags, int) and flags & os.O_ACCMODE == os.O_WRONLY


class _Finder(MetaPathFinder):
    """Finds the user's own modules, so that they are made from their sources."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a user's own module, which is recorded; None for others."""
        others = (finder for finder in sys.meta_path if not isinstance(finder, _Finder))
        found = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if found is None or found.origin is None:
            frame: FrameType | None = sys._getframe(1)
            while frame is not None and _is_importing(frame):
                frame = frame.f_back
            if path is None and _by_user(frame):
                self._recording.note("module", name)
        elif found.origin.endswith(".py") and is_users(found.origin):
            if path is None:
                self._recording.note("module", name)
            found.loader, found.cached = _Loader(name, found.origin, self._recording), None
            return found
        return None


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, recording: Recording) -> None:
        super().__init__(name, path)
        self._recording = recording

    def get_code(self, fullname: str) -> CodeType | None:
        """Compile the source; what was compiled before may be of another one of the same second and size."""
        path = self.get_filename(fullname)
        content = self.get_data(path)
        self._recording.note_source(_absolute(path), content)
        code: CodeType = self.source_to_code(content, path)
        return code


def _install_hook() -> None:
    global _hooked
    if _hooked:
        return
    sys.addaudithook(_hook)
    environ: Any = type(os.environ)
    getitem = environ.__getitem__

    def checked_getitem(self: Any, key: Any) -> Any:
        if threading.get_ident() in _simulating:
            _refuse_in_simulation("reads a variable", sys._getframe(1))
        return getitem(self, key)

    environ.__getitem__ = checked_getitem
    _hooked = True


@contextmanager
def recorded(file: str, content: bytes) -> Iterator[Recording]:
    """Record what running a user's file depends on, as long as the block goes on."""
    global _recording
    with _loading:
        _install_hook()
        outer, _recording = _recording, Recording(file)
        recording, finder = _recording, _Finder(_recording)
        modules = {name: module for name, module in sys.modules.items() if _is_users_module(module)}
        for name in modules:
            del sys.modules[name]
        others = {name: module for name, module in modules.items() if module not in _left}
        invalidate_caches()
        sys.meta_path.insert(0, finder)
        try:
            recording.note_source(_absolute(file), content)
            with _watched(recording):
                yield recording
            recording.note_libraries()
            del recording.inputs["file", _absolute(file)]
        finally:
            sys.meta_path.remove(finder)
            _left[:] = [m for n, m in sys.modules.items() if n not in others and _is_users_module(m)]
            sys.modules.update(others)
            _recording = outer


def depend_on(file: str, recording: Recording) -> None:
    """Let the file that runs now, if one does, depend on all that another one depends on."""
    if _recording is not None:
        _recording.note("file", _absolute(file))
        _recording.inputs |= recording.inputs
        _recording.outside = _recording.outside or recording.outside


def _is_users_module(module: object) -> bool:
    found = getattr(module, "__spec__", None)
    if not isinstance(found, ModuleSpec) or getattr(module, "__name__", "") == "__main__":
        return False
    if found.origin is not None:
        return found.origin.endswith(".py") and is_users(found.origin)
    return any(is_users(str(Path(folder, "x"))) for folder in found.submodule_search_locations or ())


@contextmanager
def _watched(recording: Recording) -> Iterator[None]:
    """Record, too, of what Python does not tell: variables that are read, files that are looked for."""
    environ: Any = type(os.environ)
    getitem = environ.__getitem__

    def watched_getitem(self: Any, key: Any) -> Any:
        if isinstance(key, str | bytes) and _by_user(sys._getframe(1)):
            recording.note("variable", os.fsdecode(key))
        return getitem(self, key)

    def watched_stat(path: Any, *more: Any, **others: Any) -> os.stat_result:
        if isinstance(path, str | bytes | os.PathLike) and _by_user(sys._getframe(1)):
            name = _absolute(path)
            if is_users(name):
                recording.note("path", name)
        return _stat(path, *more, **others)

    def watched_link(plain: Callable[..., Any]) -> Callable[..., Any]:
        def watched(path: Any, *more: Any, **others: Any) -> Any:
            if isinstance(path, str | bytes | os.PathLike) and _by_user(sys._getframe(1)):
                name = _absolute(path)
                if is_users(name):
                    recording.note("link", name)
                    recording.note("path", name)
            return plain(path, *more, **others)

        return watched

    environ.__getitem__ = watched_getitem
    os.stat, os.lstat, os.readlink = watched_stat, watched_link(_lstat), watched_link(_readlink)
    try:
        yield
    finally:
        environ.__getitem__ = getitem
        os.stat, os.lstat, os.readlink = _stat, _lstat, _readlink
