"""``python -m experiments.course.judge``: grade one text in this process, within limits.

Standard input is one line of JSON, then the text; it stays open as long as the parent lives. Standard output
is a line when the limits begin, then the grade as JSON. The line may also say why nothing is graded.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import Any

from vecsim.support.errors import UserError

READY = b"ready\n"


def _main() -> None:
    try:
        _graded()
    except UserError as error:
        _say(json.dumps({"refused": str(error)}).encode("ascii") + b"\n")


def _graded() -> None:
    import numpy as np

    from experiments.course.draws import draw
    from experiments.course.grading import MACHINE, grade
    from experiments.course.insistence import REFERENCE
    from experiments.course.limits import confine
    from experiments.course.registry import find
    from experiments.course.submission import Submission
    from isa.assembler import assemble
    from vecsim.engines.first_use import chosen_engine
    from vecsim.engines.running import run
    from vecsim.machine import load_machine
    from vecsim.support.worker_processes import end_with_stdin

    asked: dict[str, Any] = json.loads(_line())
    content = _exactly(asked["bytes"])
    end_with_stdin()
    exercise, seed, machine = find(asked["exercise"]), asked["seed"], load_machine(MACHINE)
    with chosen_engine(asked["engine"], machine) as choice:
        # Whatever needs files is done before they are out of reach: matrices, and the engines' code.
        trials = draw(exercise, seed, machine)
        for engine in {choice.name, REFERENCE}:
            run(assemble("halt"), np.zeros(64, np.uint8), machine, engine=engine)
        _say(READY)
        confine()
        text = Submission(asked["name"], content)
        answer: dict[str, Any] = {}
        try:
            result = grade(exercise, text, seed=seed, engine=choice.name, trials=trials)
            answer["grade"] = asdict(result)
        except Exception as error:
            answer["fault"] = f"{type(error).__name__}: {error}"
    _say(json.dumps(answer).encode("ascii"))


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
