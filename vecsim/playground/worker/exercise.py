"""The cases of an exercise as plain data, and a text checked on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.course.grading import grade
from experiments.course.registry import find
from experiments.course.submission import Submission
from experiments.course.trial import Trial
from experiments.course.workspace import Span, Workspace
from vecsim.playground.worker.lesson import packed, unpacked

Plain = dict[str, Any]


def trial_to_plain(trial: Trial) -> Plain:
    """Return a case as plain data; its budget must be a number."""
    room = trial.room
    return {
        "name": room.name,
        "memory": packed(room.memory.tobytes()),
        "symbols": dict(room.symbols),
        "varying": sorted(room.varying),
        "inputs": {name: [span.begin, span.end] for name, span in room.inputs.items()},
        "expected": {name: _plain(values) for name, values in room.expected.items()},
        "writable": [[span.begin, span.end] for span in room.writable],
        "work": room.work,
        "budget": trial.budget,
    }


def trial_from_plain(plain: Mapping[str, Any]) -> Trial:
    """Return the case of plain data, without the elements that must come from an instruction."""
    room = Workspace(
        name=plain["name"],
        memory=np.frombuffer(bytearray(unpacked(plain["memory"])), np.uint8),
        symbols=dict(plain["symbols"]),
        varying=frozenset(plain["varying"]),
        inputs={name: Span(*span) for name, span in plain["inputs"].items()},
        expected={name: _array(values) for name, values in plain["expected"].items()},
        writable=tuple(Span(*span) for span in plain["writable"]),
        work=plain["work"],
        worked={},
    )
    return Trial(room, plain["budget"])


def _plain(values: npt.NDArray[Any]) -> list[str]:
    return [values.dtype.str, packed(values.tobytes())]


def _array(plain: Sequence[str]) -> npt.NDArray[Any]:
    kind, content = plain
    return np.frombuffer(bytearray(unpacked(content)), kind)


def checked(number: int, text: str, seed: int, trials: Sequence[Plain], engine: str) -> dict[str, Any]:
    """Return the grade of a text on the cases of an exercise, as plain data.

    Parameters
    ----------
    number, text
        The exercise, and what the student wrote.
    seed, trials
        The seed of its cases, and these.
    engine
        What runs them.
    """
    given = Submission(f"exercise-{number:02}.s", text.encode())
    rooms = [trial_from_plain(each) for each in trials]
    exercise = find(f"exercise-{number:02}")
    result = grade(exercise, given, seed=seed, engine=engine, trials=rooms, insists=False)
    return {**asdict(result), "passed": result.passed}
