"""A teacher's own exercises: in a folder, NAME.toml and NAME.py each.

``NAME.toml`` has what is asked, the text to begin with and what it is worth; ``NAME.py`` has ``cases``, which
draws the cases.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from experiments.course.exercise import Band, Case, Design, Exercise, Points
from experiments.course.grades import PROBLEMS
from experiments.course.grading import MACHINE
from experiments.course.insistence import base_name, can_be_needed
from isa.instructions import BASE
from isa.registers import REGISTER_NAMES, RISCV_ALIASES
from vecsim.machine import load_machine
from vecsim.machine.user_inputs import Recording
from vecsim.machine.user_module import declared
from vecsim.support.errors import UserError, in_words, place_of
from vecsim.support.input_files import EXERCISE, read_input
from vecsim.support.mistakes import Mistakes
from vecsim.support.structured_text import read_toml
from vecsim.support.suggestions import nearest

_NAME = re.compile(r"[a-z][a-z0-9-]{0,60}")
_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
TAKEN = frozenset({"SCRATCH", "VALUE_BYTES", "VALUE_SHIFT"}) | REGISTER_NAMES.keys() - RISCV_ALIASES.keys()
"""Symbols that every text has."""
WORD_TYPES = (np.float32, np.int32, np.uint32)
MOST_BYTES = 1 << 24
"""Of all arrays of a case."""
TRIED = (0, 1)
"""Seeds whose cases are looked at first."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Band(_Strict):
    share: float = Field(gt=0)
    points: float = Field(ge=0)


class _Points(_Strict):
    right: float = Field(ge=0)
    bands: tuple[_Band, ...] = ()


class _Stated(_Strict):
    """What the TOML file says."""

    title: str = Field(min_length=1)
    statement: str = Field(min_length=1)
    starter: str = "start:\n        halt\n"
    needed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    what_if: tuple[str, ...] = ()
    hardware: int | None = Field(default=None, ge=0)
    hints: Mapping[str, str] = Field(default_factory=dict)
    points: _Points | None = None


def read_exercises(folder: str) -> dict[str, Exercise]:
    """Return the exercises of a folder by name.

    Raises
    ------
    UserError
        There is no such folder, none in it, or one of them is wrong; `UserErrors` for several mistakes.
    """
    try:
        files = sorted(Path(folder).glob("*.toml")) if Path(folder).is_dir() else None
    except OSError:
        files = None
    if files is None:
        raise UserError(f"{folder}: is no folder; name the folder of your exercises")
    if not files:
        raise UserError(
            f"{folder}: has no exercise; NAME.toml and NAME.py make one (docs/tutorial/exercises.md)"
        )
    return {path.stem: read_exercise(path) for path in files}


def read_exercise(file: Path) -> Exercise:
    """Return the exercise of a TOML file and the Python file next to it.

    Raises
    ------
    UserError
        As :func:`read_exercises`.
    """
    name = file.stem
    if not _NAME.fullmatch(name):
        raise UserError(f"{file}: a name of an exercise has small letters, digits and hyphens, as axpy-2")
    stated = _stated(file)
    drawing = file.with_suffix(".py")
    content = read_input(drawing, EXERCISE)
    draw, digest = declared(str(drawing), content, _drawing)
    cases = _Guarded(str(drawing), draw)
    for seed in TRIED:
        cases.check(seed)
    sha256 = hashlib.sha256(read_input(file, EXERCISE) + digest.encode()).hexdigest()
    points = stated.points
    return Exercise(
        name=name,
        title=stated.title,
        number=zlib.crc32(name.encode()),
        starter=_commented(f"{stated.title}\n\n{stated.statement.strip()}") + "\n" + stated.starter,
        cases=cases,
        hints=dict(stated.hints),
        forbidden=stated.forbidden,
        needed=stated.needed,
        what_if=stated.what_if,
        points=Points()
        if points is None
        else Points(points.right, tuple(Band(each.share, each.points) for each in points.bands)),
        design=None if stated.hardware is None else Design(stated.hardware),
        folder=str(file.parent.resolve()),
        sha256=sha256,
    )


def _commented(text: str) -> str:
    return "".join(f"# {line}".rstrip() + "\n" for line in text.splitlines())


