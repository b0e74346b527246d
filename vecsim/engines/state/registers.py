"""When registers and slices of the vector cache are ready, and which physical registers are free."""

from __future__ import annotations

from dataclasses import dataclass

from vecsim.engines.state.row import NONE, Row

VECTOR, X, F = range(3)
KINDS = 3
"""The kinds of registers that are renamed, each with its own physical registers."""


@dataclass(slots=True, eq=False)
class ScalarRegister(Row):
    """A scalar register: x, f or special."""

    ready_at: int = 0
    """From this cycle on it is ready; NEVER while a vector instruction in flight writes it."""


@dataclass(slots=True, eq=False)
class VectorRegister(Row):
    """A vector register, or the mask, as a whole; with renaming a physical one."""

    ready_at: int = 0
    """From this cycle on every element is ready that was written."""
    taken_at: int = NONE
    """The latest cycle in which any element was taken."""
    ready_without_sums: int = 0
    """As ``ready_at``, without the sums of the sparse unit, which it forwards to itself."""
    kept_ready_at: int = 0
    """From this cycle on the elements are ready that were left as they were when it was renamed."""
    written: int = NONE
    """How many elements the instruction writes that it was given to; all of them at the beginning."""
    older: int = NONE
    newer: int = NONE
    """The register that it displaced and keeps elements of; the one that so displaced it; or -1."""


@dataclass(slots=True, eq=False)
class FreeRegister(Row):
    """A physical register that is free, or will be."""

    age: int = NONE
    """The instruction that has displaced it; -1 of one that was free from the beginning."""
    commit: int = 0
    """The latest retirement known of that and of all older instructions."""
    register: int = 0
    """Its number; 0 of a scalar register."""


@dataclass(slots=True, eq=False)
class Slice(Row):
    """A slice of the vector cache."""

    ready_at: int = 0
    """From this cycle on it is ready."""
    taken_at: int = NONE
    """The latest cycle in which it was taken."""
    ready_without_sums: int = 0
    """As ``ready_at``, without the sums of the sparse unit."""
