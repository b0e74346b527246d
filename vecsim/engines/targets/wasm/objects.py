"""The parts of the engine, compiled for WebAssembly from the functions that the native engine is made of."""

from __future__ import annotations

import hashlib
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from vecsim.engines.jit.interface import (
    BASE_ROWS,
    MASKED,
    MASKED_ROWS,
    MULTIPORT_LOOP,
    SINGLE_PORT,
    SLOW_PATHS,
    VECTOR,
    VECTOR_ROWS,
    row_name,
)
from vecsim.engines.jit.object_files import cache
from vecsim.engines.jit.object_files.fingerprints import fingerprint
from vecsim.support.errors import UserError

TRIPLE = "wasm32-unknown-unknown"
PARTS = (SINGLE_PORT, SLOW_PATHS, MULTIPORT_LOOP, VECTOR, MASKED)
ADDRESS_OF = "address_of"
"""``address_of(operation)``: what compiled code calls to execute an operation; 0 if the module has it not."""
OF_SLOW_PATHS = -1
"""In place of an operation: the slow paths of the single-port loop."""
_ROW = "i32 @{}(ptr, ptr, ptr, i64, i64, i64, i64, i64, i64)"
"""Semantics in Numba's calling convention, :func:`vecsim.engines.jit.semantics.row_signature`."""
_ROOT = """
declare {type} @llvm.sqrt.{suffix}({type})
define {type} @{name}({type} %x) {{
  %root = call {type} @llvm.sqrt.{suffix}({type} %x)
  ret {type} %root
}}
"""


def object_files() -> list[bytes]:
    """Return the object files of the module, from the cache of the engine if they are there.

    Raises
    ------
    UserError
        llvmlite cannot compile for WebAssembly.
    """
    machine, made_from = _machine(), _fingerprint()
    files = {name: f"wasm32-{name}-{made_from}" for name in PARTS}
    with nullcontext() if all(map(cache.has, files.values())) else cache.one_process():
        return [*(_part(name, file, machine) for name, file in files.items()), _addresses(machine)]


def _machine() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        target = llvm.Target.from_triple(TRIPLE)
    except RuntimeError:
        raise UserError(f"llvmlite cannot compile for {TRIPLE}; the wheels on PyPI can") from None
    return target.create_target_machine(opt=3)


def _fingerprint() -> str:
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    return hashlib.sha256(f"{fingerprint(BASE_ROWS.values())} {own}".encode()).hexdigest()[:16]


def _part(name: str, file: str, machine: Any) -> bytes:
    content = cache.read(file)
    if content is None:
        from vecsim.engines.jit.compiler.compilation import linked_module, object_file
        from vecsim.engines.jit.object_files.parts import functions_of_part

        module = linked_module(functions_of_part(name))
        module.triple, module.data_layout = TRIPLE, str(machine.target_data)
        for each in module.global_variables:
            if each.linkage.name == "common":  # WebAssembly has no such variables
                each.linkage = "internal"
        content = object_file(module, machine)
        cache.write(file, content)
    return content


def _addresses(machine: Any) -> bytes:
    """Compile :data:`ADDRESS_OF`, and the roots that C's library has elsewhere."""
    import llvmlite.binding as llvm

    names = {operation: row_name(operation) for operation in (VECTOR_ROWS | MASKED_ROWS)}
    names[OF_SLOW_PATHS] = SLOW_PATHS
    lines = [f"declare {_ROW.format(name)}" for name in names.values()]
    cases = " ".join(f"i64 {operation}, label %is_{name}" for operation, name in names.items())
    lines += [
        f"define i64 @{ADDRESS_OF}(i64 %operation) {{",
        f"switch i64 %operation, label %none [ {cases} ]",
    ]
    lines += [f"is_{name}:\nret i64 ptrtoint (ptr @{name} to i64)" for name in names.values()]
    lines += ["none:\nret i64 0", "}"]
    lines += [
        _ROOT.format(name=name, type=kind, suffix=suffix)
        for name, kind, suffix in (("sqrt", "double", "f64"), ("sqrtf", "float", "f32"))
    ]
    module = llvm.parse_assembly("\n".join(lines))
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    content: bytes = machine.emit_object(module)
    return content
