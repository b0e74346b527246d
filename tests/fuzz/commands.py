"""Fuzzers of commands: a case is a file and arguments, which a command takes, or says in one line why not.

What a command took is held to what the documentation promises of its output.
"""

from __future__ import annotations

import contextlib
import io
import random
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

import typer.main

from tests.fuzz.campaign import LONGEST_MESSAGE, MOST_SECONDS, Case
from vecsim.cli import main

TAKEN, MISTAKE = 0, 2
BEGINNING = "vecsim: error: "
OUTPUT = "output"
"""Name of the file that a command may write, and of what is made of its output."""


@dataclass(frozen=True)
class CommandFuzzer:
    """How a command is tried.

    Attributes
    ----------
    name
        Of the module below ``tests.fuzz``.
    make
        Returns the case of a random source.
    arguments
        Returns the command line for a case and its path.
    check
        Returns what is wrong with the output of a command that took a case; nothing if all is right. It is
        given the case, its path and what was printed.
    lines
        Lines that a message may have; a command may print several messages.
    """

    name: str
    make: Callable[[random.Random], Case]
    arguments: Callable[[Case, Path], list[str]]
    check: Callable[[Case, Path, str], str]
    lines: int = 1

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever."""
        return self.make(random.Random(f"{self.name} {seed}"))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Return a word for what came of a case, and what is wrong with that or nothing."""
        path = folder / case.name
        path.write_bytes(case.data)
        began = time.monotonic()
        try:
            code, out, err = called(self.arguments(case, path))
            seconds = time.monotonic() - began
            if seconds > MOST_SECONDS:
                return "slow", f"took {seconds:.1f} s"
            if code == TAKEN:
                return "read", self.check(case, path, out)
            if code == MISTAKE:
                fault = self._fault_of(out, err, path)
                return ("message", f"{fault}: {err!r}") if fault else ("refused", "")
            return "exit code", f"it is {code}: {err!r}"
        except Exception:
            return "traceback", traceback.format_exc()
        finally:
            for built in folder.iterdir():
                built.unlink()

    def _fault_of(self, out: str, err: str, path: Path) -> str:
        if out or not err.startswith(BEGINNING) or not err.endswith("\n"):
            return "is not all there is"
        messages = err.removeprefix(BEGINNING).removesuffix("\n").split(f"\n{BEGINNING}")
        return next(filter(None, (self._fault_of_message(each, path) for each in messages)), "")

    def _fault_of_message(self, message: str, path: Path) -> str:
        if str(path) not in message and not message.startswith(("--", "symbol ")):
            return "names no file, no option and no symbol"
        lines = message.split("\n")
        if len(lines) > self.lines or not all(line.replace("\t", "").isprintable() for line in lines):
            return "is not as printable, or has more lines, than it should"
        return "is long" if len(lines[0]) - len(str(path)) > LONGEST_MESSAGE else ""


# Typer makes its commands again at every call, which takes ten times as long as the rest.
_commands = cache(typer.main.get_command)


def called(arguments: list[str]) -> tuple[int, str, str]:
    """Call the command line in this process; return its exit code and what it printed."""

    def call() -> int:
        with mock.patch("typer.main.get_command", _commands):
            try:
                return main(arguments)
            except SystemExit as end:
                raise RuntimeError(f"it ended the process: {end}") from end

    return captured(call)


def captured(call: Callable[[], int]) -> tuple[int, str, str]:
    """Call something; return its exit code and what it printed."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        code = call()
    printed = []
    for stream in streams:
        stream.flush()
        printed.append(stream.buffer.getvalue().decode("utf-8"))
    return code, *printed
