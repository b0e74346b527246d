"""The programs that were measured, as texts: loops over arrays of 64-bit numbers, single instructions."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TWO_PRODUCTS = (
    *("lv.d v0, (B)", "lv.d v1, (C)", "mulvv.d v2, v0, v1", "lv.d v3, (D)", "lv.d v4, (E)"),
    *("mulvv.d v5, v3, v4", "addvv.d v6, v2, v5", "sv.d v6, (A)"),
)
LOOPS: Mapping[str, tuple[str, ...]] = {
    # DO loops of Russell's Table 3.
    "A=1": ("movvx v0, x0", "sv.d v0, (A)"),
    "A=B": ("lv.d v0, (B)", "sv.d v0, (A)"),
    "A=B+10": ("lv.d v0, (B)", "addvs.d v1, v0, f1", "sv.d v1, (A)"),
    "A=B+C": ("lv.d v0, (B)", "lv.d v1, (C)", "addvv.d v2, v0, v1", "sv.d v2, (A)"),
    "A=B*10": ("lv.d v0, (B)", "mulvs.d v1, v0, f1", "sv.d v1, (A)"),
    "A=B*C": ("lv.d v0, (B)", "lv.d v1, (C)", "mulvv.d v2, v0, v1", "sv.d v2, (A)"),
    "A=B*C+D*E": _TWO_PRODUCTS,
    "A=B*C+(D*E)": _TWO_PRODUCTS,
    "A=B*C+D": (
        *("lv.d v0, (B)", "lv.d v1, (C)", "mulvv.d v2, v0, v1", "lv.d v3, (D)"),
        *("addvv.d v4, v2, v3", "sv.d v4, (A)"),
    ),
    # Streaming kernels of Alappat et al.
    "load": ("lv.d v0, (A)",),
    "init": ("sv.d v0, (A)",),
    "copy": ("lv.d v0, (A)", "sv.d v0, (B)"),
    "daxpy": ("lv.d v0, (A)", "lv.d v1, (B)", "maddvs.d v0, v1, f1", "sv.d v0, (A)"),
    "dot": ("lv.d v0, (A)", "lv.d v1, (B)", "maddvv.d v2, v0, v1"),
    "stream": ("lv.d v0, (B)", "lv.d v1, (C)", "maddvs.d v0, v1, f1", "sv.d v0, (A)"),
    "triad": ("lv.d v0, (B)", "lv.d v1, (C)", "lv.d v2, (D)", "maddvv.d v0, v1, v2", "sv.d v0, (A)"),
}
"""A strip of each loop; (A) is the address of the strip of array A."""
AFTER: Mapping[str, tuple[str, ...]] = {"dot": ("sumv.d f1, v2", "fadd.d f2, f2, f1")}
"""What follows the last strip of a pass."""
INSTRUCTIONS: Mapping[str, str] = {
    "vadd.vv": "addvv.w v{}, v1, v2",
    "vfmacc.vv": "maddvv.s v{}, v1, v2",
    "vfdiv.vv": "divvv.s v{}, v1, v2",
    "vfredusum.vs": "sumv.s f{}, v1",
    "vmfeq.vv": "seqvv.s v1, v2",
}
"""Instructions of RISC-V by what they are here, each with another result."""
_RESULTS = range(4, 12)
"""Registers of results, in turn: instructions do not depend on each other."""
_ARRAY = re.compile(r"\((?P<name>[A-E])\)")
_REGISTER = re.compile(r"\bv(?P<number>\d+)\b")
_POINTERS = dict(zip("ABCDE", range(10, 15), strict=True))
"""The x register of the address of each array."""


def loop_text(name: str, *, size: int, passes: int, unrolled: int, section: int) -> str:
    """Return a program that passes over arrays, each after the other in memory.

    Parameters
    ----------
    name
        Of `LOOPS`.
    size
        Elements of each array.
    passes
        How often it passes over them.
    unrolled
        Strips of full sections in a turn of the loop; 1: a strip of up to a section, `size` may be any.
    section
        Elements of a section.
    """
    body = LOOPS[name]
    arrays = sorted({match["name"] for line in body for match in _ARRAY.finditer(line)})
    registers = 1 + max(int(match["number"]) for line in body for match in _REGISTER.finditer(line))
    strips = [_strip(line, each, registers, section) for line in body for each in range(unrolled)]
    fixed = unrolled > 1
    lines = [f"li x1, {passes}", *((f"li x3, {section}", "setvl x4, x3") if fixed else ()), "pass:"]
    lines += [f"li x{_POINTERS[name]}, {_place(at, size)}" for at, name in enumerate(arrays)]
    lines += [f"li x3, {size}", "strip:", *(() if fixed else ("setvl x4, x3", "slli x5, x4, 3"))]
    lines += strips
    bytes_of_turn = 8 * section * unrolled
    for each in arrays:
        pointer = f"x{_POINTERS[each]}"
        lines.append(
            f"addi {pointer}, {pointer}, {bytes_of_turn}" if fixed else f"add {pointer}, {pointer}, x5"
        )
    lines.append(f"addi x3, x3, {-section * unrolled}" if fixed else "sub x3, x3, x4")
    ends = [
        _strip(line, each, registers, section) for line in AFTER.get(name, ()) for each in range(unrolled)
    ]
    return "\n".join([*lines, "bnez x3, strip", *ends, "addi x1, x1, -1", "bnez x1, pass", "halt"])


def loop_memory(name: str, size: int) -> int:
    """Return the bytes of memory that a loop needs."""
    count = len({match["name"] for line in LOOPS[name] for match in _ARRAY.finditer(line)})
    return _place(count, size)


def instruction_text(name: str, *, elements: int, times: int) -> str:
    """Return a program of one instruction, again and again.

    Parameters
    ----------
    name
        Of `INSTRUCTIONS`.
    elements
        That it works on.
    times
        How often.
    """
    lines = [INSTRUCTIONS[name].format(_RESULTS[each % len(_RESULTS)]) for each in range(times)]
    return "\n".join([f"li x1, {elements}", "setvl x1", *lines, "halt"])


def _place(number: int, size: int) -> int:
    """Return the address of an array: a line of 256 bytes more after each, so that banks differ."""
    return 256 + number * (-(-8 * size // 256) + 1) * 256


def _strip(line: str, number: int, registers: int, section: int) -> str:
    """Return an instruction for one of the strips of a turn."""
    offset = f"{8 * section * number}" if number else ""
    line = _ARRAY.sub(lambda match: f"{offset}(x{_POINTERS[match['name']]})", line)
    return _REGISTER.sub(lambda match: f"v{int(match['number']) + number * registers}", line)
