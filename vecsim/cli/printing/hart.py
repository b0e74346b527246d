"""What a RISC-V program has done: its output, its exit code, and the registers of its hart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vecsim.cli.printing.output import Output
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from isa.riscv.program import RiscvProgram
    from isa.riscv.state import Hart
    from vecsim.riscv.timing.program import TimedProgram

A_LINE = 8
"""Elements that stand in a line."""


def show_execution(output: Output, program: RiscvProgram, timed: TimedProgram) -> dict[str, Any]:
    """Show how a program ended and what it has written, and return this as plain data."""
    from isa.riscv.extensions import isa_text

    done = timed.result
    written = done.output.decode("utf-8", "replace")
    vlen, dlen = timed.riscv.vlen, timed.riscv.group_bits
    isa, count = isa_text(program.extensions), counted(done.instructions, "instruction")
    output.text(f"{program.name}: {isa}, VLEN {vlen}, DLEN {dlen}: {count}, exit code {done.exit_code}")
    if written:
        output.text(written.rstrip("\n"))
    return {
        "vlen": vlen,
        "dlen": dlen,
        "instructions": done.instructions,
        "exit_code": done.exit_code,
        "output": written,
    }


def show_hart(output: Output, hart: Hart) -> dict[str, Any]:
    """Show the registers of a hart that are not zero, and return them as plain data.

    Vector registers have elements of the width that vtype says, read as integers and, where there are such
    floats, as floats.
    """
    from vecsim.riscv.registers import configuration, scalar_values, vector_values

    special, scalars, vectors = configuration(hart), scalar_values(hart), vector_values(hart)
    output.text("registers that are not zero")
    for name, text in special.items():
        output.text(f"  {name:<10} {text}")
    for name, value in scalars.items():
        if value:
            output.text(f"  {name:<10} {value}")
    for name, views in vectors.items():
        for view, values in views.items():
            if any(values):
                shown = "  ".join(
                    f"{value:.9g}" if view[0] == "f" else str(value) for value in values[:A_LINE]
                )
                more = f"  ... {counted(len(values), 'element')}" if len(values) > A_LINE else ""
                output.text(f"  {name:<4} {view:<5} {shown}{more}")
    used = {name: views for name, views in vectors.items() if any(any(each) for each in views.values())}
    return {"special": special, "scalar": {k: v for k, v in scalars.items() if v}, "v": used}
