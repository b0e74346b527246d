"""The numbers of a machine that RISC-V programs alone read: register length, and costs by timing class.

Times are in cycles of the one clock. An element *group* is what a unit takes of a register in a cycle:
``dlen`` bits of it.
"""

from __future__ import annotations

from pydantic import Field, field_validator

from vecsim.machine.numbers import Frozen, number, power_of_two

LEAST_BITS = 64
MOST_BITS = 16_384


class Cost(Frozen):
    """What vector instructions of a timing class cost their unit (docs/timing.md, "RISC-V")."""

    latency: int = number(
        0, "cycles from the start of a group to its result (0: of the classic unit)", ge=0, le=1000
    )
    first: int = number(1, "cycles of the first group or element", le=1000)
    group: int = number(1, "cycles of each further group", le=1000)
    pair: int = number(
        0, "cycles of two further elements, where elements follow each other (0: groups do)", ge=0, le=1000
    )


class TreeCost(Cost):
    """What a reduction in any order costs."""

    level: int = number(0, "cycles of each level of the tree", ge=0, le=1000)


class Riscv(Frozen):
    """Register length and costs of RISC-V programs."""

    vlen: int = Field(default=512, description="bits of a vector register: a power of two")
    dlen: int = Field(
        default=256, description="bits of it that a unit or port takes as one element: a power of two"
    )
    whole_groups: int = number(
        0,
        "elements beyond vl in an operation: 0 take no time, 1 take the time of the others, 2 also after "
        "the one that goes to a scalar",
        ge=0,
        le=2,
    )
    access_unit: int = number(
        0, "unit through which vector accesses go to their port: 0 none, 1 add, 2 multiply", ge=0, le=2
    )
    narrow_groups: int = number(
        0, "widening operations count the groups of their results (0) or of their operands (1)", ge=0, le=1
    )
    tree_of_all: int = number(
        0, "a reduction's tree is over a group (0) or over all elements (1)", ge=0, le=1
    )
    ordered_writes: int = number(
        0,
        "what is written again: 0 starts after the older result, 1 comes after it, as in one pipeline",
        ge=0,
        le=1,
    )
    configure: int = number(1, "cycles from vsetvli to what reads vl", le=1000)
    integer: Cost = Field(default_factory=Cost, description="add, logic, shift, minimum, moves")
    compare: Cost = Field(default_factory=Cost, description="what writes a mask from elements")
    narrow: Cost = Field(default_factory=Cost, description="what halves the width of elements")
    multiply: Cost = Field(default_factory=Cost, description="integer multiply, multiply-add")
    divide: Cost = Field(default_factory=lambda: Cost(pair=2), description="integer divide, remainder")
    fixed: Cost = Field(default_factory=Cost, description="fixed point")
    float: Cost = Field(default_factory=Cost, description="add, multiply, fused, convert")
    float_divide: Cost = Field(default_factory=lambda: Cost(pair=2), description="divide, square root")
    estimate: Cost = Field(default_factory=Cost, description="vfrec7, vfrsqrt7, vfclass")
    reduction: TreeCost = Field(default_factory=TreeCost, description="integer, and minimum of floats")
    float_sum: TreeCost = Field(default_factory=TreeCost, description="sum of floats in any order")
    ordered_sum: Cost = Field(default_factory=lambda: Cost(pair=2), description="sum of floats in order")
    mask: Cost = Field(default_factory=Cost, description="logic of masks")
    mask_prefix: Cost = Field(default_factory=Cost, description="vmsbf, vmsif, vmsof, viota, vid")
    slide: Cost = Field(default_factory=Cost, description="slides, and one element to all")
    gather: Cost = Field(default_factory=lambda: Cost(pair=2), description="among registers by index")
    compress: Cost = Field(default_factory=Cost, description="vcompress")
    insert: Cost = Field(default_factory=Cost, description="a scalar to element 0")
    to_scalar: Cost = Field(default_factory=Cost, description="an element to a scalar")
    count: Cost = Field(default_factory=Cost, description="vcpop, vfirst")
    access: Cost = Field(default_factory=Cost, description="contiguous accesses in their unit")
    element_access: Cost = Field(default_factory=Cost, description="other accesses in their unit")

    @field_validator("vlen", "dlen")
    @classmethod
    def _check_bits(cls, value: int) -> int:
        return power_of_two(value, LEAST_BITS, MOST_BITS)

    @property
    def group_bits(self) -> int:
        """Bits of a group: ``dlen``, or ``vlen`` where that is less."""
        return min(self.vlen, self.dlen)

    @property
    def record_numbers(self) -> tuple[int, ...]:
        """The numbers that the record of a run may depend on: all but costs."""
        return tuple(value for _, value in self if isinstance(value, int))
