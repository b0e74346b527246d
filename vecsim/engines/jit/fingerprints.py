"""What compiled code was made from, as a name: code of another name is of no use.

Numba's own cache looks at the file of one function and misses edits everywhere else.
"""

from __future__ import annotations

import hashlib
import platform
import sys
import types
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

import isa
import vecsim.engines
from isa.declaration import Instruction
from vecsim.engines.rebinding import functions_within
from vecsim.machine import Extension

SOURCES = (
    "isa/declaration.py",
    "isa/state.py",
    "vecsim/engines/cause.py",
    "vecsim/engines/columns/*.py",
    "vecsim/engines/decoded.py",
    "vecsim/engines/machine_numbers.py",
    "vecsim/engines/own_code.py",
    "vecsim/engines/own_rules.py",
    "vecsim/engines/own_values.py",
    "vecsim/engines/program_table.py",
    "vecsim/engines/rebinding.py",
    "vecsim/engines/record.py",
    "vecsim/engines/timeline.py",
    "vecsim/engines/rules/*.py",
    "vecsim/engines/jit/*.py",
)


def fingerprint(rows: Iterable[Instruction]) -> str:
    """Give a hash of all that compiled code of the engine with these instructions is made from.

    That is the sources of this package and the declarations that it reads, the code of every row's
    semantics, the processor, and the versions of the compiler.
    """
    digest = hashlib.sha256()
    compiler = [version(name) for name in ("numba", "llvmlite", "numpy")]
    host = (platform.machine(), llvm.get_host_cpu_name(), sorted(llvm.get_host_cpu_features().items()))
    versions = (sys.version, compiler, host)
    digest.update(repr(versions).encode())
    for name, path in _source_files():
        digest.update(name.encode() + path.read_bytes())
    for row in rows:
        shape = (row.mnemonic, int(row.unit), int(row.timing), len(row.operands))
        digest.update(repr(shape).encode())
        for part in _content(row.semantics, set()):
            digest.update(part.encode())
    return digest.hexdigest()[:16]


def own_fingerprint(rows: Iterable[Instruction]) -> str:
    """Give a hash of all that the compiled code of user-defined instructions is made from, with its places.

    Compiled code names them where it fails.
    """
    digest = hashlib.sha256(fingerprint(rows := list(rows)).encode())
    for row in rows:
        digest.update(_places(row.semantics))
    return digest.hexdigest()[:16]


def extension_fingerprint(extensions: Iterable[Extension]) -> str:
    """Give a hash of all that extensions add to compiled code, and of the places in which it finds that."""
    digest = hashlib.sha256()
    for extension in extensions:
        for parts in (extension.numbers, extension.counters, extension.arrays):
            digest.update(repr([part.name for part in parts]).encode())
        for replacement in extension.replacements:
            digest.update(f"{replacement.rule.__module__}.{replacement.rule.__name__}".encode())
            for part in _content(replacement.function, set()):
                digest.update(part.encode())
            digest.update(_places(replacement.function))
    return digest.hexdigest()[:16]


def _places(function: Any) -> bytes:
    """Name the lines of a function and of all that it calls."""
    codes = [each.__code__ for each in functions_within(function, set())]
    return repr([(code.co_filename, code.co_firstlineno, code.co_linetable) for code in codes]).encode()


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
