"""How LLVM loads an object file, without Numba."""

from __future__ import annotations

from typing import Any


def loaded(content: bytes) -> Any:
    """Load an object file; each by itself, since they name their functions alike."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(content))
    engine.finalize_object()
    return engine
