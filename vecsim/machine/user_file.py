"""A user's Python file, run to see what it declares.

Whatever it does ends in one line that names the file and the line. What it prints goes to the standard error,
so that results on the standard output stay whole, and what it changes of the process is set back.
"""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import numpy as np

from vecsim.support.errors import UserError, in_words, is_interrupt, place_of
from vecsim.support.suggestions import nearest

_NOT_IMPORTED = re.compile(r"cannot import name '(\w+)'")
ENDS = "would end vecsim: a file of extensions declares them and returns"


class _EndedError(BaseException):
    """The file called ``os._exit``."""


def run_file(content: bytes, file: str) -> ModuleType:
    """Run a file as a module, with its own folder in the path of its imports.

    Raises
    ------
    UserError
        It cannot be run to its end, or a thread that it started goes on.
    """
    module = ModuleType(Path(file).stem)
    module.__file__ = str(Path(file).resolve())
    before = set(threading.enumerate())
    with _process_as_it_was(module.__file__):
        try:
            exec(compile(content, file, "exec", dont_inherit=True), vars(module))
        except BaseException as error:
            if is_interrupt(error):
                raise
            raise UserError(_words(error, file)) from None
    for thread in set(threading.enumerate()) - before:
        if not thread.daemon:
            raise UserError(f"{file}: starts a thread that does not end, {thread.name}: join it")
    return module


def _words(error: BaseException, file: str) -> str:
    """Return in one line what went wrong, and where."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f"{error.filename}:{error.lineno}: {error.msg}"
    where, near = place_of(error, [file]) or f"{file}:1", ""
    if isinstance(error, UserError):
        return f"{where}: {error}"
    if isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit):
        return f"{where}: {type(error).__name__} {ENDS}"
    if isinstance(error, _EndedError):
        return f"{where}: os._exit {ENDS}"
    if isinstance(error, ImportError):
        wanted = _NOT_IMPORTED.search(str(error))
        there = dir(sys.modules.get(error.name or "")) if wanted else ()
        near = nearest(wanted[1], (name for name in there if not name.startswith("_"))) if wanted else ""
        return f"{where}: {error}{near}"
    return f"{where}: {in_words(error)}"


@contextmanager
def _process_as_it_was(file: str) -> Iterator[None]:
    """Import from a file's folder meanwhile, and restore afterwards what the file may change of the process.

    It sees neither the command line nor the standard input: worker processes, which run it too, have others.
    """
    arguments, path, depth = list(sys.argv), list(sys.path), sys.getrecursionlimit()
    all_arguments = list(sys.orig_argv)
    given, empty = sys.stdin, io.StringIO()
    leave, process = os._exit, os.getpid()

    def not_here(status: int) -> NoReturn:
        if os.getpid() != process:  # a child that the file has forked
            leave(status)
        raise _EndedError

    with ExitStack() as stack:
        stack.enter_context(redirect_stdout(sys.stderr))
        stack.enter_context(chdir(Path.cwd()))
        stack.enter_context(warnings.catch_warnings())
        stack.enter_context(np.errstate())
        sys.path.insert(0, str(Path(file).parent))
        sys.argv[:] = sys.orig_argv[:] = [file]
        sys.stdin = empty
        os._exit = not_here
        try:
            yield
        finally:
            os._exit = leave
            sys.argv[:], sys.orig_argv[:], sys.path[:] = arguments, all_arguments, path
            sys.stdin = given
            sys.setrecursionlimit(depth)
