"""Odd names of files in every command: ``python -m tests.fuzz.odd_names --count 10000``.

Names have any bytes that a file system takes. A command works as with another name, or says in one line why
it does not; what it writes is taken by strict readers (`tests.fuzz.strict_outputs`).
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np

from tests.fuzz.campaign import Case, main
from tests.fuzz.commands import called
from tests.fuzz.odd_text import PIECES, odd_text
from tests.fuzz.strict_outputs import TAG, check_file, check_streams
from vecsim.support.shown_text import unicode_text

NAME = "odd_names"
MOST_BYTES = 255
"""Of a name, on most file systems."""
ROOM = 40
"""Bytes left to suffixes and to what a file is called while it is written."""
OF_NAMES = (*PIECES, f"<{TAG}>", f"<{TAG}", '"><script>', "漢" * 40)

MATRIX = "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n2 2 2\n3 3 3\n1 3 4\n"
PROGRAM = """    .data
X:  .space 16
    .text
    li x1, 4
    setvl x1
    la x2, X
    lv.w v1, (x2)
    sv.w v1, (x2)
    halt
"""
CRS = "li x1, 3\nsetvl x1\nhalt\n"
MACHINE = 'based_on = "vs2003"\nbanks = 8\n'
EXTENSION = """from vecsim import Extension
extension = Extension("odd", "adds nothing")
"""
QUICK = ("--engine", "simpy")


class Files:
    """Files of a name in a folder, and how they are named on a command line."""

    def __init__(self, folder: Path, name: str, relative: bool) -> None:
        self.folder, self.name, self.relative = folder, name, relative
        self.inputs: set[Path] = set()

    def path(self, suffix: str, more: str = "") -> str:
        """Name a file that is not there."""
        path = self.folder / f"{self.name}{more}{suffix}"
        return f"./{path.name}" if self.relative else str(path)

    def create(self, suffix: str, content: str | bytes, more: str = "") -> str:
        """Write a file."""
        named = self.path(suffix, more)
        path = self.folder / Path(named).name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.inputs.add(path)
        return named

    def matrix(self) -> str:
        return self.create(".mtx", MATRIX)

    def program(self) -> str:
        return self.create(".s", PROGRAM)

    def array(self) -> str:
        content = io.BytesIO()
        np.save(content, np.array([1, 2, 3, 4], np.float32))
        return self.create(".npy", content.getvalue())

    def result(self, *arguments: str, more: str = "") -> str:
        """Write the result of another command."""
        named = self.path(".json", more)
        code, _, err = called([*arguments, "--json", named])
        assert code == 0, err
        return named

    def swept(self, more: str = "") -> str:
        """Write a folder of a sweep."""
        named = self.path("", more)
        arguments = ("sweep", self.matrix(), "--program", "crs,jd", "--set", "banks=4,8", *QUICK)
        code, _, err = called([*arguments, "--jobs", "1", "--out", named, "--store", self.path(".sqlite")])
        assert code == 0, err
        return named


def of(*words: str) -> Callable[[Files], list[str]]:
    """Make the command line of words; ``FILE.x`` names a file that is read, ``OUT.x`` one that is written."""

    def create(files: Files) -> list[str]:
        actual = []
        for word in words:
            before, equals, last = word.rpartition("=")
            kind, dot, suffix = last.partition(".")
            if kind == "OUT":
                last = files.path(dot + suffix, ".out")
            elif kind == "FILE":
                make = {"mtx": files.matrix, "s": files.program, "npy": files.array}
                plain = {"toml": MACHINE, "py": EXTENSION, "txt": "step\n", "crs.s": CRS}
                last = make[suffix]() if suffix in make else files.create(dot + suffix, plain[suffix])
            actual.append(before + equals + last)
        return actual

    return create


def _assembled(files: Files) -> list[str]:
    output = files.path(".vsx")
    assert called(["asm", files.program(), "-o", output])[0] == 0
    return ["disasm", output]


def _written(files: Files) -> list[str]:
    text = files.path(".s", ".out")
    code, _, _ = called(["course", "axpy", "--write", text])
    return ["exec", text, *QUICK] if code == 0 else ["course", "axpy", "--write", text]


def _compare(files: Files) -> list[str]:
    one = files.result("run", files.matrix(), "--program", "crs", *QUICK)
    other = files.result("run", files.matrix(), "--program", "crs", "--set", "banks=4", *QUICK, more="b")
    return ["compare", one, other, "--json", files.path(".json", ".out")]


def _rerun(files: Files) -> list[str]:
    return ["rerun", files.result("run", files.matrix(), "--program", "crs", *QUICK)]


def _rerun_exec(files: Files) -> list[str]:
    load = f"X={files.array()}"
    return ["rerun", files.result("exec", files.program(), "--load", load, *QUICK)]


def _specification(files: Files) -> list[str]:
    try:
        matrix = json.dumps(files.matrix().encode().decode(), ensure_ascii=False).replace("\x7f", "\\u007f")
    except UnicodeEncodeError:
        matrix = '"laplace2d-3"'  # a TOML file cannot name it
    text = f'matrices = [{matrix}]\nprograms = ["crs"]\nengine = "simpy"\n[set]\nbanks = [4, 8]\n'
    arguments = ["sweep", files.create(".toml", text), "--jobs", "1", "--store", files.path(".sqlite")]
    return [*arguments, "--out", files.path("", ".out")]


COMMANDS: dict[str, tuple[int, Callable[[Files], list[str]]]] = {
    "run": (48, of("run", "FILE.mtx", "--program", "crs", *QUICK, "--json", "OUT.json")),
    "run --trace json": (24, of("run", "FILE.mtx", "--program", "crs", *QUICK, "--trace", "OUT.json")),
    "run --trace gz": (12, of("run", "FILE.mtx", "--program", "crs", *QUICK, "--trace", "OUT.json.gz")),
    "run --program": (24, of("run", "FILE.mtx", "--program", "FILE.crs.s", "--like", "crs", *QUICK)),
    "run --machine": (24, of("run", "FILE.mtx", "--program", "crs", "--machine", "FILE.toml", *QUICK)),
    "exec": (48, of("exec", "FILE.s", *QUICK, "--json", "OUT.json", "--timeline")),
    "exec --trace": (24, of("exec", "FILE.s", *QUICK, "--trace", "OUT.kanata")),
    "exec --load": (36, of("exec", "FILE.s", *QUICK, "--load", "X=FILE.npy", "--save", "X:4:float=OUT.npy")),
    "exec --expect": (
        4,
        of("exec", "FILE.s", *QUICK, "--load", "X=FILE.npy", "--expect", "X=FILE.npy", "--json", "OUT.json"),
    ),
    "exec --extend": (12, of("exec", "FILE.s", *QUICK, "--extend", "FILE.py")),
    "asm": (24, of("asm", "FILE.s", "-o", "OUT.vsx")),
    "asm --listing": (24, of("asm", "FILE.s", "--listing")),
    "disasm": (24, _assembled),
    "view": (24, of("view", "FILE.s", "--out", "OUT.html", *QUICK, "--json", "OUT.json")),
    "view product": (18, of("view", "FILE.mtx", "--out", "OUT.html", *QUICK, "--program", "crs")),
    "why": (18, of("why", "FILE.mtx", "--program", "crs", *QUICK, "--json", "OUT.json")),
    "reorder": (4, of("reorder", "FILE.mtx", "--program", "bbcs", "--most", "1", "--json", "OUT.json")),
    "formats": (36, of("formats", "FILE.mtx", "--format", "crs", "--json", "OUT.json")),
    "machine show": (36, of("machine", "show", "FILE.toml")),
    "machine show --extend": (12, of("machine", "show", "vs2003", "--extend", "FILE.py")),
    "machine check": (24, of("machine", "check", "FILE.toml")),
    "debug": (24, of("debug", "FILE.s", "--script", "FILE.txt", *QUICK)),
    "debug --load": (12, of("debug", "FILE.s", "--script", "FILE.txt", "--load", "X=FILE.npy", *QUICK)),
    "grade": (1, of("grade", "1", "FILE.s", *QUICK, "--json", "OUT.json")),
    "grade --start": (18, of("grade", "1", "--start", "OUT.s")),
    "course --write": (18, _written),
    "list": (18, of("list", "matrices", "FILE.mtx")),
    "crosscheck": (12, of("crosscheck", "FILE.mtx", "--no-gpu", *QUICK, "--json", "OUT.json")),
    "compare": (12, _compare),
    "rerun": (12, _rerun),
    "rerun exec": (12, _rerun_exec),
    "export": (6, lambda files: ["export", files.swept(), files.path("", ".out")]),
    "sweep": (1, lambda files: ["compare", files.swept(), files.swept("b")]),
    "sweep TOML": (1, _specification),
    "explain": (1, lambda files: ["explain", files.swept(), "--out", files.path("", ".out")]),
    "reproduce": (1, of("reproduce", "pellr-iterations", "--out", "OUT", *QUICK, "--json", "OUT.json")),
}
"""Every command that reads or writes a file: its relative frequency, and its command line."""


def odd_name(source: random.Random) -> str:
    """Return the beginning of a file's name: any bytes but NUL and the slash, of any length."""
    text = odd_text(source, OF_NAMES) * source.choice((1, 1, 1, 1, 1, 7))
    return fitting(text) or "a"


