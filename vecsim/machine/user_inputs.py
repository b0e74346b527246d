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
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import invalidate_caches
from importlib.machinery import PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from vecsim.machine.user_imports import UsersFinder, is_users_module
from vecsim.machine.user_origins import absolute, asked_by_user, by_user, is_importing, is_users
from vecsim.machine.user_probes import PROBES, plain_lstat, plain_readlink, plain_stat, status
from vecsim.machine.user_questions import questions_noted
from vecsim.support.errors import UserError
from vecsim.support.project_packages import LIBRARIES, PACKAGES

_PROCESS, _CONNECTION = "begins a process", "opens a connection"
_OUTSIDE = {
    **dict.fromkeys(("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork"), _PROCESS),
    **dict.fromkeys(("os.forkpty", "pty.spawn"), _PROCESS),
    **dict.fromkeys(("socket.connect", "socket.bind", "socket.sendto", "urllib.Request"), _CONNECTION),
    **dict.fromkeys(("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"), _CONNECTION),
    "socket.getnameinfo": _CONNECTION,
}
"""Events of Python whose outcome is in no file, and what each does."""
_OPENING = ("open", "sqlite3.connect", "ctypes.dlopen", "os.listdir", "os.scandir")
"""Events of Python that name a file or a folder."""
_SIMULATION = str(Path(__file__).parents[1] / "engines" / "base.py")
"""What runs simulations with user-defined code; what called it does not count."""

AT_LOADING = "do that while the file is loaded"

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
        path, the value of a variable, an answer of the system, where a module is; empty if there was none.
    outside
        What it does whose outcome cannot be looked at again, such as ``begins a process``; empty if nothing.
    """

    def __init__(self, file: str) -> None:
        self.inputs: dict[tuple[str, str], str] = {}
        self.outside = ""
        self._folder = str(Path(file).resolve().parent)
        self._thread = threading.get_ident()
        self._busy = False
        self._imported: set[str] = set()
        self._path: list[str] = []
        self._path_before = list(sys.path)
        self._working_folder = ""

    def note(self, kind: str, name: str) -> None:
        """Record what a name stands for now, the first time that it is used."""
        if threading.get_ident() == self._thread and not self._busy and (kind, name) not in self.inputs:
            if kind == "module":
                self._path = list(sys.path)
            with self._at_work():
                self.inputs[kind, name] = self._probe(kind, name)

    def note_outside(self, what: str) -> None:
        """Record that the outcome of something cannot be looked at again."""
        if threading.get_ident() == self._thread and not self._busy:
            self.outside = self.outside or what

    def place(self, path: str | bytes | os.PathLike[Any]) -> str:
        """Return a path from the root on; of another one, the working folder counts."""
        if not self._working_folder and not Path(os.fsdecode(path)).is_absolute():
            self._working_folder = str(Path.cwd())
        return absolute(path)

    def note_path(self, path: object) -> None:
        """Record what a file or a folder has in it."""
        if not isinstance(path, str | bytes | os.PathLike):
            return
        name = self.place(path)
        mode = int(status(name).partition(" ")[0] or 0)
        if mode and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode) and name != os.devnull:
            self.note_outside("reads a device or a pipe")
        elif is_users(name):
            self.note("folder" if stat.S_ISDIR(mode) else "file", name)

    def note_source(self, path: str, content: bytes) -> None:
        """Record the source of a module, and what it imports."""
        self.inputs.setdefault(("file", path), hashlib.sha256(content).hexdigest())
        self.note_imports(content, Path(path).parent)

    def note_imports(self, content: bytes, folder: Path) -> None:
        """Record the libraries that a source imports, and the files that it names."""
        with suppress(SyntaxError, ValueError, RecursionError):
            for node in ast.walk(ast.parse(content)):
                if isinstance(node, ast.Import):
                    self._imported.update(each.name.partition(".")[0] for each in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    self._imported.add(node.module.partition(".")[0])
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    self._note_named(node.value, folder)

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
        messages = [
            repr((kind, name if kind in ("variable", "library") else Path(name).name, value))
            for (kind, name), value in self.inputs.items()
            if kind != "module" or not value
        ]
        return hashlib.sha256("\n".join([plain, *messages]).encode()).hexdigest() if messages else plain

    def is_current(self) -> bool:
        """Return whether everything is as it was recorded."""
        invalidate_caches()
        if self._working_folder not in ("", str(Path.cwd())):
            return False
        return all(self._probe(kind, name) == value for (kind, name), value in self.inputs.items())

    def _probe(self, kind: str, name: str) -> str:
        if kind == "module":
            added = [each for each in self._path if each not in self._path_before]
            result = PathFinder.find_spec(name, [*added, self._folder, *sys.path])
            return "" if result is None else str(result.origin)
        return PROBES[kind](name)

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Record nothing of what is done to look something up."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Record what Python tells of: files that are opened, folders that are listed."""
    if event in (*_OUTSIDE, *_OPENING) and threading.get_ident() in _simulating:
        if event in _OUTSIDE:
            _refuse_in_simulation(_OUTSIDE[event], sys._getframe(1))
        elif isinstance(arguments[0], str | bytes | os.PathLike) and is_users(absolute(arguments[0])):
            _refuse_in_simulation("opens a file", sys._getframe(1))
    recording = _recording
    if recording is None or recording._busy or recording._thread != threading.get_ident():
        return
    if event == "import" and arguments[1] is not None and is_users(str(arguments[1])):
        recording.note("file", absolute(arguments[1]))  # a compiled module
    elif event in (*_OUTSIDE, *_OPENING) and not is_importing(sys._getframe(1)):
        if event in _OUTSIDE:
            if asked_by_user(sys._getframe(1)):
                recording.note_outside(_OUTSIDE[event])
        elif not by_user(sys._getframe(1)):
            return
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


