"""The texts of the exercises: those to begin with, and one right text each, which no student gets."""

from pathlib import Path

import experiments.course

STARTERS = Path(experiments.course.__file__).parent / "starters"
SOLUTIONS = Path(__file__).parent / "solutions"


def starter(exercise):
    return STARTERS / f"{exercise.name}.s"


def solution(exercise):
    return SOLUTIONS / f"{exercise.name}.s"
