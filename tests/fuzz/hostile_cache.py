"""A cache of compiled code that is hostile: ``python -m tests.fuzz.hostile_cache --count 2000``.

The first seeds are the known attacks: other owners and modes, foreign code with a right checksum, things that
are no files, damage of every page. All further ones are random damage. Whatever is there, a
program must give the cycles and the memory that it gives without a cache, and foreign code must not run: it
would end its process with code `FOREIGN`. What must be compiled again comes from a good cache.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import random
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

import llvmlite.binding as llvm
import numpy as np

from isa.assembler import assemble
from isa.instructions import BASE
from tests.fuzz.campaign import LONGEST_MESSAGE, Case, main
from tests.fuzz.damage import damaged
from vecsim.engines.jit.interface import BASE_ROWS, PARTS_OF_LOOP, VECTOR, VECTOR_ROWS, row_name
from vecsim.engines.jit.object_files import cache as code_cache
from vecsim.engines.jit.object_files import machine_code, parts
from vecsim.engines.jit.object_files.fingerprints import fingerprint
from vecsim.engines.running import run
from vecsim.machine import load_machine
from vecsim.results import private_files

FOREIGN = 66
"""Exit code of the process that runs foreign code."""
NOBODY = 65534
"""Another user."""
MACHINES = {"single_port": "vs2003", "multiport_loop": "wide"}
"""By the loop that runs them: the wide machine has two ports."""
FILES = tuple(dict.fromkeys(part for parts_of_it in PARTS_OF_LOOP.values() for part in parts_of_it))
PAGE = 4096
PROGRAM = """
    li      x1, 4
    setvl   x1
    lv.w    v1, 64(x0)
    addvv.s v2, v1, v1
    sv.w    v2, 128(x0)
    lvi.w   v4, (x0), v3
    li      x3, 7
    sw      x3, 0(x0)
    halt
