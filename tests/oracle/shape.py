"""What an instruction touches: scalar registers, elements of vector registers and slices, words of memory."""

from __future__ import annotations

from dataclasses import dataclass

from isa.declaration import Pattern, Record, Timing, Unit
from isa.registers import register_name
from isa.semantics.sparse import descriptor_bytes
from tests.oracle.steps import Step
from vecsim.machine import WORD_BYTES


@dataclass(frozen=True)
class Use:
    """The use of a vector register, of the mask, or of a slice of the vector cache.

    Attributes
    ----------
    name
        What is used.
    whole
        Whether it is the unit of chaining and of hazards, and not its elements.
    begin, end
        The elements of the instruction that use it.
    offset
        Element k of the instruction is element k + offset of the register.
    forwarded
        Whether it is the result of a sparse instruction (docs/timing.md, *Sparse unit*).
    """

    name: str
    reads: bool
    writes: bool
    whole: bool
    begin: int
    end: int
    offset: int = 0
    forwarded: bool = False


@dataclass(frozen=True)
class Word:
    """A word of an access: its number in memory, and the elements of the access that it touches."""

    number: int
    first: int
    last: int


def scalar_reads(step: Step) -> set[str]:
    """Names of scalar registers read at issue; x0 never has to be waited for."""
    return (_scalars(step, written=False) | set(step.row.reads)) - {"x0"}


def scalar_writes(step: Step) -> set[str]:
    """Names of scalar registers written at issue or with the instruction's latency."""
    return (_scalars(step, written=True) | set(step.row.writes)) - {"x0"}


def _scalars(step: Step, written: bool) -> set[str]:
    return {
        register_name(operand.kind, field)
        for operand, field in zip(step.row.operands, step.fields, strict=True)
        if operand.kind in "xfs" and (operand.written if written else operand.read)
    }


def uses(step: Step, section: int) -> list[Use]:
    """Vector registers, mask and slices of the cache, in no order."""
    row, n = step.row, step.n
    if n == 0:
        return []
    offset = step.place if row.timing in (Timing.EXTRACT, Timing.ELEMENTWISE) else 0
    actual = [
        Use(
            f"v{field}",
            operand.read,
            operand.written,
            operand.whole,
            0,
            n,
            offset,
            row.accumulates and operand.whole and operand.written,
        )
        for operand, field in zip(row.operands, step.fields, strict=True)
        if operand.kind == "v"
    ]
    if row.mask:
        actual.append(Use("mask", row.reads_mask, row.writes_mask, False, 0, n))
    if row.slice_operand:
        actual.append(Use(f"slice {step.place}", True, True, True, 0, n, 0, True))
    if row.access is not None and row.access.cache:
        first = step.place
        for number in range(first // section, (first + n - 1) // section + 1):
            begin, end = max(number * section - first, 0), min((number + 1) * section - first, n)
            actual.append(Use(f"slice {number}", row.access.store, not row.access.store, True, begin, end))
    return actual


def record_bytes(step: Step, section: int) -> int:
    """Bytes of an element of an access and of what lies next to it (*Accesses*)."""
    access = step.row.access
    assert access is not None
    if access.record == Record.POSITIONS:
        return access.value_bytes + 2 * step.fields[-1]
    if access.record == Record.DESCRIPTOR:
        return access.value_bytes + descriptor_bytes(section)
    return access.value_bytes


def byte_range(step: Step, section: int) -> range | None:
    """The bytes of a contiguous access; None of another."""
    assert step.row.access is not None
    if step.row.access.pattern != Pattern.CONTIGUOUS:
        return None
    return range(step.addresses[0], step.addresses[0] + step.n * record_bytes(step, section))


def hull(step: Step, section: int) -> range:
    """The bytes from the lowest address of an access to the end of its highest element (*Memory order*)."""
    assert step.row.access is not None
    contiguous = byte_range(step, section)
    active = [address for k, address in enumerate(step.addresses) if k not in step.off]
    if contiguous is not None or not active:  # *Masks*
        return contiguous or range(0)
    return range(min(active), max(active) + step.row.access.value_bytes)


def words(step: Step, section: int) -> list[Word]:
    """Words in the order of their transfer (*Accesses*)."""
    access, bytes_ = step.row.access, byte_range(step, section)
    assert access is not None
    if bytes_ is None:
        return [
            Word(address // WORD_BYTES + half, k, k)
            for k, address in enumerate(step.addresses)
            for half in range(max(access.value_bytes // WORD_BYTES, 1))
        ]
    record = record_bytes(step, section)
    actual = []
    for number in range(bytes_[0] // WORD_BYTES, bytes_[-1] // WORD_BYTES + 1):
        first = max(number * WORD_BYTES, bytes_[0]) - bytes_[0]
        last = min(number * WORD_BYTES + WORD_BYTES - 1, bytes_[-1]) - bytes_[0]
        actual.append(Word(number, first // record, last // record))
    return actual


def is_store(step: Step) -> bool:
    """Whether it is a store, vector or scalar."""
    return step.row.access is not None and step.row.access.store


def is_vector(step: Step) -> bool:
    """Whether it goes to a unit with a queue; one of length 0 touches no unit."""
    return step.row.unit != Unit.SCALAR and step.n > 0


def work(step: Step) -> tuple[str, str]:
    """What a cycle is attributed to in which it does not wait: up to the last element, and after."""
    row = step.row
    if not is_vector(step):
        return "scalar_work", "scalar_work"
    if row.access is not None:
        contiguous = "cache_transfer" if row.access.cache else "contiguous_transfer"
        transfer = contiguous if row.access.pattern == Pattern.CONTIGUOUS else "indexed_transfer"
        return transfer, transfer if row.access.store else "memory_latency"
    unit = "sum" if row.timing == Timing.REDUCTION else row.unit.name.lower()
    return f"{unit}_elements", f"{unit}_latency"
