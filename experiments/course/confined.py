"""Grades a text in its own process, which has limits and sees no file but the text's bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer

from experiments.course.exercise import Exercise
from experiments.course.grades import Grade, failed
from experiments.course.judge import READY
from experiments.course.limits import CPU_SECONDS, WALL_SECONDS
from experiments.course.submission import Submission
from vecsim.support.errors import UserError

MODULE = "experiments.course.judge"
MOST_ANSWER = 1 << 20
"""Bytes of a grade."""
ENDED = "vecsim grade: the process that grades ends before it has read the text"


def grade_confined(exercise: Exercise, submission: Submission, *, seed: int, engine: str) -> Grade:
    """Run a text on every case of an exercise, in a process with limits.

    Parameters
    ----------
    exercise, submission
        Which, and the text.
    seed
        Seed of the random cases.
    engine
        A name of :data:`vecsim.engines.running.ENGINES`, or :data:`vecsim.engines.AUTO`.

    Raises
    ------
    UserError
        There is no such engine, or vecsim itself fails. Whatever the text is, its grade says what is wrong
        with it.
    """
    asked = {
        "exercise": exercise.name,
        "folder": exercise.folder,
        "seed": seed,
        "engine": engine,
        "name": submission.name,
        "bytes": len(submission.content),
    }
    with _started() as process:
        clock = Timer(WALL_SECONDS, process.kill)
        try:
            answer = _answer(process, json.dumps(asked).encode("ascii") + b"\n" + submission.content, clock)
            code = process.wait()
        except BrokenPipeError:
            raise UserError(ENDED) from None
        finally:
            clock.cancel()
            process.kill()
    if code or len(answer) > MOST_ANSWER:
        return unanswered(exercise, submission, seed, code)
    return grade_of_answer(json.loads(answer), submission)


def unanswered(exercise: Exercise, submission: Submission, seed: int, code: int) -> Grade:
    """Return the grade of a text whose process ended without an answer.

    Parameters
    ----------
    exercise, submission, seed
        As they were given to it.
    code
        Its exit code, negative for a signal.
    """
    return failed(exercise, seed, "limits", f"{submission.name}: {_why(code)}")


def _answer(process: subprocess.Popen[bytes], request: bytes, clock: Timer) -> bytes:
    """Send a text and wait for its grade, from when the process has its limits by the clock."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(request)
    process.stdin.flush()
    begun = process.stdout.readline()
    if begun != READY:
        raise UserError(json.loads(begun)["refused"] if begun else ENDED)
    clock.start()
    return process.stdout.read(MOST_ANSWER + 1)


def _started() -> subprocess.Popen[bytes]:
    paths = [str(Path(each).absolute()) for each in sys.path if each]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )


def _why(code: int) -> str:
    """Return how a process ended, in words."""
    if code == -getattr(signal, "SIGXCPU", 0):
        return f"takes more than {CPU_SECONDS} s of processor time"
    if code == -getattr(signal, "SIGKILL", 0):
        return f"takes more than {WALL_SECONDS} s, or more memory than there is"
    return f"ends the process that grades it ({code})"


def grade_of_answer(answer: dict[str, object], submission: Submission) -> Grade:
    """Return the grade that the process of a text has answered.

    Raises
    ------
    UserError
        vecsim itself has failed at the text.
    """
    from pydantic import TypeAdapter

    if "fault" in answer:
        raise UserError(
            f"{submission.name}: vecsim itself fails at this text, which it must not; report "
            f"it: {answer['fault']}"
        )
    return TypeAdapter(Grade).validate_python(answer["grade"])
