"""What a store keeps, as records that are checked whenever they are read: types, ranges, what must agree."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

Count = Annotated[int, Field(ge=0, lt=1 << 63)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_STRICT = ConfigDict(strict=True, extra="forbid")


@dataclass(frozen=True)
class Cell:
    """What a program took on a matrix and a machine.

    Attributes
    ----------
    cycles, instructions, bytes_moved
        Of the run; 0 if it failed.
    peak_share
        Share of the ports' peak bandwidth; over 1 where words that are merged pass more than that.
    relative_error
        Of the result; see `vecsim.formats.accuracy`.
    storage_bytes
        Bytes of the matrix in its format.
    cycles_by_cause
        Cycles by cause, by name.
    counters
        What the machine's extensions counted, by ``EXTENSION.NAME``, and what its caches and main memory did
        (`vecsim.engines.result.Run.memory_counters`).
    fault
        Why there is no result; empty if there is one.
    seconds
        Processors' time of the engine, 0 if it is not known. It is no part of the result.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    cycles: Count = 0
    instructions: Count = 0
    bytes_moved: Count = 0
    peak_share: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    relative_error: float = 0.0
    storage_bytes: Count = 0
    cycles_by_cause: dict[str, Count] | None = None
    counters: dict[str, int] = field(default_factory=dict)
    fault: str = ""
    seconds: Annotated[float, Field(ge=0)] = field(default=0.0, compare=False)

    @property
    def is_whole(self) -> bool:
        """Whether its numbers can be those of one run."""
        if self.fault:
            return True
        return (
            self.cycles >= 1
            and self.instructions >= 1
            and not self.relative_error < 0
            and self.cycles_by_cause is not None
            and sum(self.cycles_by_cause.values()) == self.cycles
        )


@dataclass(frozen=True)
class ImageRecord:
    """The image of a matrix: program and memory before a run.

    Attributes
    ----------
    program, memory
        Digests of both.
    inputs
        Digests of the files that assembling read, by their paths from the folder of the program's text: with
        other files there the record counts as missing.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    program: Digest
    memory: Digest
    inputs: Mapping[str, Digest] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Both digests."""
        return f"{self.program} {self.memory}"

    @property
    def is_whole(self) -> bool:
        """Whether it can be right."""
        return bool(self.inputs)


Record = TypeVar("Record", bound=Cell | ImageRecord)

KINDS: Mapping[str, type[Cell] | type[ImageRecord]] = {"cells": Cell, "images": ImageRecord}
"""What each table of a store keeps."""
_ADAPTERS: Mapping[type, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in KINDS.values()}


def content_of(record: Cell | ImageRecord) -> bytes:
    """Return a record as JSON that keeps floats exactly, including NaN and infinity."""
    return json.dumps(vars(record), separators=(",", ":")).encode()


def read_record(kind: type[Record], key: str, content: object, checksum: object) -> Record | None:
    """Read a row; None if it is damaged.

    Parameters
    ----------
    kind
        What it should be.
    key, content, checksum
        The columns of the row.
    """
    if not isinstance(content, bytes) or checksum != checksum_of(kind, key, content):
        return None
    try:
        record = _ADAPTERS[kind].validate_json(content)
    except ValidationError:
        return None
    assert isinstance(record, kind)
    return record if record.is_whole else None


def checksum_of(kind: type, key: str, content: bytes) -> bytes:
    """Return the checksum of a row, of its table, its key and its content."""
    digest = hashlib.blake2b(f"{kind.__name__} {key} ".encode(), digest_size=16)
    digest.update(content)
    return digest.hexdigest().encode()
