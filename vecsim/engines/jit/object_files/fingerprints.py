"""What compiled code was made from, as a name: code of another name is of no use.

Numba's own cache looks at the file of one function and misses edits everywhere else.
"""

from __future__ import annotations

import enum
import hashlib
import platform
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import isa
import vecsim.engines
from isa.declaration import Instruction
from vecsim.engines.rebinding import functions_within
from vecsim.machine import Extension
from vecsim.support.project_packages import LIBRARIES

SOURCES = (
    "isa/declaration.py",
    "isa/instructions.py",
    "isa/registers.py",
    "isa/rows/*.py",
    "isa/semantics/*.py",
    "isa/state.py",
    "vecsim/engines/**/*.py",
    "vecsim/machine/description.py",
    "vecsim/machine/extension.py",
)
OTHER_TARGETS = "vecsim/engines/targets/"
"""Among them, what only makes use of compiled code, unless it is named itself."""
_PLAIN = frozenset({"builtins", "isa", "vecsim", *sys.stdlib_module_names, *LIBRARIES})
"""Packages whose modules and classes are known by their names: their versions or `SOURCES` count."""


def fingerprint(rows: Iterable[Instruction]) -> str:
    """Return a hash of all that compiled code of the engine with these instructions is made from.

    That is the sources of this package and the declarations that it reads, the code of every row's
    semantics, the processor, and the versions of the compiler.
    """
    digest = _begun(SOURCES)
    for row in rows:
        shape = (row.mnemonic, int(row.unit), int(row.timing), len(row.operands))
        digest.update(repr(shape).encode())
        for part in _content(row.semantics, set()):
            digest.update(part.encode())
    return digest.hexdigest()[:16]


def fingerprint_of_functions(functions: Mapping[str, Callable[..., Any]], sources: tuple[str, ...]) -> str:
    """Return a hash of plain functions by their names in an object file, and of all that they are made from.

    That is the code of all that they call, the sources of what compiles it, the processor, and the versions
    of the compiler.
    """
    digest = _begun((*sources, "vecsim/engines/jit/compiler/*.py", "vecsim/engines/rebinding.py"))
    for name, function in functions.items():
        digest.update(name.encode())
        for part in _content(function, set()):
            digest.update(part.encode())
    return digest.hexdigest()[:16]


def _begun(sources: tuple[str, ...]) -> hashlib._Hash:
    """Begin a hash with the compiler, the processor and sources."""
    import llvmlite.binding as llvm

    digest = hashlib.sha256()
    compiler = [version(name) for name in ("numba", "llvmlite", "numpy")]
    host = (platform.machine(), llvm.get_host_cpu_name(), sorted(llvm.get_host_cpu_features().items()))
    digest.update(repr((sys.version, compiler, host)).encode())
    for name, path in _source_files(sources):
        digest.update(name.encode() + path.read_bytes())
    return digest


def own_fingerprint(rows: Iterable[Instruction]) -> str:
    """Return a hash of all that the compiled code of user-defined instructions is made from, with its places.

    Compiled code names them where it fails.
    """
    digest = hashlib.sha256(fingerprint(rows := list(rows)).encode())
    for row in rows:
        digest.update(_places(row.semantics))
    return digest.hexdigest()[:16]


def extension_fingerprint(extensions: Iterable[Extension]) -> str:
    """Return a hash of all that extensions add to compiled code, and of the places in which it finds that."""
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


def _source_files(sources: tuple[str, ...] = SOURCES) -> list[tuple[str, Path]]:
    tops = {"isa": Path(isa.__file__).parent, "vecsim": Path(vecsim.engines.__file__).parent.parent}
    results = []
    for source in sources:
        top, _, rest = source.partition("/")
        for path in sorted(tops[top].glob(rest)):
            name = path.relative_to(tops[top]).as_posix()
            if source.startswith(OTHER_TARGETS) or not f"{top}/{name}".startswith(OTHER_TARGETS):
                results.append((name, path))
    return results


def _content(value: Any, seen: set[int], names: frozenset[str] = frozenset()) -> Iterator[str]:
    """Name what a function does: its code, its constants, and the same of all that it refers to.

    Parameters
    ----------
    value
        The function, or what it refers to.
    seen
        Identities of functions, modules and classes that have been named.
    names
        What code that refers to a module may take from it.
    """
    if isinstance(value, types.CodeType):
        yield value.co_code.hex() + value.co_exceptiontable.hex()
        yield repr((value.co_names, value.co_varnames, value.co_freevars, value.co_flags))
        yield from _contents(value.co_consts, seen, names)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype.descr} {value.shape} {value.strides} {value.tobytes().hex()}"
    elif isinstance(value, tuple | list | set | frozenset | dict):
        yield f"{type(value).__name__} {len(value)}"
        yield from _contents(value.items() if isinstance(value, dict) else value, seen, names)
    elif isinstance(value, types.FunctionType | types.ModuleType | type):
        yield f"{value.__module__}." if isinstance(value, type) else ""
        yield getattr(value, "__qualname__", value.__name__)
        if id(value) not in seen:
            seen.add(id(value))
            yield from _parts(value, seen, names)
    elif isinstance(value, types.BuiltinFunctionType):
        yield value.__qualname__
    elif hasattr(value, "py_func"):  # what Numba makes
        yield from _content(value.py_func, seen, names)
    else:
        yield repr(value)


def _contents(values: Iterable[Any], seen: set[int], names: frozenset[str]) -> Iterator[str]:
    for value in values:
        yield from _content(value, seen, names)


def _parts(value: Any, seen: set[int], names: frozenset[str]) -> Iterator[str]:
    """Name what a function, a module or a class consists of; of those of libraries nothing."""
    if isinstance(value, types.FunctionType):
        names = frozenset(_global_names(value.__code__))
        known = names & value.__globals__.keys()
        inner: dict[str, Any] = {name: value.__globals__[name] for name in sorted(known)}
        yield from _content(value.__code__, seen, names)
        yield from _contents((value.__defaults__, value.__kwdefaults__), seen, names)
        yield from _contents((cell.cell_contents for cell in value.__closure__ or ()), seen, names)
    elif (value.__module__ if isinstance(value, type) else value.__name__).partition(".")[0] in _PLAIN:
        return
    elif isinstance(value, type) and issubclass(value, enum.Enum):
        inner = {name: member.value for name, member in value.__members__.items()}
    elif isinstance(value, type):
        inner = {name: each for name, each in sorted(vars(value).items()) if not name.startswith("__")}
    else:
        inner = {name: vars(value)[name] for name in sorted(names & vars(value).keys())}
    for name, each in inner.items():
        yield name
        yield from _content(each, seen, names)


def _global_names(code: types.CodeType) -> set[str]:
    inner = [_global_names(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*inner)
