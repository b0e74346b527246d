"""Random programs and machines: hazards of every kind, every access, every unit.

Everything comes from one ``random.Random``, so a seed names a case for ever. Programs end and stay inside
memory by construction.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isa.assembler import assemble
from isa.program import Program
from vecsim.machine import Machine

MEMORY_BYTES = 8192
INDEXES = 4096
"""From here on memory holds small non-negative words: indexes, offsets, lengths."""

REGISTERS = 8
"""Vector registers that programs use; few, so that hazards are frequent."""


@dataclass(frozen=True)
class Case:
    """A program, the memory that it starts on, and a machine."""

    text: str
    program: Program
    memory: npt.NDArray[np.uint8]
    machine: Machine


def random_case(seed: int) -> Case:
    rng = random.Random(seed)
    machine = random_machine(rng)
    text = random_program(rng, machine.section_size)
    return Case(text, assemble(text), random_memory(rng), machine)


def random_machine(rng: random.Random) -> Machine:
    pick = rng.choice
    return Machine(
        name="random",
        section_size=pick([4, 8, 16]),
        vector_registers=REGISTERS,
        issue_width=pick([1, 2, 4]),
        unit_queue=pick([0, 1, 2, 4]),
        memory_ports=pick([1, 1, 2, 3]),
        accesses_in_flight=pick([1, 2, 3]),
        startup=pick([0, 1, 5, 20]),
        words_per_cycle=pick([1, 2, 4, 8]),
        addresses_per_cycle=pick([1, 2, 4]),
        alignment_bytes=pick([4, 8, 16]),
        banks=pick([1, 2, 3, 4, 8, 16, 17, 64]),
        bank_busy=pick([1, 2, 4, 7]),
        chaining=pick([True, True, False]),
        lanes=pick([1, 2, 4, 16]),
        scalar_load_latency=pick([1, 2, 6]),
        branch_penalty=pick([0, 1, 3]),
        latency={  # type: ignore[arg-type]
            name: pick([1, 2, 3, 8])
            for name in ("integer_multiply", "float", "extract", "move", "add", "multiply", "sum")
        },
        sparse_unit={"p": pick([1, 2, 4]), "r": pick([1, 2, 4]), "latency": pick([1, 4, 10])},  # type: ignore[arg-type]
    )


def random_memory(rng: random.Random) -> npt.NDArray[np.uint8]:
    generator = np.random.Generator(np.random.PCG64(rng.getrandbits(32)))
    memory = np.zeros(MEMORY_BYTES, np.uint8)
    floats = generator.integers(-8, 8, INDEXES // 4).astype(np.float32)
    memory[:INDEXES] = floats.view(np.uint8)
    words = generator.integers(0, 64, (MEMORY_BYTES - INDEXES) // 4).astype(np.int32)
    memory[INDEXES:] = words.view(np.uint8)
    return memory


def random_program(rng: random.Random, s: int) -> str:
    lines = ["start:", f"    li x30, {s}", "    setvl x0, x30"]
    lines += [f"    lv.w v{v}, {INDEXES + 4 * rng.randrange(64)}(x0)" for v in range(REGISTERS)]
    lines += [f"    li x{r}, {rng.randrange(0, 2 * s)}" for r in range(10, 14)]
    lines += [f"    fl.w f{r}, {4 * rng.randrange(64)}(x0)" for r in range(4)]
    body = _block(rng, s, rng.randrange(4, 40))
    if rng.random() < 0.4:
        lines += [f"    li x29, {rng.randrange(2, 5)}", "again:", *body]
        lines += ["    addi x29, x29, -1", "    bnez x29, again"]
    else:
        lines += body
    if rng.random() < 0.3:
        lines += ["    call routine", "    halt", "routine:", "    push x10"]
        lines += [*_block(rng, s, rng.randrange(1, 8)), "    pop x10", "    ret"]
    else:
        lines.append("    halt")
    return "\n".join(lines) + "\n"


def _block(rng: random.Random, s: int, count: int) -> list[str]:
    lines = []
    for _ in range(count):
        makers = (
            _arithmetic,
            _arithmetic,
            _access,
            _access,
            _access,
            _scalar,
            _length,
            _moves,
            _sparse,
            _cache,
        )
        lines += [f"    {line}" for line in rng.choice(makers)(rng, s)]
    return lines


def _v(rng: random.Random) -> str:
    return f"v{rng.randrange(REGISTERS)}"


def _f(rng: random.Random) -> str:
    return f"f{rng.randrange(4)}"


def _x(rng: random.Random) -> str:
    return f"x{rng.randrange(10, 14)}"


def _arithmetic(rng: random.Random, s: int) -> list[str]:
    form = rng.randrange(5)
    operation = rng.choice(["add", "sub", "mul"])
    if form == 0:
        return [f"{operation}vv.{rng.choice('wsd')} {_v(rng)}, {_v(rng)}, {_v(rng)}"]
    if form == 1:
        return [f"{operation}vs.s {_v(rng)}, {_v(rng)}, {_f(rng)}"]
    if form == 2:
        return [f"maddvv.{rng.choice('sd')} {_v(rng)}, {_v(rng)}, {_v(rng)}"]
    if form == 3:
        return [f"sumv.{rng.choice('sd')} {_f(rng)}, {_v(rng)}"]
    return [f"s{rng.choice(['eq', 'lt', 'le'])}vv.{rng.choice('wsd')} {_v(rng)}, {_v(rng)}"]


def _access(rng: random.Random, s: int) -> list[str]:
    suffix = rng.choice("wwd")
    size = 4 if suffix == "w" else 8
    load = rng.random() < 0.6
    register = _v(rng)
    pattern = rng.randrange(4)
    room = INDEXES - 8 * 2 * s
    if pattern < 2:
        address = rng.randrange(64, room)
        address -= address % rng.choice([1, 4, 16])
        if load and rng.random() < 0.3:
            return [f"lv.w {register}, {INDEXES + 4 * rng.randrange(64)}(x0)"]
        return [f"{'lv' if load else 'sv'}.{suffix} {register}, {address}(x0)"]
    if pattern == 2:
        stride = rng.choice([0, 4, 8, 16, 64, -4])
        base = rng.randrange(128, 1024, 4)
        lines = [f"li x20, {base}", f"li x21, {stride}"]
        return [*lines, f"{'lvws' if load else 'svws'}.{suffix} {register}, (x20), x21"]
    index = _v(rng)
    lines = [f"li x20, {rng.randrange(64, 512, 4)}", f"lv.w {index}, {INDEXES + 4 * rng.randrange(64)}(x0)"]
    assert size * 64 + 512 + 64 < INDEXES
    return [*lines, f"{'lvi' if load else 'svi'}.{suffix} {register}, (x20), {index}"]


def _scalar(rng: random.Random, s: int) -> list[str]:
    form = rng.randrange(7)
    if form == 0:
        return [f"lw x14, {rng.randrange(64, 2048, 4)}(x0)"]
    if form == 1:
        return [f"sw {_x(rng)}, {rng.randrange(64, 2048, 4)}(x0)"]
    if form == 2:
        return [f"fs.w {_f(rng)}, {rng.randrange(64, 2048, 4)}(x0)"]
    if form == 3:
        return [f"mul x15, {_x(rng)}, {_x(rng)}", "addi x16, x15, 3"]
    if form == 4:
        return [f"{rng.choice(['fadd', 'fmul'])}.s {_f(rng)}, {_f(rng)}, {_f(rng)}"]
    if form == 5:
        return [f"fl.d {_f(rng)}, {rng.randrange(64, 2048, 4)}(x0)"]
    return [f"slti x17, {_x(rng)}, {rng.randrange(0, 40)}", f"addi {_x(rng)}, x17, {rng.randrange(0, s)}"]


def _length(rng: random.Random, s: int) -> list[str]:
    return [f"li x22, {rng.choice([0, 1, s // 2, s - 1, s, s, 2 * s])}", "setvl x23, x22"]


def _moves(rng: random.Random, s: int) -> list[str]:
    form = rng.randrange(8)
    return [
        [f"movv {_v(rng)}, {_v(rng)}"],
        [f"movvf {_v(rng)}, {_f(rng)}"],
        [f"movvx {_v(rng)}, {_x(rng)}"],
        [f"cvi {_v(rng)}, {_x(rng)}"],
        [f"mergev {_v(rng)}, {_v(rng)}, {_v(rng)}"],
        [f"insf {_v(rng)}, {_f(rng)}, {_x(rng)}", f"insx {_v(rng)}, {_x(rng)}, {_x(rng)}"],
        [f"extf {_f(rng)}, {_v(rng)}, {_x(rng)}"],
        [f"extx x18, {_v(rng)}, {_x(rng)}", "add x19, x18, x18"],
    ][form]


def _sparse(rng: random.Random, s: int) -> list[str]:
    suffix, kind = rng.choice([("w", "s"), ("d", "d")])
    value, position = rng.sample(range(REGISTERS), 2)
    y, x = _v(rng), _v(rng)
    lines = [f"li x24, {rng.randrange(64, 1024)}", f"li x25, {rng.choice([0, 1, s - 1, s, s + 3])}"]
    if rng.random() < 0.5:
        lines.append(f"ldb.{suffix} v{value}, v{position}, (x24), x25, {rng.choice([1, 2])}")
        if rng.random() < 0.5:
            slice_ = rng.randrange(s)
            return [*lines, f"li x26, {slice_}", f"bmipac.{kind} x26, {x}, v{value}, v{position}"]
        return [*lines, f"bmipa.{kind} {y}, {x}, v{value}, v{position}"]
    rows = rng.choice([r for r in range(REGISTERS) if r not in (value, position)])
    lines += ["mts blocklen, x25", "mts rowptr, x0"]
    lines.append(f"lds.{suffix} v{value}, v{position}, v{rows}, (x24)")
    lines.append(f"mipa.{kind} {y}, {x}, v{value}, v{position}")
    if rng.random() < 0.5:
        lines += ["mfs x27, rowcount", "setvl x0, x27"]
    return lines


def _cache(rng: random.Random, s: int) -> list[str]:
    first = rng.randrange(0, s * s)
    count = rng.randrange(0, min(s * s - first, 120) + 1)
    suffix = rng.choice("wd")
    name = rng.choice(["ldc", "stc"])
    lines = [f"li x20, {rng.randrange(64, 2048)}", f"li x21, {first}", f"li x22, {count}"]
    return [*lines, f"{name}.{suffix} x21, (x20), x22"]