def _stated(file: Path) -> _Stated:
    try:
        stated = _Stated.model_validate(read_toml(file, EXERCISE))
    except ValidationError as error:
        mistakes = Mistakes()
        for wrong in error.errors():
            where = ".".join(map(str, wrong["loc"]))
            near = nearest(where, _Stated.model_fields) if wrong["type"] == "extra_forbidden" else ""
            mistakes.add(f"{where}: {wrong['msg'][0].lower()}{wrong['msg'][1:]}{near}")
        mistakes.raise_all(f"{file}: ")
        raise AssertionError from None  # there is at least one
    mistakes = Mistakes()
    known = {base_name(row.mnemonic) for row in BASE.instructions}
    for each in stated.needed:
        if each in known and not can_be_needed(each):
            mistakes.add(f"needed: {each} cannot be checked; name one that computes or stores a vector")
    for each in (*stated.needed, *stated.forbidden):
        if each not in known:
            mistakes.add(
                f"no instruction {each!r}; name it without what follows its dot{nearest(each, known)}"
            )
    for each in stated.hints:
        if each not in PROBLEMS:
            mistakes.add(f"hints.{each}: use one of {', '.join(PROBLEMS)}{nearest(each, PROBLEMS)}")
    for change in stated.what_if:
        mistakes.attempt(load_machine, MACHINE, [change])
    mistakes.raise_all(f"{file}: ")
    return stated


def _drawing(module: ModuleType, recording: Recording, content: bytes) -> tuple[Callable[..., Any], str]:
    cases = vars(module).get("cases")
    if not callable(cases):
        raise UserError(
            f"{module.__file__}: declares no cases; write `def cases(random):`, which yields Cases"
        )
    return cases, recording.digest(content)


class _Guarded:
    """The function of a file that draws cases; what is wrong with them is said in one line."""

    def __init__(self, file: str, draw: Callable[..., Any]) -> None:
        self._file = file
        self._draw = draw

    def __call__(self, random: np.random.Generator) -> Iterator[Case]:
        """Draw the cases.

        Raises
        ------
        UserError
            The function fails, or a case is none that a text can be run on.
        """
        try:
            sample = self._draw(random)
            if sample is None:
                raise UserError("cases yields none; yield at least one Case")
            cases = list(sample)
        except UserError as error:
            raise UserError(f"{self._file}: {error}") from None
        except Exception as error:
            where = place_of(error, [self._file, str(Path(self._file).resolve())]) or self._file
            raise UserError(f"{where}: {in_words(error)}") from None
        if not cases:
            raise UserError(f"{self._file}: cases yields none; yield at least one Case")
        for case in cases:
            problem = _problem(case)
            if problem:
                raise UserError(f"{self._file}: {problem}")
        return iter(cases)

    def check(self, seed: int) -> None:
        """Draw the cases of a seed twice.

        Raises
        ------
        UserError
            They are wrong, or differ: then no grade could be repeated.
        """
        first, second = ([_plain(each) for each in self(np.random.default_rng(seed))] for _ in range(2))
        if first != second:
            raise UserError(f"{self._file}: cases of one seed differ; draw all numbers from `random` alone")


def _plain(case: Case) -> tuple[object, ...]:
    arrays = [
        (name, values.dtype.str, values.tobytes())
        for name, values in {**case.inputs, **case.expected}.items()
    ]
    return case.name, arrays, case.budget, dict(case.constants), case.work


def _problem(case: object) -> str:
    """Return why a text cannot be run on a case; empty if it can."""
    if not isinstance(case, Case):
        return f"cases yields {type(case).__name__}; yield experiments.course.exercise.Case"
    where = f"the case {case.name!r}"
    if not isinstance(case.budget, int | np.integer) or case.budget < 1:
        return f"{where}: budget {case.budget!r}; use a number of cycles, at least 1"
    if not case.expected:
        return f"{where}: expects nothing; name an array that the text must write"
    names = [*case.inputs, *case.expected, *case.constants]
    for name in names:
        if not isinstance(name, str) or not _SYMBOL.fullmatch(name):
            return f"{where}: {name!r} is no symbol; use letters, digits and '_', no digit first"
        if name in TAKEN:
            return f"{where}: {name!r} is the name of a register or of vecsim; use another"
        if names.count(name) > 1:
            return f"{where}: {name!r} is named twice; inputs, results and constants have different names"
    for name, value in case.constants.items():
        if not isinstance(value, int | np.integer):
            return f"{where}: constant {name} is {value!r}; use a whole number"
    total = 0
    for name, values in (*case.inputs.items(), *case.expected.items()):
        if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.type not in WORD_TYPES:
            return f"{where}: {name} must be an array (n,) of float32, int32 or uint32"
        if not len(values):
            return f"{where}: {name} is empty; give it at least one element"
        if np.isnan(values).any():
            return f"{where}: {name} has a NaN, which no result can be compared with"
        total += values.nbytes
    return f"{where}: {total:,} bytes; use at most {MOST_BYTES:,}" if total > MOST_BYTES else ""
