"""The module, linked by LLVM's linker for WebAssembly."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from vecsim.engines.jit.interface import MULTIPORT_LOOP, SINGLE_PORT
from vecsim.engines.targets.wasm.objects import ADDRESS_OF
from vecsim.support.errors import UserError

LINKER = "VECSIM_WASM_LD"
"""The variable that names the linker."""
LOOPS = (SINGLE_PORT, MULTIPORT_LOOP)
HEAP = "__heap_base"
"""The global with the first byte of memory that the module does not use itself."""
STACK_BYTES = 1 << 20


def linker() -> str:
    """Return the path of the linker: what ``VECSIM_WASM_LD`` names, or ``wasm-ld`` of the search path.

    Raises
    ------
    UserError
        There is none.
    """
    named = os.environ.get(LINKER)
    if named:
        if path := shutil.which(named):
            return path
        raise UserError(f"{LINKER}: {named}: this is no program; name LLVM's wasm-ld")
    if path := shutil.which("wasm-ld") or _latest():
        return path
    raise UserError(f"wasm-ld is not found: install LLVM's lld (Debian: apt install lld), or set {LINKER}")


def _latest() -> str | None:
    """Return the path of ``wasm-ld-N`` with the largest N, as distributions name it."""
    programs: dict[int, str] = {}
    for folder in os.get_exec_path():
        for path in Path(folder).glob("wasm-ld-*"):
            match = re.fullmatch(r"wasm-ld-(\d+)", path.name)
            if match and os.access(path, os.X_OK):
                programs.setdefault(int(match[1]), str(path))
    return programs[max(programs)] if programs else None


def linked(objects: Iterable[bytes]) -> bytes:
    """Link object files into a module, which imports nothing and exports its memory, its loops and its table.

    Raises
    ------
    UserError
        There is no linker, or it refuses the objects.
    """
    exports = [f"--export={name}" for name in (*LOOPS, ADDRESS_OF, HEAP)]
    options = ["--no-entry", "--stack-first", f"-zstack-size={STACK_BYTES}", "--strip-all", "-O2", *exports]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for k, content in enumerate(objects):
            paths.append(Path(folder) / f"{k}.o")
            paths[-1].write_bytes(content)
        module = Path(folder) / "engine.wasm"
        command = [linker(), *options, "-o", str(module), *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not module.is_file():
            reason = next(iter(done.stderr.splitlines()), f"exit code {done.returncode}")
            raise UserError(f"{command[0]}: {reason}; LLVM's wasm-ld from version 19 on links the engine")
        return module.read_bytes()
