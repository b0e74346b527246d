"""The numbers of a machine that come in tables: latencies, the sparse unit, caches, main memory.

Times are in cycles of the one clock; a word is 4 bytes.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator


class Frozen(BaseModel):
    """A table of a machine file: its fields never change, and it has no others."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def number(default: int, description: str, *, ge: int = 1, le: int = 10_000) -> Any:
    """Declare a whole number of a machine.

    Parameters
    ----------
    default
        What it is where nothing is stated.
    description
        What it is, with its unit.
    ge, le
        The least and the greatest that it may be.
    """
    return Field(default=default, ge=ge, le=le, description=description)


def power_of_two(value: int, least: int, most: int) -> int:
    """Return a number that is a power of two within limits.

    Raises
    ------
    ValueError
        It is none.
    """
    if not least <= value <= most or value & (value - 1):
        raise ValueError(f"must be a power of two from {least} to {most}")
    return value


class Latencies(Frozen):
    """Cycles from the start of an element (or a scalar instruction) to its result, by class."""

    integer: int = number(1, "scalar integer operations, branches and stores")
    integer_multiply: int = number(3, "scalar integer multiply")
    integer_divide: int = number(20, "scalar integer divide and remainder")
    float: int = number(4, "scalar float operations")
    float_divide: int = number(16, "scalar float divide and square root")
    extract: int = number(2, "element of a vector to a scalar register")
    move: int = number(4, "vector moves, insert, compare, merge, iota")
    add: int = number(8, "vector add and subtract")
    multiply: int = number(8, "vector multiply")
    multiply_add: int = number(12, "vector multiply-add")
    divide: int = number(20, "vector divide and square root, in the multiply unit")
    sum: int = number(8, "sum reduction, next to ceil(log2(elements)) cycles of its tree")


class SparseUnit(Frozen):
    """The pipelined unit of MIPA and BMIPA."""

    p: int = number(8, "entries taken in a cycle, at most", le=4096)
    r: int = number(4, "distinct rows among the entries of a cycle, at most", le=4096)
    latency: int = number(24, "cycles from taking an entry to its sum")


class MainMemory(Frozen):
    """What ports and caches get words from: latency and bandwidth of the banks, and their open rows."""

    latency: int = number(0, "cycles that a word or a line needs from its banks to who asked for it", ge=0)
    bytes: int = number(0, "bytes that pass in `cycles` cycles, all ports together (0: no limit)", ge=0)
    cycles: int = number(1, "cycles in which `bytes` bytes pass")
    row_words: int = number(0, "words of the open row of a bank (0: no rows)", ge=0, le=65_536)
    row_miss: int = number(12, "cycles to open another row of a bank", ge=0)


class Cache(Frozen):
    """A level of cache between the ports and main memory."""

    bytes: int = number(
        0, "size in bytes: line_bytes x ways x a number of sets (0: no cache)", ge=0, le=1 << 24
    )
    line_bytes: int = Field(default=64, description="bytes of a line")
    ways: int = number(4, "lines of a set", le=64)
    replacement: int = number(
        0, "which line of a set a new one replaces: 0 the least recently used, 1 the oldest", ge=0, le=1
    )
    hit_latency: int = number(2, "cycles from a request to its answer, if the line is there", ge=0)
    banks: int = number(0, "word-interleaved banks, each for a request a cycle (0: no limit)", ge=0, le=1024)
    write_back: bool = Field(
        default=True,
        description="stores change lines, which go out when replaced; otherwise stores go through",
    )
    refill_bytes: int = number(0, "bytes a cycle in which a line arrives (0: all at once)", ge=0, le=4096)
    misses: int = number(16, "lines that it waits for, at most (0: no limit)", ge=0, le=256)
    prefetch: int = number(0, "lines after a missed or prefetched one that it asks for, too", ge=0, le=16)
    serves: int = number(1, "whose accesses: 1 vector, 2 scalar, 3 both", le=3)
    perfect: bool = Field(default=False, description="every access hits")

    @field_validator("line_bytes")
    @classmethod
    def _check_line(cls, value: int) -> int:
        return power_of_two(value, 4, 4096)

    @model_validator(mode="after")
    def _check_sets(self) -> Cache:
        set_bytes = self.line_bytes * self.ways
        if self.bytes % set_bytes:
            raise ValueError(f"bytes = {self.bytes} must be a multiple of line_bytes x ways = {set_bytes}")
        return self

    @property
    def sets(self) -> int:
        """How many sets it has; 0 if there is no cache."""
        return self.bytes // (self.line_bytes * self.ways)
