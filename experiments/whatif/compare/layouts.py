"""What results files hold, as far as it is read again: models that check it before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from experiments.whatif.sweep.cost import check_weights
from experiments.whatif.sweep.specification import MEMORY_BYTES, factors_of
from experiments.whatif.sweep.texts import is_text
from vecsim.data.memory_files import MEMORY_LIMITS
from vecsim.engines.running import ENGINES
from vecsim.machine.recorded import check_recorded
from vecsim.support.errors import UserError
from vecsim.support.suggestions import shown

RUN, EXEC, WHY, SWEEP = "vecsim run", "vecsim exec", "vecsim why", "vecsim sweep"
WHY_PROGRAM = "vecsim why of a program"


def _engine(name: str) -> str:
    """Accept an engine, or two where the second was compiled meanwhile."""
    if not set(name.split(", ")) <= ENGINES.keys():
        raise ValueError(f"engines must be of {', '.join(ENGINES)}")
    return name


def _weights(cost: dict[str, float]) -> dict[str, float]:
    try:
        check_weights(cost)
    except UserError as error:
        raise ValueError(str(error)) from None
    return cost


def _machine(document: dict[str, Any]) -> dict[str, Any]:
    _MachineTexts.model_validate(document)
    try:
        check_recorded(document)
    except UserError as error:
        raise ValueError(str(error).removeprefix("machine: ")) from None
    return document


MOST = 2**63 - 1
LONGEST = 200
"""Letters of what a message says of a fault, at most."""
Bits = Annotated[int, Field(ge=32, le=64, multiple_of=32)]
Count = Annotated[int, Field(ge=0, le=MOST)]
Cycles = Annotated[int, Field(ge=1, le=MOST)]
Memory = Annotated[int, Field(ge=MEMORY_LIMITS[0], le=MEMORY_LIMITS[1])]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Name = Annotated[str, Field(min_length=1)]
Value = Annotated[int, Field(ge=-MOST, le=MOST)] | bool | str
Choices = dict[str, Annotated[list[Value], Field(min_length=1)]]
EngineName = Annotated[str, AfterValidator(_engine)]
MachineNumbers = Annotated[dict[str, Any], AfterValidator(_machine)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _MachineExtension(_Strict):
    name: Name
    file: str
    sha256: Digest


class _MachineTexts(_Strict):
    """What a machine says of itself next to its numbers."""

    label: str
    sha256: Digest
    file: str | None
    based_on: str | None
    taken_from_base: list[str]
    extensions: list[_MachineExtension] = Field(default_factory=list)


class MatrixEntry(_Strict):
    """A matrix: what it is called, where it came from, its digest as it was multiplied."""

    name: Name
    source: str
    sha256: Digest


class FileEntry(_Strict):
    """A file that the results depend on; see `vecsim.results.file_digests`."""

    what: Name
    file: Name
    sha256: Digest


Matrices = Annotated[list[MatrixEntry], Field(min_length=1)]


class LineEntry(_Strict):
    """An instruction and its cycles."""

    text: str
    cycles: Count


class ArrayEntry(_Strict):
    """An array that was put into memory: how it was asked for, and its file."""

    text: Name
    sha256: Digest
    file: Name


class _ByCause(_Strict):
    """Cycles and their causes, which add up to them."""

    cycles: Cycles
    lines: list[LineEntry] = Field(default_factory=list)
    cycles_by_cause: dict[str, Count]
    program_sha256: Digest

    @model_validator(mode="after")
    def _check(self) -> Self:
        by_cause = sum(self.cycles_by_cause.values())
        if by_cause != self.cycles:
            raise ValueError(f"cycles = {self.cycles}, and those by cause add up to {by_cause}")
        by_line = sum(line.cycles for line in self.lines)
        if self.lines and by_line != self.cycles:
            raise ValueError(f"cycles = {self.cycles}, and those of the lines add up to {by_line}")
        return self


class ResultEntry(_ByCause):
    """A product of `vecsim run`."""

    matrix: str
    program: str
    options: dict[str, str]


class _Made(_Strict):
    """What every file says of how it was made."""

    kind: str
    command: list[str] = Field(default_factory=list)
    date: str = ""
    versions: dict[str, str]
    commit: str
    machine: MachineNumbers | None = None
    matrices: list[MatrixEntry] = Field(default_factory=list)
    files: list[FileEntry]

    def _check_matrices(self, named: Iterable[str]) -> None:
        """Check that each matrix has its own name, and that those which results name are there."""
        known: dict[str, str] = {}
        for each in self.matrices:
            if known.setdefault(each.name, each.sha256) != each.sha256:
                raise ValueError(f"two different matrices are named {shown(repr(each.name))}: rename one")
        for name in named:
            if name not in known:
                raise ValueError(f"matrices: {shown(repr(name))} has a result, but is missing; add it")


class RunLayout(_Made):
    """Of ``vecsim run``."""

    machine: MachineNumbers
    engine: EngineName
    seed: Count
    value_bits: Bits
    max_cycles: Cycles
    matrices: list[MatrixEntry]
    results: list[ResultEntry]

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._check_matrices(each.matrix for each in self.results)
        return self


class ExecLayout(_Made, _ByCause):
    """Of ``vecsim exec``, and of ``vecsim why`` of a program."""

    machine: MachineNumbers
    file: Name
    define: dict[str, int]
    engine: EngineName
    value_bits: Bits
    memory_bytes: Memory
    max_cycles: Cycles
    isa: str | None = None
    arguments: list[str] = Field(default_factory=list)
    function: str = ""
    load: list[ArrayEntry] = Field(default_factory=list)


class ExplanationEntry(ResultEntry):
    """A product of `vecsim why`."""

    machine: MachineNumbers
    engine: EngineName
    value_bits: Bits
    cycles_by_cause: dict[str, Count]
    lines: list[LineEntry]


class WhyLayout(_Made):
    """Of ``vecsim why``."""

    seed: Count
    matrices: Matrices
    explanations: Annotated[list[ExplanationEntry], Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._check_matrices(each.matrix for each in self.explanations)
        return self


class Specification(_Strict):
    """What a sweep is of, as `experiments.whatif.sweep.Sweep.to_dict` returns it."""

    matrices: list[Name]
    programs: Annotated[list[Name], Field(min_length=1)]
    machine: str
    extend: list[str]
    set: Choices
    option: Choices
    define: dict[str, Annotated[list[int], Field(min_length=1)]] = Field(default_factory=dict)
    isa: str = ""
    argument: Choices = Field(default_factory=dict)
    function: str = ""
    load: list[Name] = Field(default_factory=list)
    memory: Memory = MEMORY_BYTES
    design: str
    samples: Cycles
    design_seed: Count
    value_bits: Bits
    seed: Count
    engine: EngineName
    max_cycles: Cycles
    question: str = ""
    at: list[dict[str, Value]] = Field(default_factory=list)
    cost: Annotated[dict[str, float], AfterValidator(_weights)]

    @property
    def factors(self) -> dict[str, list[int | bool | str]]:
        """What is varied, as `experiments.whatif.sweep.Sweep.factors` has it."""
        define: Choices = {name: [*values] for name, values in self.define.items()}
        return factors_of(self.set, self.option, define, self.argument)

    @property
    def is_of_texts(self) -> bool:
        """Whether its programs are texts, which multiply no matrix."""
        return any(map(is_text, self.programs))

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.is_of_texts is bool(self.matrices):
            raise ValueError("matrices: products need at least one, and texts (FILE.s) have none")
        return self


class SweepLayout(_Made):
    """Of ``vecsim sweep``."""

    machine: MachineNumbers
    sweep: Specification
    matrices: list[MatrixEntry]
    load: list[ArrayEntry] = Field(default_factory=list)
    cells: Count
    table_sha256: Digest

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.sweep.matrices and not self.matrices:
            raise ValueError("matrices: list should have at least 1 item")
        if [each.text for each in self.load] != self.sweep.load:
            raise ValueError("load: the sweep and its arrays contradict each other")
        return self


Layout = RunLayout | ExecLayout | WhyLayout | SweepLayout

LAYOUTS: dict[str, type[Layout]] = {
    RUN: RunLayout,
    EXEC: ExecLayout,
    WHY_PROGRAM: ExecLayout,
    WHY: WhyLayout,
    SWEEP: SweepLayout,
}
"""By the kind that a file says it is of."""


def check(where: str, kind: str, content: Mapping[str, Any]) -> Layout:
    """Check what a file holds.

    Raises
    ------
    UserError
        Something is missing, of another type or contradicts itself, naming the file and the first such thing.
    """
    if kind == WHY_PROGRAM and isinstance(explained := content.get("explanations"), list):
        content = {**content, **next((each for each in explained if isinstance(each, dict)), {})}
    try:
        return LAYOUTS[kind].model_validate(content)
    except ValidationError as error:
        raise UserError(
            f"{where}: is damaged or of another version; write it again: {first_fault(error)}"
        ) from None


def first_fault(error: ValidationError) -> str:
    """Return a line on the first wrong field, what it holds, and what is wrong with it."""
    first = error.errors()[0]
    place = ".".join(shown(str(part)) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    message = shown(message[:1].lower() + message[1:], LONGEST)
    held = first["input"]
    has = f" = {shown(repr(held))}" if place and not isinstance(held, dict | list | BaseModel) else ""
    return f"{place}{has}: {message}" if place else message