def fitting(text: str) -> str:
    """Cut what a file system does not take from a name."""
    text = text.replace("\0", "").replace("/", "")
    while len(os.fsencode(text)) > MOST_BYTES - ROOM:
        text = text[:-1]
    return text.strip(".") and text


def outcome(command: str, name: str, relative: bool, folder: Path) -> tuple[str, str]:
    """Run a command with files of a name; return a word for what came of it, and what is wrong or nothing."""
    folder = Path(os.path.realpath(folder)) / "here"
    folder.mkdir()
    try:
        with inside(folder), warnings.catch_warnings():
            warnings.simplefilter("error")
            files = Files(folder, name, relative)
            code, out, err = called(COMMANDS[command][1](files))
        if wrong := check_streams(code, out, err):
            return "printed", wrong
        written = [path for path in folder.rglob("*") if path.is_file() and path not in files.inputs]
        if wrong := next((wrong for path in written if (wrong := check_file(path))), ""):
            return "written", wrong
        if command.startswith("machine show") and code == 0:
            shown = folder / "shown.toml"
            shown.write_text(out, encoding="utf-8")
            if wrong := check_file(shown):
                return "printed", wrong
        if code == 2:
            return "refused", "" if may_refuse(command, name) else err
        return "done", ""
    except Exception:
        return "traceback", traceback.format_exc()
    finally:
        shutil.rmtree(folder)


