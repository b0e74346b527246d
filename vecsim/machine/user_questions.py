"""What a user's Python file asks the system while it runs: what can be asked again, and what cannot.

Python tells a profile function of every call, by whatever name the caller knows the function. Not among them
are calls that compiled code of a library makes, and those by one of Python's built-ins, such as ``map``.
"""

from __future__ import annotations

import _thread
import os
import platform
import random
import socket
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from types import FrameType, ModuleType
from typing import Any, Protocol

import numpy as np

from vecsim.machine.user_origins import asked_by_user, is_users
from vecsim.machine.user_probes import ANSWERS

CLOCK = "asks the clock"
RANDOM = "draws random numbers"
THREAD = "begins a thread"
IDENTITY = "asks for a number of this process"
FILE_TIME = "asks when a file was changed"

_ENVIRON: Any = type(os.environ)
_ASKED: tuple[tuple[str, Any, str], ...] = (
    ("the working folder", os, "getcwd getcwdb"),
    ("the number of processors", os, "cpu_count"),
    ("the processors of this process", os, "sched_getaffinity"),
    ("the host", os, "uname"),
    ("the host", socket, "gethostname"),
    ("the host", platform, "uname node system machine release version processor platform"),
    ("the user", os, "getuid geteuid getgid getegid"),
    ("the names of all variables", _ENVIRON, "__iter__ __len__"),
    (CLOCK, time, "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time"),
    (CLOCK, time, "process_time_ns thread_time thread_time_ns clock_gettime clock_gettime_ns"),
    (CLOCK, time, "localtime gmtime ctime asctime strftime mktime"),
    (CLOCK, os, "times getloadavg"),
    (RANDOM, os, "urandom getrandom"),
    (RANDOM, uuid, "uuid1 uuid4 getnode"),
    (THREAD, _thread, "start_new_thread"),
    (FILE_TIME, os.path, "getmtime getatime getctime"),
    (IDENTITY, os, "getpid getppid"),
)
"""What functions ask for: an answer of `ANSWERS`, or what cannot be asked again."""
_METHODS = {"now", "utcnow", "today", "random", "getrandbits", "getstate", "hash", "id"}
_SEEDS = {random.Random.seed.__code__, random.Random.setstate.__code__}
_SHARED: random.Random = random.random.__self__  # type: ignore[attr-defined]
"""The generator after the functions of `random`."""
_ALL_RANDOM = ("random", "secrets", "uuid", "numpy.random", "numpy.random.mtrand")
"""Modules that draw."""


def _functions() -> list[tuple[str, object]]:
    """Return functions as they are now, each after what it asks for."""
    results = [(what, getattr(owner, name, None)) for what, owner, names in _ASKED for name in names.split()]
    return [(what, function) for what, function in results if function is not None]


def _by_identity(functions: Sequence[tuple[str, object]]) -> Mapping[int, str]:
    """Return what functions ask for, by the identity of a built-in one or of another's code."""
    return {_identity(function): what for what, function in functions}


def _identity(function: object) -> int:
    return id(getattr(function, "__code__", function))


_FUNCTIONS_AT_FIRST = _functions()
_AT_FIRST = _by_identity(_FUNCTIONS_AT_FIRST)


class Notes(Protocol):
    """The receiver of notes on questions."""

    def note(self, kind: str, name: str) -> None:
        """Record a name."""

    def note_outside(self, what: str) -> None:
        """Record that something cannot be asked again."""


def question_of(value: object) -> str:
    """Return what code asks that calls a function or uses a module; nothing if neither is watched."""
    results = _AT_FIRST.get(_identity(value), "")
    owner = getattr(value, "__self__", None)
    where = value.__name__ if isinstance(value, ModuleType) else type(owner).__module__
    if not results and where in (*_ALL_RANDOM, "time", "_random"):
        results = CLOCK if where == "time" else RANDOM
    elif not results and _is_clock(value):
        results = CLOCK
    return f"asks for {results}" if results in ANSWERS else results


def _is_clock(function: object) -> bool:
    owner = getattr(function, "__self__", None)
    is_date = isinstance(owner, type) and issubclass(owner, date)
    return is_date and getattr(function, "__name__", "") in ("now", "utcnow", "today")


class _Watch:
    """A profile function that records what the user's code asks."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._asked = _by_identity(_functions())
        self._is_seeded = False

    def __call__(self, frame: FrameType, event: str, function: Any) -> None:
        """Look at a call."""
        what: str | None = None
        if event == "c_call":
            what = self._asked.get(id(function))
            if what is None and getattr(function, "__name__", "") in _METHODS:
                what = self._of_method(frame, function)
        elif event == "call":
            what = self._asked.get(id(frame.f_code))
            if what is None and frame.f_code in _SEEDS:
                what = self._of_seed(frame.f_locals)
        if what and asked_by_user(frame) and (what != IDENTITY or _is_plainly_users(frame)):
            if what in ANSWERS:
                self._notes.note("answer", what)
            else:
                self._notes.note_outside(what)

    def _of_method(self, frame: FrameType, function: Any) -> str:
        if function is hash or function is id:
            return IDENTITY
        if getattr(function, "__self__", None) is _SHARED and not self._is_seeded:
            return RANDOM
        return CLOCK if _is_clock(function) else ""

    def _of_seed(self, given: Mapping[str, Any]) -> str:
        """Look at how a generator begins: its numbers are those of its seed, or any."""
        if given.get("a", given.get("state")) is None:
            return RANDOM
        self._is_seeded |= given["self"] is _SHARED
        return ""


def _is_plainly_users(frame: FrameType) -> bool:
    """Return whether the user's own code asks, but for what Python calls by itself."""
    code = frame.f_code
    return not code.co_filename.startswith("<") and is_users(code.co_filename) and code.co_name != "__hash__"


@contextmanager
def questions_noted(notes: Notes) -> Iterator[None]:
    """Record what the user's code asks in this thread meanwhile."""
    before: Any = sys.getprofile()
    with _numpys_generator(notes.note_outside):
        sys.setprofile(_Watch(notes))
        try:
            yield
        finally:
            sys.setprofile(None)
            if hasattr(before, "enable"):  # of cProfile
                before.enable()
            else:
                sys.setprofile(before)


@contextmanager
def _numpys_generator(note_outside: Callable[[str], None]) -> Iterator[None]:
    """Record draws from the generator that NumPy's functions share, unless it is given a seed before."""
    plain, begin, is_seeded = np.random.seed, _numpys_state(), False

    def seed(seed: Any = None) -> None:
        nonlocal is_seeded
        if not is_seeded and _numpys_state() != begin:
            note_outside(RANDOM)
        plain(seed)
        is_seeded = seed is not None

    np.random.seed = seed
    try:
        yield
    finally:
        np.random.seed = plain
        if not is_seeded and _numpys_state() != begin:
            note_outside(RANDOM)


def _numpys_state() -> tuple[Any, ...]:
    name, key, *rest = np.random.get_state(legacy=True)  # noqa: NPY002 - what others draw from
    return (name, np.asarray(key).tobytes(), *rest)
