"""``python -m experiments.course.judge``: grade one text in this process, within limits.

Standard input is one line of JSON, then the text; it stays open as long as the parent lives. Standard output
is a line when the limits begin, then the grade as JSON. The line may also say why nothing is graded.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from vecsim.support.errors import UserError

if TYPE_CHECKING:
    from experiments.course.exercise import Exercise
    from experiments.course.submission import Submission

READY = b"ready\n"


def _main() -> None:
    try:
        _graded()
    except UserError as error:
        _say(json.dumps({"refused": str(error)}).encode("ascii") + b"\n")


def _graded() -> None:
    from experiments.course.registry import find
    from experiments.course.submission import Submission
    from vecsim.support.worker_processes import end_with_stdin

    asked: dict[str, Any] = json.loads(_line())
    content = _exactly(asked["bytes"])
    end_with_stdin()
    exercise = find(asked["exercise"], asked["folder"])
    with engine_loaded(asked["engine"]) as engine:
        _say(
            judged(
                exercise,
                Submission(asked["name"], content),
                seed=asked["seed"],
                engine=engine,
                ready=lambda: _say(READY),
            )
        )


@contextmanager
def engine_loaded(engine: str) -> Iterator[str]:
    """Choose an engine and load all that it needs of files, which a confined process cannot.

    Raises
    ------
    UserError
        There is no such engine.
    """
    import numpy as np

    from experiments.course.grading import MACHINE
    from experiments.course.insistence import REFERENCE
    from isa.assembler import assemble
    from vecsim.engines.first_use import chosen_engine
    from vecsim.engines.running import run
    from vecsim.machine import load_machine

    machine = load_machine(MACHINE)
    with chosen_engine(engine, machine) as choice:
        for each in {choice.name, REFERENCE}:
            run(assemble("halt"), np.zeros(64, np.uint8), machine, engine=each)
        yield choice.name


def judged(
    exercise: Exercise, text: Submission, *, seed: int, engine: str, ready: Callable[[], None]
) -> bytes:
    """Confine this process for the rest of its life, grade a text, and return the grade as JSON.

    Parameters
    ----------
    exercise, text
        Which, and the text.
    seed
        Seed of the random cases.
    engine
        A name of :data:`vecsim.engines.running.ENGINES` that :func:`engine_loaded` has loaded.
    ready
        Is called when the limits begin.
    """
    from experiments.course.draws import draw
    from experiments.course.grading import MACHINE, grade
    from experiments.course.limits import confine
    from vecsim.machine import load_machine

    # Whatever needs files is done before they are out of reach.
    trials = draw(exercise, seed, load_machine(MACHINE))
    ready()
    confine()
    answer: dict[str, Any] = {}
    try:
        answer["grade"] = asdict(grade(exercise, text, seed=seed, engine=engine, trials=trials))
    except Exception as error:
        answer["fault"] = f"{type(error).__name__}: {error}"
    return json.dumps(answer).encode("ascii")


def _line() -> bytes:
    """Read a line, and nothing of what follows it."""
    result = b""
    while not result.endswith(b"\n"):
        letter = os.read(0, 1)
        if not letter:
            sys.exit(1)
        result += letter
    return result


def _exactly(count: int) -> bytes:
    result = b""
    while len(result) < count:
        part = os.read(0, count - len(result))
        if not part:
            sys.exit(1)
        result += part
    return result


def _say(content: bytes) -> None:
    while content:
        content = content[os.write(1, content) :]


if __name__ == "__main__":
    _main()
