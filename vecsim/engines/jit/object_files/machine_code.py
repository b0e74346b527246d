"""The compiled engine in this process: its parts from the cache on disk, or compiled now and kept there.

What is kept are object files, which LLVM loads without Numba, whose import alone takes as long as a run.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isa.declaration import Instruction, InstructionSet
from vecsim.engines.jit.interface import (
    BASE_ROWS,
    MASKED,
    MASKED_ROWS,
    MULTIPORT_LOOP,
    PARTS_OF_LOOP,
    SINGLE_PORT,
    SLOW_PATHS,
    USER,
    VECTOR,
    VECTOR_ROWS,
    operations_of,
    row_name,
)
from vecsim.engines.jit.object_files import cache as code_cache
from vecsim.engines.jit.object_files.cache import say
from vecsim.engines.jit.object_files.fingerprints import extension_fingerprint, fingerprint, own_fingerprint
from vecsim.engines.jit.object_files.loading import loaded
from vecsim.engines.jit.user.errors import raised_by
from vecsim.engines.recorded.events import KIND_OF
from vecsim.engines.user_rules import Extensions, replaces_rules
from vecsim.machine import Machine
from vecsim.support.errors import UserError
from vecsim.support.worker_processes import start_module

PART_PROCESS = "vecsim.engines.jit.object_files.part_process"
Loop = Callable[[int, int, int, int], int]
"""``loop(table, stop_cycle, stop_count, capacity)``; see :func:`vecsim.engines.jit.single_port.loop`."""


class MachineCode(NamedTuple):
    """A loop, the operation of each row of the instruction set, addresses of semantics by operation, and that
    of the slow paths (0 if the loop has none).
    """

    loop: Loop
    operations: npt.NDArray[np.int64]
    semantics: npt.NDArray[np.int64]
    slow_paths: npt.NDArray[np.int64]
    kept_in_memory: tuple[Any, ...]


@lru_cache(maxsize=16)
def machine_code(
    instruction_set: InstructionSet, loop: str, extensions: Extensions = (), *, masked: bool = False
) -> MachineCode:
    """Return the compiled code that runs programs of an instruction set, from the cache if it is there.

    Parameters
    ----------
    instruction_set
        That of the programs.
    loop
        ``single_port`` or ``multiport_loop``.
    extensions
        Those of the machine, whose rules the multiport loop takes.
    masked
        Whether the programs have instructions under mask.
    """
    numbers, own = operations_of(instruction_set)
    own = {operation: row for operation, row in own.items() if row.semantics not in KIND_OF}
    files = _files(loop, extensions)
    if VECTOR_ROWS.keys().isdisjoint(numbers.tolist()):
        files.pop(VECTOR, None)
    if masked:
        files[MASKED] = f"{MASKED}-{_made_from()}"
    if own:
        files[USER] = f"{USER}-{own_fingerprint(own.values())}"
    match = _kept(files)
    if len(match) < len(files):
        with code_cache.one_process():
            match = _kept(files)
            missing = [name for name in files if name not in match]
            for name, content in _compiled(missing, own, extensions).items() if missing else ():
                code_cache.write(files[name], content)
                match[name] = content
    engines = {name: loaded(content) for name, content in match.items()}
    semantics = np.zeros(len(BASE_ROWS) + len(own), np.int64)
    for name, rows in ((VECTOR, VECTOR_ROWS), (MASKED, MASKED_ROWS), (USER, own)):
        for operation in rows if name in engines else ():
            semantics[operation] = engines[name].get_function_address(row_name(operation))
    slow_paths = np.zeros(1, np.int64)
    if SLOW_PATHS in engines:
        slow_paths[0] = engines[SLOW_PATHS].get_function_address(SLOW_PATHS)
    # Where own semantics and rules ran, the semantics failed: rules call them.
    user_code = [engines[name] for name in (USER, loop) if name in engines]
    run = _callable(engines[loop].get_function_address(loop), user_code)
    return MachineCode(run, numbers, semantics, slow_paths, tuple(engines.values()))


def loop_of(machine: Machine) -> str:
    """Name the loop that runs programs on a machine from their beginning.

    The single-port loop stands for all rules as they are, but for renaming and for memory with latency or
    caches.
    """
    return SINGLE_PORT if machine.has_one_stream and not replaces_rules(machine) else MULTIPORT_LOOP


def is_kept(loop: str, extensions: Extensions = ()) -> bool:
    """Return whether the cache has what a loop needs, without an instruction of the user's own."""
    return all(code_cache.has(file) for file in _files(loop, extensions).values())