def may_refuse(command: str, name: str) -> bool:
    """Return whether a command has a reason to refuse a name: its files cannot hold it."""
    lost_in_json = unicode_text(name) != name
    ends_quotes = bool(set('"\r\n') & set(name))
    match command.split()[0]:
        case "rerun":
            return lost_in_json
        case "course":
            return lost_in_json or ends_quotes
    return False


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Be in a folder, which names of matrices are sought in, too."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with mock.patch.dict(os.environ, {"VECSIM_MATRICES": str(folder), "COLUMNS": "200"}):
            yield
    finally:
        os.chdir(before)


@dataclass(frozen=True)
class NameFuzzer:
    """Makes names up and runs commands with them, as `tests.fuzz.campaign` runs it."""

    name: str = NAME

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever."""
        source = random.Random(f"{self.name} {seed}")
        weights = [weight for weight, _ in COMMANDS.values()]
        (command,) = source.choices(list(COMMANDS), weights)
        return Case("case", os.fsencode(odd_name(source)), (command, source.choice(("relative", ""))))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Run the command of a case."""
        command, relative = case.arguments
        return outcome(command, os.fsdecode(case.data), bool(relative), folder)


def compile_first() -> None:
    """Compile what a command compiles at its first use, which would take longer than a case may."""
    called(["formats", "laplace2d-3", "--format", "crs"])
    called(["run", "laplace2d-3", "--program", "crs"])


FUZZER = NameFuzzer()

if __name__ == "__main__":
    compile_first()
    raise SystemExit(main(FUZZER))
