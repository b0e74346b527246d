"""Compiled kernels kept in a folder, so that a kernel that one process has compiled no other needs to.

Numba's own files know a kernel by the bytes of what it is made of, and those of an intrinsic differ from
process to process. Here a kernel is known by where it stands in the source, what its factory closed over and
its signature, together with the source of this package or of its file, the versions of what compiles it, and
the device.

The folder is that of ``VECSIM_KERNELS``; without it nothing is kept. What Numba gives to keep is a pickle,
which may run anything when it is read: so only whole files of the user's own are read, from a folder that
nobody else can write (`vecsim.results.private_files`). Any other folder is not used, and one line says why.
"""

import contextlib
import copy
import functools
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from vecsim.results import private_files
from vecsim.results.cache_folder import cache_folder
from vecsim.results.file_digests import sha256_or_empty
from vecsim.results.private_files import NotPrivateError
from vecsim.support.errors import UserError
from vecsim.support.input_files import EXTENSION
from vecsim.support.kept_kernels import KeptKernels, compiled_by

FOLDER = "VECSIM_KERNELS"


class UnknownError(Exception):
    """A kernel contains an object whose name does not identify it."""


@contextlib.contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Keep kernels in a folder meanwhile, those of this process and of processes that it starts."""
    before = os.environ.get(FOLDER)
    os.environ[FOLDER] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[FOLDER]
        else:
            os.environ[FOLDER] = before


def kept_for_later() -> contextlib.AbstractContextManager[None]:
    """Keep kernels for later processes, too: in the named folder, otherwise in that of the cache of
    vecsim.
    """
    return kept_in(Path(os.environ.get(FOLDER) or cache_folder() / "kernels"))


def compiled_for(kernel: Any, signature: Any, registers: int = 0) -> Any:
    """Return what a kernel of `cuda.jit` compiles to, bound to the first device; the folder may have it.

    Parameters
    ----------
    kernel, signature
        The kernel, and the types of its arguments.
    registers
        The most of a thread; 0 leaves it to the compiler. The assembler alone knows of it, so that kernels
        that differ in it are compiled once.
    """
    before = kernel.__dict__.setdefault("compiled_before", {})
    if (signature, registers) not in before:
        before[signature, registers] = _compiled_or_kept(kernel, signature, registers)
    return before[signature, registers]


def _compiled_or_kept(kernel: Any, signature: Any, registers: int) -> Any:
    keep(kernel)
    kernel.compile(signature)
    compiled = kernel.overloads[signature]
    compiled.bind()
    if not registers or compiled.regs_per_thread <= registers:
        return compiled
    recorded = kernel._cache if isinstance(kernel._cache, _Kept) else None
    name = f"{signature} with {registers} registers"
    result = recorded.load_overload(name, None) if recorded else None
    if result is None:
        result = assembled_again(_with_its_source(kernel, signature, compiled), registers)
        result.bind()
        if recorded:
            recorded.save_overload(name, result)
    return result


def _with_its_source(kernel: Any, signature: Any, compiled: Any) -> Any:
    """Return a compiled kernel that can be assembled again; one from the folder lacks what is linked then."""
    library = compiled._codelibrary
    if not library._lto or library._llvm_strs != []:
        return compiled
    from numba.cuda.dispatcher import _Kernel

    return _Kernel(kernel.py_func, signature, **kernel.targetoptions)


def assembled_again(compiled: Any, registers: int) -> Any:
    """Return a compiled kernel again, not assembled yet, with a limit of registers for its threads.

    Parameters
    ----------
    compiled, registers
        The kernel, and the most of a thread.
    """
    built, library = copy.copy(compiled), copy.copy(compiled._codelibrary)
    library._max_registers = registers
    library._cubin_cache, library._linkerinfo_cache, library._cufunc_cache = {}, {}, {}
    built._codelibrary = library
    return built


def keep(kernel: Any) -> None:
    """Let a kernel that `cuda.jit` made be sought in the folder before it is compiled, and be kept there."""
    folder = os.environ.get(FOLDER)
    if folder and _is_private(Path(folder)):
        kernel._cache = _Kept(kernel, Path(folder))


@functools.cache
def _is_private(folder: Path) -> bool:
    """Return whether kernels may come from a folder; the reason why not is reported once."""
    try:
        private_files.check_folder(folder)
    except NotPrivateError as error:
        print(f"vecsim: compiled kernels are not kept: {error}", file=sys.stderr)
        return False
    return True


def identity(built: Any) -> str:
    """Name a kernel, or anything that a kernel is made of, alike in all processes.

    Raises
    ------
    UnknownError
        If that cannot be.
    """
    if hasattr(built, "made_of"):  # generated: its text, and what the names in that mean
        return f"generated{identity(built.made_of)}"
    if isinstance(built, FunctionType):
        try:
            closed_over = [cell.cell_contents for cell in built.__closure__ or ()]
        except ValueError:
            raise UnknownError("a variable of a closure has no value yet") from None
        inner = identity((*closed_over, *(built.__defaults__ or ())))
        where = f"{built.__module__}.{built.__qualname__}:{built.__code__.co_firstlineno}"
        return f"{where}{_of_its_file(built)}{inner}"
    if isinstance(built, type | BuiltinFunctionType):
        return f"{built.__module__}.{built.__qualname__}"
    if isinstance(built, tuple):
        return f"({','.join(map(identity, built))})"
    if built is None or isinstance(built, bool | int | float | str | np.generic | np.dtype):
        return f"{type(built).__name__} {built!r}"
    if hasattr(built, "py_func"):  # what cuda.jit makes
        options = tuple(f"{name}={value!r}" for name, value in sorted(built.targetoptions.items()))
        return f"jit{identity((built.py_func, *options))}"
    if hasattr(built, "_defn"):  # an intrinsic
        return f"intrinsic{identity(built._defn)}"
    raise UnknownError(f"{type(built).__name__} has no name that is the same in all processes")


class _Kept(KeptKernels):
    """A kernel in files of a folder."""

    def __init__(self, kernel: Any, folder: Path) -> None:
        self._kernel, self.cache_path = kernel, folder

    def read(self, signature: Any) -> bytes | None:
        """Return the content of the file of a signature, None if there is none."""
        return private_files.read(self._file(signature))

    def write(self, signature: Any, content: bytes) -> None:
        """Write the file of a signature, if the kernel can be named and the file can be written."""
        with contextlib.suppress(UserError, UnknownError):
            private_files.write(self._file(signature), content)

    def _file(self, signature: Any) -> Path:
        what = f"{identity(self._kernel)} {compiled_by(signature)} {source_digest()}"
        return self.cache_path / f"{hashlib.sha256(what.encode()).hexdigest()}.kernel"


@functools.cache
def source_digest() -> str:
    """Return a digest of the package `gpu`, and of the formats that its kernels take constants from."""
    result = hashlib.sha256()
    package = Path(__file__).parents[1]
    for folder in (package, package.with_name("vecsim") / "formats"):
        for file in sorted(folder.rglob("*.py")):
            result.update(file.read_bytes())
    return result.hexdigest()


def _of_its_file(built: FunctionType) -> str:
    """Return a digest of the file of a function that is in no package of vecsim; of others it is empty.

    Raises
    ------
    UnknownError
        There is no such file.
    """
    if built.__module__.partition(".")[0] in ("gpu", "vecsim", "numba"):
        return ""
    digest = sha256_or_empty(Path(built.__code__.co_filename), EXTENSION)
    if not digest:
        raise UnknownError(f"{built.__qualname__} is not in a file")
    return digest
