"""The registers after a run; those that hold zero are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from vecsim.cli.printing.memory_dump import A_LINE, written
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from isa.state import State
    from vecsim.cli.printing.output import Output
    from vecsim.machine import Machine


def show_registers(output: Output, state: State, machine: Machine, width: Literal[4, 8]) -> dict[str, Any]:
    """Show the registers that are not zero, the vector mask among them, and give them as plain data.

    Vector registers are given twice, their elements read as integers and as floats.

    Parameters
    ----------
    output
        Where to show them.
    state, machine
        The registers after the run, and the machine that has them.
    width
        Bytes of a float, 4 or 8.
    """
    from isa.declaration import SPECIAL_REGISTERS

    kind = "float" if width == 4 else "double"
    floats = state.fs[::2] if width == 4 else state.fd
    scalar = {f"x{number}": int(value) for number, value in enumerate(state.x) if value}
    real = {f"f{number}": float(floats[number]) for number, value in enumerate(state.f) if value}
    special = dict(zip(SPECIAL_REGISTERS, state.special.tolist(), strict=True))
    vectors = _vectors(state, machine, width)
    mask = state.mask.tolist()

    output.text("registers that are not zero")
    for group in (scalar, special):
        for name, value in group.items():
            output.text(f"  {name:<8} {value}")
    if any(mask):
        output.text(f"  {'mask':<8} {_bits(mask)}  {sum(mask)} of {counted(len(mask), 'element')}")
    for name, number in real.items():
        output.text(f"  {name:<8} {written(number, kind)}")
    for name, views in vectors.items():
        for view, values in views.items():
            shown = "  ".join(written(value, view) for value in values[:A_LINE])
            more = f"  ... {counted(len(values), 'element')}" if len(values) > A_LINE else ""
            output.text(f"  {name:<8} {view:<7} {shown}{more}")
    return {"x": scalar, "f": real, "special": special, "mask": mask, "v": vectors}


def _bits(mask: list[int]) -> str:
    """Write a mask in groups of eight elements, element 0 first, up to the last group that has a one."""
    used = len(mask) - mask[::-1].index(1)
    groups = ("".join(map(str, mask[start : start + A_LINE])) for start in range(0, used, A_LINE))
    return " ".join(groups)


def _vectors(state: State, machine: Machine, width: Literal[4, 8]) -> dict[str, dict[str, list[Any]]]:
    s = machine.section_size
    if width == 4:
        views: dict[str, Any] = {"word": state.vw[::2], "float": state.vs[::2]}
    else:
        views = {"word": state.v, "double": state.vd}
    found = {}
    for number in range(machine.vector_registers):
        elements = slice(number * s, (number + 1) * s)
        if state.v[elements].any():
            found[f"v{number}"] = {view: values[elements].tolist() for view, values in views.items()}
    return found