"""


def name_of(part: str) -> str:
    """Name the file of a part."""
    return f"{part}-{fingerprint(BASE_ROWS.values())}"


def loop_of(part: str) -> str:
    """Name a loop that needs a part."""
    return next(loop for loop, needed in PARTS_OF_LOOP.items() if part in needed)


# Ways: each changes the folder, or the file of a part, and says which parts must be compiled for it.

Way = Callable[[Path, Path, str], tuple[str, ...]]


def _of_file(change: Callable[[Path], None]) -> Way:
    def way(folder: Path, file: Path, part: str) -> tuple[str, ...]:
        change(file)
        return (part,)

    return way


def _of_content(change: Callable[[bytes], bytes]) -> Way:
    return _of_file(lambda file: file.write_bytes(change(file.read_bytes())))


def _replaced_by(make: Callable[[Path], None]) -> Way:
    def change(file: Path) -> None:
        file.unlink()
        make(file)

    return _of_file(change)


def _planted(change: Callable[[Path, Path], None], *, whole_folder: bool = False) -> Way:
    """Foreign code with a right checksum; then owners, modes, links of the file or of the whole folder."""

    def way(folder: Path, file: Path, part: str) -> tuple[str, ...]:
        private_files.write(file, foreign_code(part))
        change(folder, file)
        return PARTS_OF_LOOP[loop_of(part)] if whole_folder else (part,)

    return way


def _as_link(folder: Path, file: Path) -> None:
    file.rename(folder.parent / "elsewhere")
    file.symlink_to(folder.parent / "elsewhere")


def _renamed(folder: Path, file: Path) -> None:
    file.rename(folder.parent / "elsewhere")
    other = next(each for each in FILES if not file.name.startswith(each))
    private_files.write(folder / "x.o", private_files.read(folder / f"{name_of(other)}.o") or b"")
    (folder / f"{name_of(other)}.o").replace(file)
    private_files.write(folder / f"{name_of(other)}.o", private_files.read(folder / "x.o") or b"")


def _swapped(folder: Path, file: Path, part: str) -> tuple[str, ...]:
    """A whole and right file, of another part."""
    _renamed(folder, file)
    return (part,)


def _nothing(folder: Path, file: Path, part: str) -> tuple[str, ...]:
    return ()


def _locked(make: Callable[[Path], None]) -> Way:
    def way(folder: Path, file: Path, part: str) -> tuple[str, ...]:
        file.unlink()
        (folder / "compiling.lock").unlink(missing_ok=True)
        make(folder / "compiling.lock")
        return (part,)

    return way


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _owned(path: Path) -> None:
    os.chown(path, NOBODY, NOBODY)


WAYS: dict[str, Way] = {
    "untouched": _nothing,
    "empty": _of_content(lambda data: b""),
    "checksum alone": _of_content(lambda data: data[: private_files.DIGEST_BYTES]),
    "half": _of_content(lambda data: data[: len(data) // 2]),
    "last byte missing": _of_content(lambda data: data[:-1]),
    "a byte more": _of_content(lambda data: data + b"\0"),
    "zeros": _of_content(lambda data: bytes(len(data))),
    "twice": _of_content(lambda data: data + data),
    "no checksum": _of_content(lambda data: data[private_files.DIGEST_BYTES :]),
    "another part": _swapped,
    "a pipe": _replaced_by(_fifo),
    "a folder": _replaced_by(Path.mkdir),
    "a device": _replaced_by(lambda file: file.symlink_to("/dev/zero")),
    "a link to itself": _replaced_by(lambda file: file.symlink_to(file)),
    "missing": _replaced_by(lambda file: None),
    "foreign code, file of another user": _planted(lambda folder, file: _owned(file)),
    "foreign code, folder of another user": _planted(lambda folder, file: _owned(folder), whole_folder=True),
    "foreign code, file writable by the group": _planted(lambda folder, file: file.chmod(0o660)),
    "foreign code, file writable by all": _planted(lambda folder, file: file.chmod(0o666)),
    "foreign code, folder writable by the group": _planted(
        lambda folder, file: folder.chmod(0o770), whole_folder=True
    ),
    "foreign code, folder writable by all": _planted(
        lambda folder, file: folder.chmod(0o777), whole_folder=True
    ),
    "foreign code, sticky folder writable by all": _planted(
        lambda folder, file: folder.chmod(0o1777), whole_folder=True
    ),
    "foreign code, a link": _planted(_as_link),
    "foreign code, without checksum": _of_file(
        lambda file: file.write_bytes(foreign_code(file.name.split("-")[0]))
    ),
    "the lock is a folder": _locked(Path.mkdir),
    "the lock is a pipe": _locked(_fifo),
    "the lock is nobody's": _locked(lambda lock: lock.touch(0o000)),
}
CONTROL = "foreign code, private"
"""What would run, were it there: not of `WAYS`, but the proof that foreign code shows."""


def fixed() -> Iterator[tuple[str, ...]]:
    """Yield the arguments of the first seeds: a way and a part; for a page, its number, too."""
    yield from ((way, part) for way in WAYS for part in FILES)
    for way in ("flip", "zeroed page"):
        for part, content in good_code().items():
            for start in range(0, private_files.DIGEST_BYTES + len(content), PAGE):
                yield way, part, str(start // PAGE)


def case_of(*arguments: str) -> Case:
    """Return a case by a way and a part."""
    return Case("engine", b"", arguments)


@cache
def foreign_code(part: str) -> bytes:
    """Compile code whose every function ends the process."""
    rows = tuple(map(row_name, VECTOR_ROWS))
    functions = {VECTOR: rows}.get(part, (part,))
    bodies = "".join(
        f"define i32 @{name}() {{\ncall void @_exit(i32 {FOREIGN})\nunreachable\n}}\n" for name in functions
    )
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    return target.emit_object(llvm.parse_assembly(f"declare void @_exit(i32)\n{bodies}"))


@cache
def good_code() -> dict[str, bytes]:
    """Return the compiled code of the good cache, which is made if there is none."""
    for loop in PARTS_OF_LOOP:
        machine_code.machine_code(BASE, loop)
    return {part: code_cache.read(name_of(part)) or b"" for part in FILES}


def ran(engine: str, loop: str = "single_port") -> tuple[int, bytes]:
    """Run the program on the machine of a loop; return its cycles and its memory."""
    memory = np.zeros(1024, np.uint8)
    memory[64:80] = np.array([1, -2, 3, 0.5], np.float32).view(np.uint8)
    machine = load_machine(MACHINES[loop])
    result = run(assemble(PROGRAM, instruction_set=BASE), memory, machine, engine=engine)
    return result.cycles, result.state.memory.tobytes()


@cache
def expected(loop: str = "single_port") -> tuple[int, bytes]:
    """Return what the program does, by the engine that compiles nothing."""
    return ran("simpy", loop)


@dataclass(frozen=True)
class CacheFuzzer:
    """How the cache is made hostile."""

    name: str = "hostile_cache"

    def case(self, seed: int) -> Case:
        """Return the case of a seed."""
        message = next(itertools.islice(fixed(), seed, None), None)
        if message is None:
            source = random.Random(f"{self.name} {seed}")
            message = ("damage", source.choice(FILES), str(seed))
        return case_of(*message)

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Run with a hostile cache; return a word for what came of it, and what is wrong or nothing."""
        if "another user" in case.arguments[0] and os.geteuid() != 0:
            return "not tried", ""
        good, loop = good_code(), loop_of(case.arguments[1])
        with _cache(folder / "cache", good) as (engine, compiled):
            wanted = sorted(_made_hostile(engine, case))
            for time in ("", "the second time ") if case.arguments[0] in WAYS else ("",):
                del compiled[:]
                try:
                    actual, said = _as_a_new_process(loop)
                except Exception:
                    return "traceback", traceback.format_exc()
                if actual != expected(loop):
                    return "wrong", f"{time}the result is another one"
                if not time and sorted(compiled) != wanted:
                    return "wrong", f"compiled {compiled}, not {wanted}"
                for line in said.splitlines():
                    if not line.isprintable() or len(line) > LONGEST_MESSAGE:
                        return "message", f"is not one printable line: {line!r}"
        return ("compiled" if wanted else "loaded"), ""


