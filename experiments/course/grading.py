"""Runs a text on the cases of an exercise, and says what to look at where it is not right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from experiments.course.designing import false_claims, needed, refused
from experiments.course.exercise import Exercise, Finished
from experiments.course.grades import BY_ELEMENTS, Grade, Result, failed, first_problem, hint_for
from experiments.course.insistence import REFERENCE, base_name, elsewhere, processed, results_come_from
from experiments.course.submission import LONGEST_LINE, MOST_LINES, Submission
from experiments.course.trial import Rival, Trial
from experiments.course.vectors import SECTION
from experiments.course.workspace import Workspace
from isa.assembler import assemble
from isa.program import Program
from vecsim.engines.cause import label
from vecsim.engines.fault import Fault
from vecsim.engines.protocol import Engine
from vecsim.engines.result import Run
from vecsim.engines.running import MAX_CYCLES, OTHER_LIMIT, run
from vecsim.machine import Machine, load_machine
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

MACHINE = "vs2003"
LATE = 10
"""Budgets after which a run that has not ended is stopped."""
AT_LEAST = 10_000
"""Cycles that a run may take in any case until it is stopped."""


@dataclass(frozen=True)
class Setting:
    """The machine and engine of a run, the source of random elements, and a progress callback.

    Without a source nobody looks whether the results come from an instruction.
    """

    machine: Machine
    engine: str
    random: np.random.Generator | None
    progress: Callable[[Engine], None] | None = None

    def run(self, program: Program, room: Workspace, max_cycles: int) -> Run:
        """Run a program on the memory of a case."""
        return run(
            program,
            room.memory,
            self.machine,
            engine=self.engine,
            max_cycles=max_cycles,
            progress=self.progress,
        )


def grade(
    exercise: Exercise,
    submission: Submission,
    *,
    seed: int,
    engine: str,
    trials: Sequence[Trial] = (),
    progress: Callable[[Engine], None] | None = None,
    insists: bool = True,
) -> Grade:
    """Run a text on every case of an exercise.

    This process has no limits; :mod:`experiments.course.confined` grades in one that has.

    Parameters
    ----------
    exercise, submission
        Which, and the text.
    seed
        Seed of the random cases.
    engine
        A name of :data:`vecsim.engines.running.ENGINES`.
    trials
        The cases, if they exist already.
    progress
        Called with the running engine now and then.
    insists
        Whether the results must come from the instructions of the exercise; those must be there in any case.
    """
    random = np.random.default_rng(seed) if insists else None
    engine = engine if exercise.design is None else REFERENCE  # which compiles nothing for an instruction
    how = Setting(load_machine(MACHINE), engine, random, progress)
    trials = trials or _drawn(exercise, seed, how.machine)
    try:
        text = _text(submission)
        programs = [_assembled(exercise, trial.room, text, submission.name) for trial in trials]
        results = list(_results(exercise, trials, programs, how))
    except _NotAssembledError as error:
        return failed(exercise, seed, error.problem, str(error))
    first = first_problem(results)
    if first is not None:
        last = [result for result in results if result.problem][-1]
        hint = last.hint or hint_for(exercise, first.problem)
        return Grade(exercise.name, seed, tuple(results), len(trials), hint)
    if false := _false_claims(exercise, trials, programs, how):
        results[-1] = replace(results[-1], problem="claim", text=false)
        return Grade(exercise.name, seed, tuple(results), len(trials), hint_for(exercise, "claim"))
    changed = tuple(_what_if(exercise, trials[-1].room, programs[-1], how))
    return Grade(exercise.name, seed, tuple(results), len(trials), "", changed)


def _drawn(exercise: Exercise, seed: int, machine: Machine) -> Sequence[Trial]:
    from experiments.course.draws import draw  # which needs SciPy; whoever has trials may have none

    return draw(exercise, seed, machine)


class _NotAssembledError(Exception):
    """A text that cannot be run on any case."""

    def __init__(self, problem: str, text: str) -> None:
        super().__init__(text)
        self.problem = problem


def _text(submission: Submission) -> str:
    name = submission.name
    try:
        text = submission.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _NotAssembledError("assembly", f"{name}: is not text in UTF-8; save it as UTF-8") from None
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        raise _NotAssembledError(
            "limits", f"{name}: {counted(len(lines), 'line')}; a text has at most {MOST_LINES:,}"
        )
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            text = f"{name}:{number}: {counted(len(line), 'letter')}; a line has at most {LONGEST_LINE:,}"
            raise _NotAssembledError("limits", text)
    return text


def _assembled(exercise: Exercise, room: Workspace, text: str, file: str) -> Program:
    try:
        allowed = replace(room.restrictions, declares=exercise.design is not None)
        program = assemble(text, file=file, symbols=room.symbols, restrictions=allowed)
    except MemoryError:
        raise _NotAssembledError("limits", f"{file}: needs too much memory; use a smaller .space") from None
    except RecursionError:
        raise _NotAssembledError(
            "assembly", f"{file}: an expression is nested too deep; split it with .equ"
        ) from None
    except UserError as error:
        raise _NotAssembledError("assembly", str(error)) from None
    if not len(program):
        raise _NotAssembledError("assembly", f"{file}: has no instruction; write at least one")
    used = {base_name(program.instruction(pc).mnemonic) for pc in range(len(program))}
    for name in exercise.forbidden:
        if name in used:
            raise _NotAssembledError("uses", f"{file}: {name} must not be used in this exercise")
    for name in exercise.needed:
        if name not in used:
            raise _NotAssembledError("uses", f"{file}: {name} must be used in this exercise")
    if reason := refused(exercise, program):
        raise _NotAssembledError("uses", f"{file}: {reason}")
    return program


def _results(
    exercise: Exercise, trials: Sequence[Trial], programs: Sequence[Program], how: Setting
) -> Iterator[Result]:
    largest = max(trials, key=lambda trial: trial.room.work)
    for trial, program in zip(trials, programs, strict=True):
        result = _result(exercise, trial, program, how, trial is largest)
        yield result
        if result.problem == "endless":  # the others would take as long
            return


def _result(exercise: Exercise, trial: Trial, program: Program, how: Setting, is_largest: bool) -> Result:
    room, budget = trial.room, trial.budget
    if isinstance(budget, Rival):
        budget = budget.budget(how.run(budget.program, room, MAX_CYCLES).cycles)
    known, most = Result(room.name, budget=budget), max(LATE * budget, AT_LEAST)
    try:
        done = how.run(program, room, most)
    except Fault as fault:
        message = str(fault).replace(OTHER_LIMIT, "")
        return replace(known, problem="endless" if fault.cycle >= most else "fault", text=message)
    except UserError as error:
        return replace(known, problem="fault", text=str(error))
    known = replace(known, cycles=done.cycles)
    wrong = _judged(known, room, done) or _unused(exercise, known, room, done)
    if wrong is None and is_largest:
        wrong = _idle(exercise, known, room, done, how)
    return wrong or _timed(known, done)


def _judged(known: Result, room: Workspace, done: Run) -> Result | None:
    """Look at what a run that has ended left after; None if all is right."""
    stray = room.stray(done.state.memory)
    if stray:
        return replace(known, problem="stray", text=stray)
    wrong = room.first_wrong(done.state.memory)
    if wrong is None:
        return None
    if not wrong.written:
        place = f"{wrong.array}[{wrong.element}]"
        text = f"{place} was never written; {counted(wrong.count, 'element')} not right"
        size = len(room.expected[wrong.array])
        hint = BY_ELEMENTS if wrong.element == _end_by_elements(size) else ""
        return replace(known, problem="unwritten", text=text, hint=hint)
    text = (
        f"{wrong.array}[{wrong.element}] is {wrong.computed:.9g}, expected {wrong.expected:.9g}; "
        f"{counted(wrong.count, 'element')} not right"
    )
    return replace(known, problem="wrong", text=text)


def _end_by_elements(size: int) -> int | None:
    """Return how far strips come that move on by their number of elements instead of bytes; None if one does.

    The second strip then begins at element 16, and so on.
    """
    strips, last = divmod(size - 1, SECTION)
    begin = SECTION // 4 * strips
    return max(begin - SECTION // 4 + SECTION, begin + last + 1) if strips else None


def _unused(exercise: Exercise, known: Result, room: Workspace, done: Run) -> Result | None:
    """Look whether the instructions on which the exercise insists process all elements; None if they do."""
    for name in needed(exercise, done.program):
        count = processed(name, done)
        if count < room.work:
            text = f"{name} processes {count:,} of {counted(room.work, 'element')}; all must go through it"
            return replace(known, problem="uses", text=text)
    return None


def _idle(exercise: Exercise, known: Result, room: Workspace, done: Run, how: Setting) -> Result | None:
    """Look whether the results come from the instructions on which the exercise insists; None if they do."""
    most = max(2 * done.cycles, AT_LEAST)
    random = how.random
    if random is None:
        return None
    for name in needed(exercise, done.program):
        if not results_come_from(name, room, done, most, random):
            return replace(known, problem="uses", text=f"the results do not come from {name}")
        if result := elsewhere(name, room, done, most, random):
            return replace(known, problem="uses", text=f"{result} does not come from {name}")
    return None


def _timed(known: Result, done: Run) -> Result:
    """Compare the cycles with the budget, and say where they went if they are too many."""
    assert known.budget is not None
    if done.cycles <= known.budget:
        return known
    cause, cycles = max(done.cycles_by_cause.items(), key=lambda item: item[1])
    line = max(done.lines, key=lambda each: each.cycles)
    text = (
        f"right, but {counted(done.cycles, 'cycle')}; the budget is {known.budget:,}. "
        f"{cycles / done.cycles:.0%} of them go to {label(cause)}, most to {done.program.where(line.pc)}"
    )
    return replace(known, problem="budget", text=text)


def _false_claims(
    exercise: Exercise, trials: Sequence[Trial], programs: Sequence[Program], how: Setting
) -> str:
    """Return which number that a text states is not what is measured; empty if all are right."""
    if exercise.design is None or not exercise.design.claims:
        return ""
    room, program = trials[-1].room, programs[-1]
    done = [
        Finished(trial.room.work, how.run(text, trial.room, MAX_CYCLES))
        for trial, text in zip(trials[-2:], programs[-2:], strict=True)
    ]

    def cycles_on(change: str) -> int:
        changed = replace(how, machine=load_machine(MACHINE, [change]))
        return changed.run(program, room, MAX_CYCLES).cycles

    return false_claims(exercise, program, done, cycles_on)


def _what_if(
    exercise: Exercise, room: Workspace, program: Program, how: Setting
) -> Iterator[tuple[str, int]]:
    """Run the last case on machines with one thing changed."""
    for change in exercise.what_if:
        changed = replace(how, machine=load_machine(MACHINE, [change]))
        yield change, changed.run(program, room, MAX_CYCLES).cycles
