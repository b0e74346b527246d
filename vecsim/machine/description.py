"""The machine description: every number of the vector machine, validated and frozen.

The defaults are those of the preset ``vs2003``. Times are in cycles of the one clock; a word is 4 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, ClassVar

from pydantic import Field, PrivateAttr, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_core import ErrorDetails

from vecsim.machine.extension import Extension
from vecsim.machine.numbers import Cache, Frozen, Latencies, MainMemory, SparseUnit, number, power_of_two
from vecsim.machine.origin import Origin
from vecsim.machine.preset_files import DEFAULT_PRESET, preset_table, presets
from vecsim.machine.riscv import Riscv
from vecsim.results.digests import ADDED_NUMBERS, SHOWN_DIGITS, machine_sha256
from vecsim.support.arguments import plain
from vecsim.support.errors import UserError
from vecsim.support.overview import Overview
from vecsim.support.shown_text import one_line
from vecsim.support.suggestions import counted, nearest, shown

WORD_BYTES = 4

SCALAR_REGISTERS = 32
"""Registers x, and as many f."""
MOST_WRITTEN = 4
"""Registers that an instruction may write, at most: this many operands fit into its word."""

MOST_IN_FLIGHT = 8192
"""Vector instructions that wait or are in flight, at most: each is compared with all that are older."""

SHOWN_DIFFERENCES = 8
"""Differences from a preset that a label names; of more it gives the number."""


class Machine(Overview, Frozen):
    """One vector machine. A field's description states its unit; docs/timing.md the rules that read it.

    Every field but the name is a number of the machine; ``label`` describes the machine in a line, by the
    preset it is based on (docs/machines.md).
    """

    extensions: ClassVar[tuple[Extension, ...]] = ()
    """What its timing rules are extended by (docs/extending-time.md)."""

    name: str = Field(default=DEFAULT_PRESET, min_length=1, description="name that reports show")
    section_size: int = Field(default=64, description="elements of a vector register, s: a power of two")
    vector_registers: int = number(16, "vector registers", ge=8, le=32)
    physical_vector_registers: int = number(
        0, "vector registers that renaming has (0: no renaming)", ge=0, le=62
    )
    physical_scalar_registers: int = number(
        0, "registers that renaming has for x, and as many for f (0: no renaming)", ge=0, le=1024
    )
    issue_width: int = number(4, "instructions issued in a cycle, in program order", le=64)
    unit_queue: int = number(
        8, "instructions that may wait in front of a unit (0: issue waits)", ge=0, le=1024
    )
    memory_ports: int = number(1, "vector memory ports", le=16)
    store_ports: int = number(
        0, "further ports that only store (0: none); `memory_ports` then only load", ge=0, le=16
    )
    store_words_per_cycle: int = number(
        0, "words a store port transfers in a cycle, contiguous (0: as the others)", ge=0, le=1024
    )
    store_addresses_per_cycle: int = number(
        0, "words it transfers in a cycle, strided or indexed (0: as the others)", ge=0, le=1024
    )
    disambiguation: int = number(
        0,
        "accesses that wait for older ones: 0 unless contiguous and apart, 1 of ranges that meet, 2 of "
        "words that are the same",
        ge=0,
        le=2,
    )
    accesses_in_flight: int = number(4, "vector accesses that a port has in flight", le=1024)
    startup: int = number(20, "cycles from dispatch of an access to its first transfer", ge=0)
    words_per_cycle: int = number(4, "words a port transfers in a cycle, contiguous", le=1024)
    addresses_per_cycle: int = number(1, "words a port transfers in a cycle, strided or indexed", le=1024)
    alignment_bytes: int = Field(
        default=16, description="a contiguous access that starts elsewhere takes a cycle more"
    )
    banks: int = number(16, "word-interleaved memory banks", le=65_536)
    bank_busy: int = number(3, "cycles that a word occupies its bank (0: no bank is ever busy)", ge=0)
    words_outstanding: int = number(
        0, "loaded words that a port waits for, at most (0: no limit)", ge=0, le=4096
    )
    merge_bytes: int = Field(
        default=0, description="aligned block whose words a strided or indexed access moves as one (0: none)"
    )
    merge_window: int = number(16, "words of an access that are compared, counted from its first", le=4096)
    chaining: bool = Field(default=True, description="elements pass between units as they are produced")
    add_units: int = number(1, "add units, which take instructions in turn", le=16)
    multiply_units: int = number(1, "multiply units, which take instructions in turn", le=16)
    sparse_units: int = number(1, "sparse units, which take instructions in turn", le=16)
    divide_interval: int = number(
        1, "cycles from an element of a divide or square root to the next in its lane"
    )
    masked_elements: int = number(
        0, "elements under a mask of 0: 0 take their place in time, 1 are skipped", ge=0, le=1
    )
    lanes: int = number(2, "elements an arithmetic unit starts in a cycle", le=4096)
    scalar_load_latency: int = number(6, "cycles of a scalar load, which has its own path")
    branch_penalty: int = number(3, "cycles lost after a taken branch", ge=0)
    clock_mhz: int = number(0, "clock in MHz, for times in reports alone (0: not stated)", ge=0, le=100_000)
    latency: Latencies = Field(default_factory=Latencies, description="latencies by class, in cycles")
    sparse_unit: SparseUnit = Field(default_factory=SparseUnit, description="the unit of MIPA and BMIPA")
    l1: Cache = Field(default_factory=Cache, description="the cache next to the ports")
    l2: Cache = Field(default_factory=Cache, description="the cache that follows `l1`")
    main_memory: MainMemory = Field(default_factory=MainMemory, description="what follows the caches")
    riscv: Riscv = Field(default_factory=Riscv, description="what RISC-V programs alone read")

    def __init__(self, **numbers: Any) -> None:
        """Make a machine from numbers by name; those not given are those of ``vs2003``.

        Raises
        ------
        UserError
            There is no such number, or it is out of range.
        """
        try:
            super().__init__(**numbers)
        except ValidationError as error:
            raise UserError(wrong_number(error)) from None

    # pydantic validates tables without calling it, and reports their errors in its own way.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def overview(self) -> dict[str, object]:
        """Return which machine it is, and the numbers that decide most."""
        return {
            "label": self.label,
            "section_size": self.section_size,
            "memory_ports": self.memory_ports,
            "words_per_cycle": self.words_per_cycle,
            "banks": self.banks,
            "lanes": self.lanes,
            "chaining": self.chaining,
        }

    @field_validator("section_size")
    @classmethod
    def _check_section_size(cls, value: int) -> int:
        return power_of_two(value, 4, 4096)

    @field_validator("physical_vector_registers")
    @classmethod
    def _check_vector_renaming(cls, value: int, info: ValidationInfo) -> int:
        return _enough(value, info.data.get("vector_registers", 0), "vector_registers")

    @field_validator("physical_scalar_registers")
    @classmethod
    def _check_scalar_renaming(cls, value: int) -> int:
        return _enough(value, SCALAR_REGISTERS, "those that programs name")

    @field_validator("alignment_bytes")
    @classmethod
    def _check_alignment(cls, value: int) -> int:
        return power_of_two(value, 1, 4096)

    @field_validator("merge_bytes")
    @classmethod
    def _check_merging(cls, value: int) -> int:
        return value and power_of_two(value, 4, 4096)

    @model_validator(mode="after")
    def _check_divides(self) -> Machine:
        if self.divide_interval > self.latency.divide:
            raise ValueError(
                f"divide_interval = {self.divide_interval} must be at most "
                f"latency.divide = {self.latency.divide}"
            )
        return self

    @model_validator(mode="after")
    def _check_flight(self) -> Machine:
        most = self.ports * self.accesses_in_flight + self.queues * self.unit_queue
        if most > MOST_IN_FLIGHT:
            what = f"ports x accesses_in_flight + {self.queues} queues x unit_queue"
            raise ValueError(f"{what} = {most} must be at most {MOST_IN_FLIGHT}")
        return self

    @model_validator(mode="after")
    def _check_levels(self) -> Machine:
        if self.l1.bytes and self.l2.bytes and self.l2.line_bytes < self.l1.line_bytes:
            raise ValueError(
                f"l2.line_bytes = {self.l2.line_bytes} must be at least l1.line_bytes = {self.l1.line_bytes}"
            )
        return self

    _origin: Origin = PrivateAttr(default_factory=Origin)

    def with_origin(self, origin: Origin) -> Machine:
        """Return the same machine with where it came from."""
        built = self.model_copy()
        built._origin = origin
        return built

    @property
    def origin(self) -> Origin:
        """Where its numbers came from."""
        return self._origin

    @property
    def based_on(self) -> str:
        """The preset that it is compared with: its file's, the one that bears its name, or ``vs2003``."""
        return self._origin.based_on or (self.name if self.name in presets() else DEFAULT_PRESET)

    @property
    def differences(self) -> dict[str, int | bool]:
        """The numbers that are not those of the preset it is based on, such as ``latency.add``, in order."""
        base = flat(DEFAULTS) | flat(preset_table(self.based_on)) | self.added_numbers()
        return {name: value for name, value in flat(self.numbers()).items() if value != base[name]}

    @property
    def label(self) -> str:
        """Which machine it is, in a line: ``vs2003``, or ``mine.toml: vs2003 with banks=64``."""
        differences = self.differences
        messages = [f"{name}={_toml(value)}" for name, value in differences.items()]
        if len(differences) > SHOWN_DIFFERENCES:
            messages = [f"{counted(len(differences), 'other number')}"]
        messages = [*(f"extension {each.name}" for each in self.extensions), *messages]
        base = f"{self.based_on} with {', '.join(messages)}" if messages else self.based_on
        file = self._origin.file
        if self.has_user_name:
            base = f"{self.name} ({file}): {base}" if file else f"{self.name}: {base}"
        elif file:
            base = f"{file}: {base}"
        return one_line(base)

    @property
    def has_user_name(self) -> bool:
        """Whether its name was given to it, and is not just that of its file or of its preset."""
        return self.name not in (self.based_on, one_line(PurePath(self._origin.file).stem))

    @property
    def label_with_digest(self) -> str:
        """The label, and the first digits of the digest unless it is a preset as it stands."""
        if self.label == self.based_on:
            return self.label
        return f"{self.label} (digest {self.sha256[:SHOWN_DIGITS]})"

    @property
    def renames(self) -> bool:
        """Whether registers are renamed (docs/timing.md, "Renaming")."""
        return self.physical_vector_registers > 0 or self.physical_scalar_registers > 0

    @property
    def caches(self) -> tuple[Cache, ...]:
        """Its caches, the one next to the ports first; one of no bytes is none."""
        return (self.l1, self.l2)

    @property
    def ports(self) -> int:
        """All vector memory ports: those that load, or do both, first."""
        return self.memory_ports + self.store_ports

    @property
    def units(self) -> int:
        """All units but the ports: those that add, multiply, and take entries."""
        return self.add_units + self.multiply_units + self.sparse_units

    @property
    def queues(self) -> int:
        """Queues: one for each unit, one for ports, and one for ports that only store."""
        return self.units + 1 + (self.store_ports > 0)

    @property
    def has_flat_memory(self) -> bool:
        """Whether words go from banks to registers alone, each in the cycle after its transfer."""
        memory = self.main_memory
        more = (memory.latency, memory.bytes, memory.row_words, self.words_outstanding, self.merge_bytes)
        return not any(more) and not any(cache.bytes for cache in self.caches)

    @property
    def has_one_stream(self) -> bool:
        """Whether it has one memory port and flat memory, and every unit starts elements in each cycle."""
        plain = self.ports == 1 and self.disambiguation == 0 and self.divide_interval == 1 and self.units == 3
        return plain and self.has_flat_memory and not self.renames

    @property
    def user_rules(self) -> tuple[Extension, ...]:
        """The extensions that have more than instructions."""
        return tuple(each for each in self.extensions if each.changes_time)

    @property
    def counter_names(self) -> tuple[str, ...]:
        """What its extensions count, ``EXTENSION.NAME``, in the order in which a run counts them."""
        return tuple(f"{each.name}.{counter.name}" for each in self.extensions for counter in each.counters)

    @property
    def sha256(self) -> str:
        """Digest of its numbers and extensions, not its name: `vecsim.results.digests.machine_sha256`."""
        return machine_sha256(self.numbers(), {each.name: each.sha256 for each in self.extensions})

    def numbers(self) -> dict[str, Any]:
        """Return every number by its name, those of ``latency`` and ``sparse_unit`` in their own tables."""
        return self.model_dump(exclude={"name"})

    def added_numbers(self) -> dict[str, int]:
        """Return the numbers that its extensions add, by their full names, as they are unless stated."""
        return {f"{each.name}.{n.name}": n.default for each in self.extensions for n in each.numbers}

    def changed(self, changes: Mapping[str, int | bool]) -> Machine:
        """Return a machine that differs in some numbers.

        Parameters
        ----------
        changes
            The numbers by their full names, such as ``banks`` or ``latency.add``.

        Raises
        ------
        UserError
            There is no such number, or it is out of range.
        """
        numbers: dict[str, Any] = dict(vars(self))  # tables in which nothing changes stay as they are
        for name, value in changes.items():
            *tables, inner = name.split(".")
            place: Any = numbers
            for table in tables:
                if isinstance(place, dict) and isinstance(place.get(table), Frozen):
                    place[table] = dict(place[table])
                place = place.get(table) if isinstance(place, dict) else None
            if not isinstance(place, dict) or not isinstance(place.get(inner), int):
                raise UserError(
                    f"machine: unknown number {name!r}; `vecsim machine` lists "
                    f"them{nearest(name, flat(self.numbers()))}"
                )
            place[inner] = plain(value)
        try:
            return type(self).model_validate(numbers).with_origin(self._origin)
        except ValidationError as error:
            raise UserError(wrong_number(error)) from None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, as every results file does: which machine it is, and all its numbers."""
        return {
            "label": self.label,
            "sha256": self.sha256,
            "file": self._origin.file or None,
            "based_on": self.based_on,
            "differences": self.differences,
            "taken_from_base": list(self._origin.taken),
            **self._told_extensions(),
            **self.model_dump(),
        }

    def _told_extensions(self) -> dict[str, Any]:
        messages = [{"name": each.name, "file": each.file, "sha256": each.sha256} for each in self.extensions]
        return {"extensions": messages} if messages else {}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Machine:
        """Read what `to_dict` gave; of results of earlier versions, which held name and numbers alone.

        A machine with extensions is read by the class that has them (`vecsim.machine.machine_class`).

        Raises
        ------
        UserError
            It is no machine, naming the first field that is missing or wrong; it has other extensions.
        """
        cls._check_extensions(document)
        known = {name: document[name] for name in cls.model_fields if name in document}
        try:
            machine = cls.model_validate(known)
        except ValidationError as error:
            raise UserError(wrong_number(error)) from None
        missing = flat(cls().model_dump()).keys() - flat(known).keys() - ADDED_NUMBERS.keys()
        if missing:
            raise UserError(f"machine: {min(missing)} is missing; every number must be given")
        if document.get("sha256") not in (None, machine.sha256):
            raise UserError("machine: sha256 is not the digest of its numbers: one of them was changed")
        base = document.get("based_on")
        if base is None:
            return machine
        if base not in presets():
            raise UserError(f"machine: based_on: unknown preset {base!r}; use one of {', '.join(presets())}")
        taken = tuple(map(str, document.get("taken_from_base", ())))
        return machine.with_origin(Origin(str(document.get("file") or ""), base, taken))

    @classmethod
    def _check_extensions(cls, document: Mapping[str, Any]) -> None:
        messages = {str(each["name"]): each for each in document.get("extensions", ())}
        here = {each.name: each for each in cls.extensions}
        for name, each in messages.items():
            if name not in here:
                raise UserError(f"machine: it has the extension {name}: add --extend {each['file']}")
            if here[name].sha256 != each["sha256"]:
                raise UserError(
                    f"machine: extension {name}: {here[name].file} is not what it was then (digest "
                    f"{here[name].sha256[:SHOWN_DIGITS]}, then {each['sha256'][:SHOWN_DIGITS]})"
                )
        for name in here.keys() - messages.keys():
            raise UserError(f"machine: it has no extension {name}: leave --extend {here[name].file} out")

    @property
    def peak_bytes_per_cycle(self) -> int:
        """Bytes that all ports together transfer in a cycle at best, contiguous or indexed."""
        words = self.memory_ports * max(self.words_per_cycle, self.addresses_per_cycle)
        stored = max(
            self.store_words_per_cycle or self.words_per_cycle,
            self.store_addresses_per_cycle or self.addresses_per_cycle,
        )
        return (words + self.store_ports * stored) * WORD_BYTES


DEFAULTS: Mapping[str, Any] = Machine().numbers()
"""What a preset does not state."""


def wrong_number(error: ValidationError) -> str:
    """Return in a line which number of a machine is wrong, and what is wrong with it."""
    first = error.errors()[0]
    return f"machine: {in_words(first)}"


_RIGHT = {
    "bool_type": "write true or false",
    "int_type": "write an integer",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
}
"""What would be right, by pydantic's name of the error."""


def in_words(error: ErrorDetails) -> str:
    """Return a message with the number that is wrong; of numbers that do not go together, it names them."""
    where = ".".join(map(str, error["loc"]))
    right = _RIGHT.get(error["type"], "").format_map(error.get("ctx", {}))
    message = right or error["msg"].removeprefix("Value error, ")
    if error["type"] == "value_error" and isinstance(error["input"], Mapping):
        return f"{where}.{message}" if where else message
    return f"{shown(where)} = {shown(repr(error['input']))}: {message}"


def _enough(physical: int, named: int, whose: str) -> int:
    """Check that an instruction that writes as many registers as it may finds them free at last."""
    if 0 < physical < named + MOST_WRITTEN:
        raise ValueError(
            f"must be 0 (no renaming) or at least {named + MOST_WRITTEN}: {whose} ({named}) and the "
            f"{MOST_WRITTEN} that an instruction may write"
        )
    return physical


def flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the values of a table and of the tables in it by full names, such as ``latency.add``."""
    result: dict[str, Any] = {}
    for name, value in table.items():
        result |= flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
    return result


def _toml(value: int | bool) -> str:
    return str(value).lower()
