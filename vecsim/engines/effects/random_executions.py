"""Executions of one instruction on random states, prepared as an engine prepares them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.declaration import REGISTERS, SPECIAL_REGISTERS, Instruction, Length, Pattern, Record, Timing
from isa.semantics.sparse import descriptor_bytes
from isa.state import State, new_state
from vecsim.engines.effects.constants import SECTION, Constants, Form

MEMORY = 4096
POSITION_BYTES = (1, 2)


@dataclass(frozen=True)
class Execution:
    """An instruction on a state: its fields, how many elements, and the bytes of memory that it accesses."""

    row: Instruction
    fields: tuple[int, ...]
    n: int
    accessed: frozenset[int]
    state: State


def random_execution(
    row: Instruction, source: random.Random, constants: Constants | None = None
) -> Execution:
    """Return an execution of an instruction whose registers are all different ones.

    Parameters
    ----------
    row
        The instruction.
    source
        Of random numbers.
    constants
        What elements and scalars are; without them they are random.
    """
    m = _random_state(source)
    free = {kind: source.sample(range(1, REGISTERS), len(row.operands)) for kind in "xfv"}
    fields = []
    for operand in row.operands:
        if operand.kind in free:
            fields.append(free[operand.kind].pop())
        elif operand.kind == "s":
            fields.append(source.randrange(1, len(SPECIAL_REGISTERS)))
        elif operand.kind == "t":
            fields.append(1)
        else:
            low, high = operand.limits
            fields.append(source.randint(max(low, -16), min(high, 16)))
    if constants is not None:
        _put_constants(row, m, fields, constants, source)
    if row.access is not None and row.access.record == Record.POSITIONS:
        fields[-1] = source.choice(POSITION_BYTES)
    n = _length(row, m, fields, source, source.randint(1, SECTION) if constants is None else SECTION)
    accessed = frozenset[int]() if row.access is None else _addresses(row, m, fields, n, source)
    for operand, value in zip(row.operands, fields, strict=True):
        if operand.name == row.slice_operand:
            m.x[value] = source.randrange(SECTION)
    if row.timing == Timing.BRANCH:
        m.address[0] = source.randrange(100)
    return Execution(row, tuple(fields), n, accessed, m)


def _random_state(source: random.Random) -> State:
    """Return a state of small integers, floats of both kinds, or any bits."""
    numbers = np.random.default_rng(source.getrandbits(32))
    m = new_state(SECTION, REGISTERS, np.zeros(MEMORY, np.uint8))
    style = source.randrange(4)
    for values in (m.v, m.f, m.cache, m.memory.view(np.int64)):
        if style == 0:
            values[:] = numbers.integers(0, SECTION, len(values))
        elif style == 1:
            values[:] = numbers.normal(0, 4, len(values)).astype(np.float32).view(np.uint32)
        elif style == 2:
            values.view(np.float64)[:] = numbers.normal(0, 4, len(values))
        else:
            values[:] = numbers.integers(-(1 << 63), 1 << 63, len(values))
    m.x[1:] = (
        numbers.integers(0, SECTION, REGISTERS - 1)
        if style != 3
        else numbers.integers(-99, 99, REGISTERS - 1)
    )
    m.special[1:] = numbers.integers(0, SECTION, len(SPECIAL_REGISTERS) - 1)
    m.special[0] = source.randint(0, SECTION)
    m.mask[:] = numbers.integers(0, 2, SECTION)
    return m


def _put_constants(
    row: Instruction, m: State, fields: list[int], constants: Constants, source: random.Random
) -> None:
    """Let all elements of a state be constants, and scalars and immediates that take them."""
    for values in (m.v, m.f, m.cache):
        sampled = source.sample(constants.values, len(constants.values))
        values[:] = np.resize(_containers(sampled, constants.form), len(values))
    sampled = source.sample(constants.values, len(constants.values))
    memory = m.memory.view(np.int64 if source.random() < 0.5 else np.int32)
    memory[:] = np.resize(_containers(sampled, constants.form), len(memory)).astype(memory.dtype)
    for number, operand in enumerate(row.operands):
        turn = constants.run + number
        if operand.kind == "v" and SECTION * constants.run < len(constants.values):
            rotated = _containers(constants.rotated(SECTION * turn), constants.form)
            m.v[SECTION * fields[number] : SECTION * (fields[number] + 1)] = np.resize(rotated, SECTION)
        elif operand.kind == "f":
            m.f[fields[number]] = _containers(constants.rotated(turn)[:1], constants.form)[0]
        elif operand.kind in "xs" or not operand.is_register:
            low, high = (-(1 << 31), (1 << 31) - 1) if operand.is_register else operand.limits
            fitting = [each for each in constants.integers if low <= each <= high]
            if fitting and operand.kind == "x":
                m.x[fields[number]] = fitting[turn % len(fitting)]
            elif fitting and operand.kind not in "st":
                fields[number] = fitting[turn % len(fitting)]
    words = [each for each in constants.integers if 0 <= each < 1 << 31]
    if words:
        m.special[2:] = [source.choice(words) for _ in SPECIAL_REGISTERS[2:]]


def _containers(values: Sequence[float], form: Form) -> npt.NDArray[np.int64]:
    """Return numbers as elements."""
    with np.errstate(all="ignore"):
        if form == Form.SINGLE:
            return np.array(values, np.float32).view(np.uint32).astype(np.int64)
        if form == Form.DOUBLE:
            return np.array(values, np.float64).view(np.int64)
        return np.array(values, np.int64)


def _length(row: Instruction, m: State, fields: list[int], source: random.Random, n: int) -> int:
    """Set what says how many elements there are, and return how many the instruction takes."""
    if row.length == Length.VL:
        m.special[0] = n
    elif row.length == Length.BLOCK:
        m.special[1] = n if n < SECTION else source.randint(SECTION, 3 * SECTION)
    elif row.length in (Length.SECTION, Length.COUNT):
        last = [value for operand, value in zip(row.operands, fields, strict=True) if operand.kind == "x"][-1]
        m.x[last] = n
        if row.length == Length.SECTION and n == SECTION:
            m.x[last] = source.randint(SECTION, 3 * SECTION)
    else:
        return 0 if row.timing == Timing.BRANCH else 1
    return n


def _addresses(
    row: Instruction, m: State, fields: list[int], n: int, source: random.Random
) -> frozenset[int]:
    """Set base, stride or indices, and the addresses; return the bytes that are accessed."""
    access, base = row.access, row.memory_operand
    assert access is not None and base is not None
    size: Any = access.value_bytes
    if access.record == Record.POSITIONS:
        size += 2 * fields[-1]
    elif access.record == Record.DESCRIPTOR:
        size += descriptor_bytes(SECTION)
    offset = fields[base - 1] if base and not row.operands[base - 1].is_register else 0
    first = source.randrange(64, MEMORY // 2, 4)
    m.x[fields[base]] = first - offset
    if access.cache:
        m.x[fields[0]] = source.randrange(SECTION * SECTION - n + 1)
    if access.pattern == Pattern.CONTIGUOUS:
        m.address[0] = first
        return frozenset(range(first, first + n * size))
    other = fields[base + 1]
    places = source.sample(range(SECTION * 4), SECTION)
    if access.pattern == Pattern.STRIDED:
        m.x[other] = stride = 4 * source.randint(1, 8)
        m.address[:] = first + stride * np.arange(SECTION)
    else:
        m.v[other * SECTION : (other + 1) * SECTION] = places
        m.address[:] = first + size * np.array(places)
    return frozenset(byte for k in range(n) for byte in range(m.address[k], m.address[k] + size))