def _files(loop: str, extensions: Extensions) -> dict[str, str]:
    """Return the file of each part of a loop."""
    files = {name: f"{name}-{_made_from()}" for name in PARTS_OF_LOOP[loop]}
    if MULTIPORT_LOOP in files and extensions:
        files[MULTIPORT_LOOP] += f"-{extension_fingerprint(extensions)}"
    return files


@cache
def _made_from() -> str:
    """Return the fingerprint of the instructions that come with vecsim; a sweep asks for it often."""
    return fingerprint(BASE_ROWS.values())


def _kept(files: Mapping[str, str]) -> dict[str, bytes]:
    read = {name: code_cache.read(file) for name, file in files.items()}
    return {name: content for name, content in read.items() if content is not None}


def _compiled(missing: list[str], own: Mapping[int, Instruction], extensions: Extensions) -> dict[str, bytes]:
    """Compile parts at the same time: loops and own instructions here, each other part in its own process.

    Raises
    ------
    UserError
        The semantics of a user's own instruction, or a rule of an extension, are none that can be compiled,
        or Numba must not compile.
    """
    from numba.core import config

    if config.DISABLE_JIT:
        raise UserError(
            "NUMBA_DISABLE_JIT is set, so the engine jit is not compiled; unset it, or take --engine simpy"
        )
    if missing == [MASKED]:
        say("compiling instructions under mask for their first use: a few seconds")
    elif missing == [USER]:
        say("compiling user-defined instructions for their first use: a few seconds")
    elif extensions and MULTIPORT_LOOP in missing:
        say("compiling the engine with your extension for its first use: some 20 seconds")
    else:
        say("compiling the engine for its first use on this machine: some 20 seconds")
    aside = [name for name in missing if name in (SLOW_PATHS, VECTOR, MASKED)]
    if len(aside) == len(missing):
        aside.pop()
    with ExitStack() as stack:
        processes = {name: stack.enter_context(_process(name)) for name in aside}
        from vecsim.engines.jit.compiler.compilation import in_one_line
        from vecsim.engines.jit.object_files.parts import compile_part

        try:
            compiled = {
                name: compile_part(name, own, extensions) for name in missing if name not in processes
            }
        except UserError:
            raise
        except Exception as error:
            if not own and not extensions:
                raise
            raise UserError(in_one_line(str(error))) from None
        for name, process in processes.items():
            compiled[name] = _output(process) or compile_part(name)
    return compiled


@contextmanager
def _process(part: str) -> Iterator[subprocess.Popen[bytes] | None]:
    """Start a process that compiles a part and ends with this one; None where no process can be started."""
    made_from = _made_from()
    process = start_module(PART_PROCESS, part, made_from, output=subprocess.PIPE)
    if process is None:
        yield None
        return
    with process:
        try:
            yield process
        finally:
            process.kill()


def _output(process: subprocess.Popen[bytes] | None) -> bytes:
    """Return what a process writes; nothing if it failed."""
    if process is None or process.stdout is None:
        return b""
    content = process.stdout.read()
    return content if process.wait() == 0 else b""


def _callable(address: int, user_code: list[Any]) -> Loop:
    """Return a loop as a function.

    Numba's calling convention: a pointer for the result, one for an exception, the arguments; gives a status.
    The function raises what user-defined code in these object files raises.
    """
    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    prototype = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, integer, integer, integer, integer)
    function = prototype(address)

    def run(table: int, stop_cycle: int, stop_count: int, capacity: int) -> int:
        result, exception = ctypes.c_int64(), ctypes.c_void_p()
        failed = function(
            ctypes.addressof(result), ctypes.addressof(exception), table, stop_cycle, stop_count, capacity
        )
        if failed:
            raise raised_by(user_code, exception.value) or AssertionError("compiled code raised an exception")
        return result.value

    return run
