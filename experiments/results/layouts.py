"""What results files hold, as far as it is read again: checked before anything is made of it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vecsim.errors import UserError

RUN, EXEC, WHY, SWEEP = "vecsim run", "vecsim exec", "vecsim why", "vecsim sweep"

Bits = Annotated[int, Field(ge=32, le=64, multiple_of=32)]
Cycles = Annotated[int, Field(ge=0)]
Choices = dict[str, list[int | bool | str]]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Matrix(_Strict):
    name: str
    source: str
    sha256: str


class _Line(_Strict):
    text: str
    cycles: Cycles


class _Result(_Strict):
    matrix: str
    program: str
    cycles: Cycles
    charged: dict[str, int]
    program_sha256: str
    options: dict[str, str]
    lines: list[_Line] = Field(default_factory=list)


class _Made(_Strict):
    """What every file says of how it was made."""

    versions: dict[str, str] = Field(default_factory=dict)
    machine: dict[str, Any] = Field(default_factory=dict)


class _Run(_Made):
    engine: str
    seed: Cycles
    value_bits: Bits
    max_cycles: Cycles
    matrices: list[_Matrix]
    results: list[_Result]


class _Exec(_Made):
    file: str
    define: dict[str, int]
    engine: str
    value_bits: Bits
    memory_bytes: Annotated[int, Field(ge=16, le=2**31)]
    max_cycles: Cycles
    cycles: Cycles
    charged: dict[str, int]
    program_sha256: str
    lines: list[_Line] = Field(default_factory=list)


class _Explanation(_Strict):
    matrix: str
    program: str
    options: dict[str, str]
    machine: dict[str, Any]
    cycles: Cycles
    cycles_by_cause: dict[str, int]
    lines: list[_Line]


class _Why(_Made):
    explanations: list[_Explanation]


class _Specification(_Strict):
    matrices: list[str]
    programs: list[str]
    set: Choices
    option: Choices
    cost: dict[str, float] = Field(default_factory=dict)


class _Sweep(_Made):
    sweep: _Specification


LAYOUTS: dict[str, type[BaseModel]] = {RUN: _Run, EXEC: _Exec, WHY: _Why, SWEEP: _Sweep}
"""By the kind that a file says it is of."""


def check(where: str, kind: str, content: dict[str, Any]) -> None:
    """Check what a file holds.

    Raises
    ------
    UserError
        Something is missing or of another type, naming the file and the first such thing.
    """
    try:
        LAYOUTS[kind].model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UserError(
            f"{where}: is damaged, or of another version: {place}: {first['msg'].lower()}"
        ) from None
