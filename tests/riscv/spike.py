"""Spike, the reference for what instructions compute: ``SPIKE`` names it, or it is on PATH."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.riscv.program_image import elf_of
from tests.riscv.riscv_elf import TEXT_BASE

SECONDS = 20


def find_spike():
    """Return its path; None if it is not there."""
    return shutil.which(os.environ.get("SPIKE", "spike"))


def isa_of(vlen):
    """Return the instruction set with vector registers of VLEN bits, as Spike names it."""
    return f"rv64gcv_zvl{vlen}b_zba_zbb" if vlen >= 128 else f"rv64gc_zve64d_zvl{vlen}b_zba_zbb"


def on_spike(program, spike):
    """Execute a program on Spike; return the state that it leaves."""
    with tempfile.TemporaryDirectory(prefix="vecsim-spike-") as folder:
        file, signature = Path(folder, "program.elf"), Path(folder, "signature")
        file.write_bytes(elf_of(program))
        command = [spike, f"--isa={isa_of(program.layout.vlen)}", f"-m{TEXT_BASE:#x}:0x100000"]
        command += [f"+signature={signature}", "+signature-granularity=8", str(file)]
        subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
        lines = signature.read_text().split()
    return b"".join(int(line, 16).to_bytes(8, "little") for line in lines)