def _made_hostile(engine: Path, case: Case) -> tuple[str, ...]:
    """Change the cache; return the parts that must be compiled now."""
    way, part, *rest = case.arguments
    file = engine / f"{name_of(part)}.o"
    if way in WAYS:
        return WAYS[way](engine, file, part)
    if way == CONTROL:
        private_files.write(file, foreign_code(part))
        return ()
    data = file.read_bytes()
    source = random.Random(" ".join(case.arguments))
    if way == "damage":
        built = damaged(source, data, source.choice((1, 1, 2, 8)))
    else:
        start = int(rest[0]) * PAGE
        page = bytearray(data[start : start + PAGE])
        if way == "flip":
            page[source.randrange(len(page))] ^= 1 << source.randrange(8)
        built = data[:start] + (bytes(len(page)) if way == "zeroed page" else page) + data[start + PAGE :]
    file.write_bytes(built)
    return (part,) if built != data else ()


@contextlib.contextmanager
def _cache(folder: Path, good: dict[str, bytes]) -> Iterator[tuple[Path, list[str]]]:
    """Yield a folder with a good cache, and a list of what is compiled, which comes from the good cache."""
    compiled: list[str] = []

    def compile_part(part: str, *_: object) -> bytes:
        compiled.append(part)
        return good[part]

    def no_process(*_: object, **__: object) -> None:
        raise OSError("no processes here")

    engine = folder / "engine"
    with (
        mock.patch.dict(os.environ, {"VECSIM_CACHE": str(folder)}),
        mock.patch.object(parts, "compile_part", compile_part),
        mock.patch.object(machine_code.subprocess, "Popen", no_process),
    ):
        code_cache._is_private.cache_clear()
        for part, content in good.items():
            code_cache.write(name_of(part), content)
        try:
            yield engine, compiled
        finally:
            engine.chmod(0o700)
            _remove(folder)


def _as_a_new_process(loop: str) -> tuple[tuple[int, bytes], str]:
    """Run the program as a process does that has loaded no code yet; return what it said, too."""
    code_cache._is_private.cache_clear()
    machine_code.machine_code.cache_clear()
    with contextlib.redirect_stderr(io.StringIO()) as said:
        actual = ran("jit", loop)
    return actual, said.getvalue()


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    folder.rmdir()


FUZZER = CacheFuzzer()

if __name__ == "__main__":
    good_code()  # a process of the campaign has not the time to compile it
    raise SystemExit(main(FUZZER))
