"""Compilation of the engine for an instruction set, and its cache on disk.

Numba's own cache looks at the file of the one function that it caches and misses edits everywhere else. Here
compiled code is filed under a fingerprint of all that it was made from: the sources of this package, the
declarations that it reads, the code of every row's semantics, and the versions of the compiler.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen

import isa
import vecsim.engines
from isa.declaration import InstructionSet
from vecsim.engines.jit.one_port import make_one_port
from vecsim.engines.jit.semantics import compile_semantics
from vecsim.engines.jit.stepwise.cycle import make_stepwise

SIGNATURE = "int64(int64, int64, int64, int64)"
CACHE_FOLDER = "VECSIM_CACHE"
"""Environment variable that names the folder for compiled code."""
KEPT = 8
"""Compiled engines that stay in the folder; the oldest go."""

SOURCES = (
    "isa/declaration.py",
    "isa/state.py",
    "vecsim/engines/columns.py",
    "vecsim/engines/record.py",
    "vecsim/engines/timeline.py",
    "vecsim/engines/jit/**/*.py",
)

Announce = Callable[[str], None]


def cache_folder() -> Path:
    """Give the folder for compiled code: ``VECSIM_CACHE``, or ``vecsim`` in the user's cache folder."""
    named = os.environ.get(CACHE_FOLDER)
    if named:
        return Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "vecsim"


def fingerprint(instruction_set: InstructionSet) -> str:
    """Give a hash of all that the compiled engine is made from."""
    digest = hashlib.sha256()
    versions = (sys.version, platform.machine(), numba.__version__, llvmlite.__version__, np.__version__)
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


def _cache_in(folder: Path) -> type[FunctionCache]:
    """Give Numba's cache of one function, in a folder that is named by what the function is made from."""

    class Locator:
        def __init__(self, path: str) -> None:
            self._py_file = path

        def ensure_cache_path(self) -> None:
            folder.mkdir(parents=True, exist_ok=True)

        def get_cache_path(self) -> str:
            return str(folder)

        def get_source_stamp(self) -> str:
            return folder.name

        def get_disambiguator(self) -> str:
            return ""

        @classmethod
        def from_function(cls, function: Any, path: str) -> Any:
            return cls(path)

    class Implementation(CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class Cache(FunctionCache):  # type: ignore[misc]
        _impl_class = Implementation

        def _index_key(self, signature: Any, codegen: Any) -> Any:
            return signature, codegen.magic_tuple()

        def save_overload(self, signature: Any, data: Any) -> None:
            try:
                super().save_overload(signature, data)
            except OSError:
                return  # a folder that cannot be written costs a compilation each time, no more
            _forget_old(folder.parent)

    return Cache


def _forget_old(parent: Path) -> None:
    engines = [path for path in parent.glob("engine-*") if path.is_dir()]
    engines.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in engines[KEPT:]:
        shutil.rmtree(path, ignore_errors=True)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


announce: Announce = _say
"""Where the engine says that it compiles; the command line puts its own console here."""


def _leave(library: Any) -> None:
    """Leave a library as it is."""


@contextmanager
def _inner_functions_stay_inside(outermost: str) -> Iterator[None]:
    """Optimise the outermost function alone, with all that is inside it, and make machine code of it alone.

    Numba does both for every function that it compiles. Here all but one are only ever linked into that one,
    and doing it once takes half the time.
    """
    names = ("_optimize_functions", "_optimize_final_module", "_finalize_final_module")
    originals = {name: getattr(JITCodeLibrary, name) for name in names}
    set_environment = JITCPUCodegen.set_env

    def for_outermost(name: str, otherwise: Callable[[Any], None]) -> Callable[..., None]:
        def run(library: Any, *arguments: Any) -> None:
            if library.name == outermost:
                originals[name](library, *arguments)
            else:
                otherwise(library)

        return run

    def finalize(library: Any) -> None:
        library._finalize_dynamic_globals()
        library._finalized = True

    def set_where_there_is_code(codegen: Any, name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):
            set_environment(codegen, name, environment)

    for name in names:
        setattr(JITCodeLibrary, name, for_outermost(name, finalize if name == names[-1] else _leave))
    JITCPUCodegen.set_env = set_where_there_is_code
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(JITCodeLibrary, name, original)
        JITCPUCodegen.set_env = set_environment


MAKERS = {"one_port": make_one_port, "stepwise": make_stepwise}
"""The loops that can run a program: for a machine with one port, and for any, cycle by cycle."""


@lru_cache(maxsize=8)
def compiled_loop(instruction_set: InstructionSet, loop: str) -> Callable[..., int]:
    """Give a compiled loop for an instruction set, from the cache if it is there.

    Parameters
    ----------
    loop
        A name of :data:`MAKERS`.
    """
    folder = cache_folder() / f"engine-{fingerprint(instruction_set)}-{loop}"
    plain = MAKERS[loop](compile_semantics(instruction_set))
    run: Any = numba.njit(error_model="numpy")(plain)
    run._cache = _cache_in(folder)(plain)
    if not any(folder.glob("*.nbc")):
        announce("compiling the engine for its first use on this machine: about half a minute")
    with _inner_functions_stay_inside(plain.__qualname__):
        run.compile(SIGNATURE)
    run.disable_compile()
    ready: Callable[..., int] = run
    return ready