@contextmanager
def questions_refused() -> Iterator[None]:
    """Let user-defined code neither read files nor ask the system meanwhile."""
    with simulating(), questions_noted(_Refusing()):
        yield


class _Refusing:
    """Refuses what user-defined code asks."""

    def note(self, kind: str, name: str) -> None:
        """Refuse an answer of the system."""
        raise UserError(f"asks for {name}: {AT_LOADING}")

    def note_outside(self, what: str) -> None:
        """Refuse what is another thing each time."""
        raise UserError(f"{what}: {AT_LOADING}")


def _refuse_in_simulation(what: str, frame: FrameType | None) -> None:
    """Refuse what user-defined code of a simulation looks at; what vecsim and libraries do does not count."""
    while frame is not None and frame.f_code.co_filename != _SIMULATION:
        if is_users(frame.f_code.co_filename):
            raise UserError(f"{what} in a simulation: {AT_LOADING}")
        frame = frame.f_back


def _is_written(mode: object, flags: object) -> bool:
    """Return whether a file is opened to be written alone, and begins empty or is added to."""
    if isinstance(mode, str):
        return "r" not in mode and "+" not in mode
    return isinstance(flags, int) and flags & os.O_ACCMODE == os.O_WRONLY


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
        recording, finder = _recording, UsersFinder(_recording)
        modules = {name: module for name, module in sys.modules.items() if is_users_module(module)}
        for name in modules:
            del sys.modules[name]
        others = {name: module for name, module in modules.items() if module not in _left}
        invalidate_caches()
        sys.meta_path.insert(0, finder)
        try:
            recording.note_source(absolute(file), content)
            with _watched(recording), questions_noted(recording):
                yield recording
            recording.note_libraries()
            del recording.inputs["file", absolute(file)]
        finally:
            sys.meta_path.remove(finder)
            _left[:] = [m for n, m in sys.modules.items() if n not in others and is_users_module(m)]
            sys.modules.update(others)
            _recording = outer


def depend_on(file: str, recording: Recording) -> None:
    """Let the file that runs now, if one does, depend on all that another one depends on."""
    if _recording is not None:
        _recording.note("file", absolute(file))
        _recording.inputs |= recording.inputs
        _recording.outside = _recording.outside or recording.outside


@contextmanager
def _watched(recording: Recording) -> Iterator[None]:
    """Record, too, of what Python does not tell: variables that are read, files that are looked for."""
    environ: Any = type(os.environ)
    getitem = environ.__getitem__

    def watched_getitem(self: Any, key: Any) -> Any:
        if isinstance(key, str | bytes) and by_user(sys._getframe(1)):
            recording.note("variable", os.fsdecode(key))
        return getitem(self, key)

    def watched_stat(path: Any, *more: Any, **others: Any) -> os.stat_result:
        if isinstance(path, str | bytes | os.PathLike) and by_user(sys._getframe(1)):
            name = recording.place(path)
            if is_users(name):
                recording.note("path", name)
        return plain_stat(path, *more, **others)

    def watched_link(plain: Callable[..., Any]) -> Callable[..., Any]:
        def watched(path: Any, *more: Any, **others: Any) -> Any:
            if isinstance(path, str | bytes | os.PathLike) and by_user(sys._getframe(1)):
                name = recording.place(path)
                if is_users(name):
                    recording.note("link", name)
                    recording.note("path", name)
            return plain(path, *more, **others)

        return watched

    environ.__getitem__ = watched_getitem
    os.stat, os.lstat, os.readlink = watched_stat, watched_link(plain_lstat), watched_link(plain_readlink)
    try:
        yield
    finally:
        environ.__getitem__ = getitem
        os.stat, os.lstat, os.readlink = plain_stat, plain_lstat, plain_readlink
