"""The compiled interpreter in this process: its parts from the cache on disk, or compiled now and kept."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.riscv.instructions import REVISIONS, ROWS, forgets
from vecsim.engines.jit.object_files import cache as code_cache
from vecsim.engines.jit.object_files.fingerprints import fingerprint_of_functions
from vecsim.engines.jit.object_files.loading import loaded
from vecsim.riscv.interface import LOOP, RECORDING_LOOP, families_of, function_name, part_of, rows_of
from vecsim.support.errors import UserError, in_words

SOURCES = (
    "isa/riscv/declaration.py",
    "isa/riscv/state.py",
    "vecsim/riscv/arrays.py",
    "vecsim/riscv/compilation.py",
    "vecsim/riscv/interface.py",
    "vecsim/riscv/table.py",
    "vecsim/engines/recorded/events.py",
    "vecsim/riscv/nodes/events.py",
    "vecsim/riscv/nodes/node.py",
)
"""What compiled code is made from, in addition to the semantics and the compiler."""


@cache
def semantics_addresses() -> npt.NDArray[np.int64]:
    """Return the addresses of semantics by the number of an instruction: 0 where none is loaded."""
    return np.zeros(len(ROWS), np.int64)


forgets(semantics_addresses.cache_clear)


def load_instruction(number: int) -> None:
    """Load the part that executes an instruction; :func:`semantics_addresses` then has what it executes.

    Raises
    ------
    UserError
        Numba must not compile.
    """
    part = part_of(ROWS[number])
    engine, addresses = _engine(part), semantics_addresses()
    for each, row in rows_of(part).items():
        addresses[each] = engine.get_function_address(function_name(part, row.semantics))


@cache
def compiled_loop(part: str = LOOP) -> Callable[[int, int], int]:
    """Return a loop as ``run(table, stop)``.

    Numba's calling convention: a pointer for the result, one for an exception, the arguments; gives a status.

    Raises
    ------
    UserError
        Numba must not compile.
    """
    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    prototype = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, integer, integer)
    function = prototype(_engine(part).get_function_address(part))

    def run(table: int, stop: int) -> int:
        result, exception = ctypes.c_int64(), ctypes.c_void_p()
        if function(ctypes.addressof(result), ctypes.addressof(exception), table, stop):
            raise AssertionError("compiled code raised an exception")
        return result.value

    return run


@cache
def _engine(part: str) -> Any:
    """Return a part as LLVM has loaded it."""
    file = f"{part}-{_fingerprint(part)}"
    content = code_cache.read(file)
    if content is None:
        with code_cache.one_process():
            content = code_cache.read(file)
            if content is None:
                content = _compiled(part)
                code_cache.write(file, content)
    return loaded(content)


def _fingerprint(part: str) -> str:
    if part in (LOOP, RECORDING_LOOP):
        functions = {str(number): row.semantics for number, row in rows_of(LOOP).items()}
    else:
        functions = {function_name(part, each): each for each in families_of(part).values()}
    return fingerprint_of_functions(functions, SOURCES)


def _compiled(part: str) -> bytes:
    from numba.core import config
    from numba.core.errors import NumbaError

    if config.DISABLE_JIT:
        raise UserError("NUMBA_DISABLE_JIT is set, so RISC-V programs cannot be executed; unset it")
    code_cache.say(f"compiling {part.replace('_', ' ')} for its first use on this machine: some seconds")
    from vecsim.riscv.compilation import compile_part

    try:
        return compile_part(part)
    except NumbaError as error:
        extension = next((name for name in REVISIONS if part.startswith(f"riscv_{name}_")), None)
        if extension is None:
            raise
        raise UserError(
            f"extension {extension}: its RISC-V instructions cannot be compiled: {in_words(error)}"
        ) from None
