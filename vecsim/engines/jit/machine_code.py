"""Compiled loops as machine code: from the cache on disk, or compiled now and kept there.

Compiled code is filed under a fingerprint of all that it was made from: the sources of this package, the
declarations that it reads, the code of every row's semantics, the processor and the versions of the
compiler. Numba's own cache looks at the file of one function and misses edits everywhere else. What is kept
is an object file, which LLVM loads without Numba, whose import alone takes as long as a run.
"""

from __future__ import annotations

import ctypes
import hashlib
import pickle
import platform
import sys
import types
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm

import isa
import vecsim.engines
from isa.declaration import InstructionSet
from vecsim.cache_folder import cache_folder
from vecsim.errors import UserError

KEPT = 8
"""Compiled loops that stay in the folder; the oldest go."""

SOURCES = (
    "isa/declaration.py",
    "isa/state.py",
    "vecsim/engines/columns.py",
    "vecsim/engines/decoded.py",
    "vecsim/engines/record.py",
    "vecsim/engines/timeline.py",
    "vecsim/engines/jit/**/*.py",
)

Loop = Callable[[int, int, int, int], int]
"""``loop(table, stop_cycle, stop_count, capacity)``; see ``make_one_port`` in ``one_port``."""


class MachineCode(NamedTuple):
    """An object file and the name of the loop in it."""

    symbol: str
    content: bytes


def fingerprint(instruction_set: InstructionSet) -> str:
    """Give a hash of all that the compiled engine is made from."""
    digest = hashlib.sha256()
    compiler = [version(name) for name in ("numba", "llvmlite", "numpy")]
    host = (platform.machine(), llvm.get_host_cpu_name(), sorted(llvm.get_host_cpu_features().items()))
    versions = (sys.version, compiler, host)
    digest.update(repr(versions).encode())
    for name, path in _source_files():
        digest.update(name.encode() + path.read_bytes())
    for row in instruction_set.instructions:
        shape = (row.mnemonic, int(row.unit), int(row.timing), len(row.operands))
        digest.update(repr(shape).encode())
        for part in _content(row.semantics, set()):
            digest.update(part.encode())
    return digest.hexdigest()[:16]


def _source_files() -> list[tuple[str, Path]]:
    tops = {"isa": Path(isa.__file__).parent, "vecsim": Path(vecsim.engines.__file__).parent.parent}
    found = []
    for source in SOURCES:
        top, _, rest = source.partition("/")
        found += [(path.relative_to(tops[top]).as_posix(), path) for path in sorted(tops[top].glob(rest))]
    return found


def _content(value: Any, seen: set[int]) -> Iterator[str]:
    """Name what a function does: its code, its constants, and the same of all that it refers to."""
    if id(value) in seen:
        return
    if isinstance(value, types.CodeType):
        yield value.co_code.hex()
        yield repr(value.co_names + value.co_varnames + value.co_freevars)
        for constant in value.co_consts:
            yield from _content(constant, seen)
    elif isinstance(value, types.FunctionType):
        seen.add(id(value))
        yield from _content(value.__code__, seen)
        for cell in value.__closure__ or ():
            yield from _content(cell.cell_contents, seen)
        for name in sorted(_global_names(value.__code__) & value.__globals__.keys()):
            yield name
            yield from _content(value.__globals__[name], seen)
    elif isinstance(value, types.ModuleType | type | types.BuiltinFunctionType):
        yield getattr(value, "__qualname__", value.__name__)
    else:
        yield repr(value)


def _global_names(code: types.CodeType) -> set[str]:
    inner = [_global_names(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*inner)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


@lru_cache(maxsize=16)
def compiled_loop(instruction_set: InstructionSet, loop: str) -> Loop:
    """Give a compiled loop for an instruction set, from the cache if it is there.

    Parameters
    ----------
    loop
        ``one_port`` or ``stepwise``, a name of :data:`vecsim.engines.jit.compilation.MAKERS`.
    """
    path = cache_folder() / f"{loop}-{fingerprint(instruction_set)}.pickle"
    code = _kept(path)
    if code is None:
        with _one_process(path.with_name(f"{loop}.lock")):
            code = _kept(path) or _compiled(instruction_set, loop, path)
    return _loaded(code)


def _compiled(instruction_set: InstructionSet, loop: str, path: Path) -> MachineCode:
    """Compile a loop and keep it.

    Raises
    ------
    UserError
        The semantics of a user's own instruction are none that can be compiled.
    """
    _say("compiling the engine for its first use on this machine: about half a minute")
    from numba.core.errors import NumbaError

    from vecsim.engines.jit.compilation import compile_loop
    from vecsim.engines.jit.compiler_messages import in_one_line

    try:
        code = compile_loop(instruction_set, loop)
    except NumbaError as error:
        raise UserError(in_one_line(str(error))) from None
    _keep(path, code)
    return code


@contextmanager
def _one_process(path: Path) -> Iterator[None]:
    """Let one process in at a time, so that the next finds what it has compiled; a folder in which there can
    be no lock lets all in.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            _say("another process compiles the engine: waiting for it")
            lock.acquire()
    except (OSError, NotImplementedError):
        pass
    try:
        yield
    finally:
        lock.release()


def _kept(path: Path) -> MachineCode | None:
    try:
        return MachineCode(*pickle.loads(path.read_bytes()))
    except (OSError, pickle.UnpicklingError, EOFError, TypeError):
        return None


def _keep(path: Path, code: MachineCode) -> None:
    """Write compiled code; a folder that cannot be written costs a compilation each time, no more."""
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(pickle.dumps(tuple(code)))
        temporary.replace(path)
        kept = sorted(path.parent.glob("*-*.pickle"), key=lambda file: file.stat().st_mtime, reverse=True)
        for old in kept[KEPT:]:
            old.unlink(missing_ok=True)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@lru_cache(maxsize=1)
def _execution_engine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)


def _loaded(code: MachineCode) -> Loop:
    """Load machine code into this process.

    Numba's calling convention: a pointer for the result, one for an exception, the arguments; gives a status.
    """
    engine = _execution_engine()
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code.content))
    engine.finalize_object()
    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    prototype = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, integer, integer, integer, integer)
    function = prototype(engine.get_function_address(code.symbol))

    def run(table: int, stop_cycle: int, stop_count: int, capacity: int) -> int:
        result, exception = ctypes.c_int64(), ctypes.c_void_p()
        failed = function(
            ctypes.addressof(result), ctypes.addressof(exception), table, stop_cycle, stop_count, capacity
        )
        if failed:
            raise AssertionError("compiled code raised an exception")
        return result.value

    return run
