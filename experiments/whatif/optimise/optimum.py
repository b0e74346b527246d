"""What a search came to: the best machines, as the reference engine runs them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.whatif.optimise.search_settings import Settings
from experiments.whatif.sweep.attributes import Value
from experiments.whatif.sweep.inputs import Facts
from experiments.whatif.sweep.specification import Sweep
from vecsim.machine import Machine, to_toml
from vecsim.results.file_digests import InputFile
from vecsim.results.provenance import provenance
from vecsim.results.result_folder import write_folder
from vecsim.support.arguments import path as path_of
from vecsim.support.overview import Overview
from vecsim.support.shown_text import csv_text, to_json, utf8


@dataclass(frozen=True)
class Answer:
    """A machine, and what programs take on it.

    Attributes
    ----------
    chosen
        The value of each thing that was varied, by its name; empty of the machine as it is.
    machine
        The machine.
    cost
        What it costs, with what every program needs (`experiments.whatif.sweep.cost`).
    mean
        Geometric mean of the cycles over matrices and programs.
    cycles
        Cycles, by matrix and program; the matrix of a text is empty.
    """

    chosen: Mapping[str, Value]
    machine: Machine
    cost: float
    mean: float
    cycles: Mapping[tuple[str, str], int]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "chosen": dict(self.chosen),
            "machine_sha256": self.machine.sha256,
            "cost": self.cost,
            "mean_cycles": self.mean,
            "cycles": [
                {"matrix": matrix, "program": program, "cycles": cycles}
                for (matrix, program), cycles in self.cycles.items()
            ],
        }


@dataclass(frozen=True, repr=False)
class Optimum(Overview):
    """What a search came to.

    Attributes
    ----------
    sweep, settings
        What was asked for.
    answers
        The best machine, or those of the front by rising cost.
    base
        The machine as it is; None if a program fails on it.
    combinations, within
        How many machines there are, and how many of them are within the limit; None if these are too many to
        count.
    evaluations, alone
        How many machines were timed, and how many runs of them were by the engine for one machine.
    certainty
        ``exact``: every machine within the limit was timed. ``local``: no machine that differs from an answer
        in one thing, or in two by one value each, is better. ``spent``: the budget ended the search before.
    engine
        Which engine ran the answers again.
    fault
        Why the first machine without cycles has none; empty if all have.
    matrices, files
        What was read.
    """

    sweep: Sweep
    settings: Settings
    answers: tuple[Answer, ...]
    base: Answer | None
    combinations: int
    within: int | None
    evaluations: int
    alone: int
    certainty: str
    engine: str
    fault: str = ""
    matrices: tuple[Facts, ...] = ()
    files: tuple[InputFile, ...] = ()

    @property
    def best(self) -> Answer:
        """The machine with the least cycles."""
        return min(self.answers, key=lambda each: (each.mean, each.cost))

    def overview(self) -> dict[str, object]:
        """Return the best machine, and how it was found."""
        return {
            "best": dict(self.best.chosen),
            "cost": self.best.cost,
            "cycles": self.best.mean,
            "answers": len(self.answers),
            "evaluations": self.evaluations,
            "certainty": self.certainty,
        }

    @property
    def columns(self) -> dict[str, list[Any]]:
        """By name: cost, mean of cycles, the value of each thing, cycles by matrix and program."""
        answers = self.answers
        return {
            "cost": [each.cost for each in answers],
            "mean_cycles": [each.mean for each in answers],
            **{name: [each.chosen[name] for each in answers] for name in self.sweep.factors},
            **{
                " ".join(filter(None, ("cycles", matrix, program))): [
                    each.cycles[matrix, program] for each in answers
                ]
                for matrix, program in self.best.cycles
            },
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "sweep": self.sweep.to_dict(),
            "optimise": self.settings.to_dict(),
            "machine": self.sweep.base.to_dict(),
            "matrices": [each.to_dict() for each in self.matrices],
            "files": [each.to_dict() for each in self.files],
            "combinations": self.combinations,
            "within_limit": self.within,
            "evaluations": self.evaluations,
            "runs_alone": self.alone,
            "certainty": self.certainty,
            "checked_by": self.engine,
            "base": None if self.base is None else self.base.to_dict(),
            "answers": [each.to_dict() for each in self.answers],
        }

    def folder_files(self) -> dict[str, bytes]:
        """Return the files of its folder, by name, as ``vecsim optimise --out`` writes them."""
        content = to_json({"kind": "vecsim optimise", **provenance().to_dict(), **self.to_dict()})
        table = csv_text([self.columns, *zip(*self.columns.values(), strict=True)])
        return {
            "machines.csv": utf8(table),
            "optimise.json": content.encode(),
            "best.toml": utf8(to_toml(self.best.machine)),
        }

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write it into a folder, as ``vecsim optimise --out`` does, and return its path.

        Raises
        ------
        UserError
            The folder cannot be written.
        """
        target = path_of("save", folder)
        write_folder(target, self.folder_files())
        return target


def geometric_mean(cycles: Mapping[tuple[str, str], int]) -> float:
    """Return the geometric mean of cycles."""
    return math.exp(sum(math.log(max(each, 1)) for each in cycles.values()) / len(cycles))
