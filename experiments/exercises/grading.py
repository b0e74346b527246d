"""Runs a text on the cases of an exercise, and says what to look at where it is not right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.exercises.exercise import Case, Exercise, Products
from experiments.exercises.workspace import Workspace, workspace
from isa.assembler import assemble
from isa.program import Program
from programs.measurement import ALLOWED_ERROR, measure, prepare_product
from programs.registry import find
from vecsim.data import load
from vecsim.engines.cause import label
from vecsim.engines.fault import Fault
from vecsim.engines.protocol import MAX_CYCLES, Engine, Run, run
from vecsim.errors import AssemblyError, UserError
from vecsim.input_files import ASSEMBLY, read_input
from vecsim.machine import Machine, load_machine

MACHINE = "vs2003"
MOST_TEXT = 1 << 18
"""Bytes of a text, at most."""
LATE = 20
"""Budgets after which a run that has not ended is stopped."""
AT_LEAST = 20_000
"""Cycles that a run may take in any case until it is stopped."""
ASSEMBLER_BYTES = 1 << 30
"""Memory that assembling may take, beside what is in use."""

NO_CASE = "the text"
"""In the place of a case, of a text that cannot be run on any."""
PROBLEMS = ("assembly", "uses", "fault", "endless", "stray", "unwritten", "wrong", "budget")
"""What can be not right, in the order in which it is looked for."""

GENERAL_HINTS = {
    "uses": "the statement names the instruction, `vecsim isa NAME` says how it is written",
    "assembly": "`vecsim isa` lists what there is; `vecsim isa NAME` says how an instruction is written",
    "fault": "`vecsim debug` stops there: look at the registers that give the address, and go back to where "
    "they became so",
    "endless": "which register does the branch at the end of the loop test, and does it come to that value? "
    "`vecsim debug` with `watch` on it shows",
    "stray": "how many elements has the last strip, and does setvl say so? An address may also run past its "
    "array",
    "unwritten": "the loop ends before all strips are done, or a store is missing",
    "wrong": "`vecsim debug` with `until` on the address of that element stops where it is written",
    "budget": "`vecsim why` and the extended view of `vecsim debug` show what waits for what",
}


@dataclass(frozen=True)
class Setting:
    """On which machine programs are run, by which engine, and who is told how far they are."""

    machine: Machine
    engine: str
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


@dataclass(frozen=True)
class Result:
    """What came of a case.

    Attributes
    ----------
    case
        Its name.
    problem
        One of :data:`PROBLEMS`, empty if it is right.
    text
        What is not right.
    cycles, budget
        That it took and might take; None where it did not end.
    """

    case: str
    problem: str = ""
    text: str = ""
    cycles: int | None = None
    budget: int | None = None


@dataclass(frozen=True)
class Grade:
    """What came of a text.

    Attributes
    ----------
    exercise
        Which.
    results
        Of each case.
    hint
        What to look at first, empty if all is right.
    what_if
        Cycles of the last case on machines with one thing changed.
    """

    exercise: Exercise
    results: tuple[Result, ...]
    hint: str = ""
    what_if: tuple[tuple[str, int], ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all is right."""
        return not any(result.problem for result in self.results)


def grade(
    exercise: Exercise, file: str, *, engine: str, progress: Callable[[Engine], None] | None = None
) -> Grade:
    """Run a text on every case of an exercise.

    Parameters
    ----------
    exercise
        Which.
    file
        The text.
    engine
        A name of :data:`vecsim.engines.protocol.ENGINES`.
    progress
        Called with the running engine now and then.

    Raises
    ------
    UserError
        The file cannot be read. Whatever is in it, its grade says what is wrong.
    """
    how = Setting(load_machine(MACHINE), engine, progress)
    content = read_input(file, ASSEMBLY)
    try:
        text = _text(content, file)
        if isinstance(exercise.cases, Products):
            results = list(_products(exercise, exercise.cases, text, file, how))
        else:
            results = [_case(exercise, case, text, file, how) for case in exercise.cases()]
    except _NotAssembledError as error:
        return Grade(exercise, (Result(NO_CASE, error.problem, str(error)),), _hint(exercise, error.problem))
    first = next((result.problem for result in results if result.problem), "")
    if first:
        return Grade(exercise, tuple(results), _hint(exercise, first))
    return Grade(exercise, tuple(results), "", tuple(_what_if(exercise, text, file, how)))


class _NotAssembledError(Exception):
    """A text that cannot be run on any case."""

    def __init__(self, problem: str, text: str) -> None:
        super().__init__(text)
        self.problem = problem


def _hint(exercise: Exercise, problem: str) -> str:
    return exercise.hints.get(problem) or GENERAL_HINTS.get(problem, "")


def _text(content: bytes, file: str) -> str:
    if len(content) > MOST_TEXT:
        raise _NotAssembledError(
            "assembly", f"{file}: {len(content):,} bytes; a text has {MOST_TEXT:,} at most"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _NotAssembledError("assembly", f"{file}: is not text in UTF-8") from None


@contextmanager
def _little_memory() -> Iterator[None]:
    """Let what a text asks of the assembler, such as a gigantic .space, end as a lack of memory."""
    try:
        import resource
    except ImportError:  # not on Windows
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if _HAS_STATM else 0
    if not used:
        yield
        return
    resource.setrlimit(resource.RLIMIT_AS, (used + ASSEMBLER_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


_HAS_STATM = Path("/proc/self/statm").exists()


def _assembled(exercise: Exercise, text: str, file: str, symbols: dict[str, int]) -> Program:
    try:
        with _little_memory():
            program = assemble(text, file=file, symbols=symbols)
    except AssemblyError as error:
        raise _NotAssembledError("assembly", str(error)) from None
    except MemoryError:
        raise _NotAssembledError("assembly", f"{file}: takes more memory than there is") from None
    except RecursionError:
        raise _NotAssembledError("assembly", f"{file}: an expression is nested too deep") from None
    except UserError as error:
        raise _NotAssembledError("assembly", str(error)) from None
    if not len(program):
        raise _NotAssembledError("assembly", f"{file}: there is no instruction in it")
    used = {program.instruction(pc).mnemonic.split(".")[0] for pc in range(len(program))}
    for name in exercise.forbidden:
        if name in used:
            raise _NotAssembledError("uses", f"{file}: {name} is not to be used in this exercise")
    for name in exercise.needed:
        if name not in used:
            raise _NotAssembledError("uses", f"{file}: {name} is to be used in this exercise")
    return program


def _case(exercise: Exercise, case: Case, text: str, file: str, how: Setting) -> Result:
    room = workspace(case)
    program = _assembled(exercise, text, file, room.symbols)
    known = Result(case.name, budget=case.budget)
    try:
        done = how.run(program, room, max(LATE * case.budget, AT_LEAST))
    except Fault as fault:
        problem = "endless" if "no end after" in str(fault) else "fault"
        return replace(
            known, problem=problem, text=str(fault).replace(", or raise the limit (--max-cycles)", "")
        )
    except UserError as error:
        return replace(known, problem="fault", text=str(error))
    return _judged(replace(known, cycles=done.cycles), room, program, done)


def _judged(known: Result, room: Workspace, program: Program, done: Run) -> Result:
    """Look at what a run that has ended left behind, and how long it took."""
    stray = room.stray(done.state.memory, program)
    if stray:
        return replace(known, problem="stray", text=stray)
    wrong = room.first_wrong(done.state.memory)
    if wrong is not None:
        if not wrong.written:
            text = f"{wrong.array}[{wrong.element}] was never written; {wrong.count} elements are not right"
            return replace(known, problem="unwritten", text=text)
        text = (
            f"{wrong.array}[{wrong.element}] is {wrong.found:.7g}, expected {wrong.expected:.7g}; "
            f"{wrong.count} elements are not right"
        )
        return replace(known, problem="wrong", text=text)
    return _timed(known, done)


def _timed(known: Result, done: Run) -> Result:
    """Compare the cycles with the budget, and say where they went if they are too many."""
    assert known.budget is not None
    if done.cycles <= known.budget:
        return known
    cause, cycles = max(done.charged.items(), key=lambda item: item[1])
    line = max(done.lines, key=lambda each: each.cycles)
    text = (
        f"right, but {done.cycles:,} cycles; the budget is {known.budget:,}. "
        f"{cycles / done.cycles:.0%} of them go to {label(cause)}, most to {done.program.where(line.pc)}"
    )
    return replace(known, problem="budget", text=text)


def _products(exercise: Exercise, products: Products, text: str, file: str, how: Setting) -> Iterator[Result]:
    """Run a product on each matrix, beside the program that it is like."""
    _checked_mnemonics(exercise, products, text, file, how.machine)
    for name in products.matrices:
        matrix = load(name)
        watched: dict[str, Any] = {"engine": how.engine, "progress": how.progress}
        ours = measure(products.like, matrix, how.machine, options=products.options, **watched)
        budget = int(products.share * ours.cycles)
        known = Result(name, budget=budget)
        own = {key: value for key, value in products.options.items() if key != "schedule"}
        try:
            done = measure(
                f"{products.like}:{file}",
                matrix,
                how.machine,
                options=own,
                **watched,
                max_cycles=max(LATE * budget, AT_LEAST),
            )
        except Fault as fault:
            problem = "endless" if "no end after" in str(fault) else "fault"
            yield replace(known, problem=problem, text=str(fault))
            continue
        except UserError as error:
            yield replace(known, problem="fault", text=str(error))
            continue
        known = replace(known, cycles=done.cycles)
        if not done.relative_error <= ALLOWED_ERROR:
            wrong = f"y is not A x: the relative error is {done.relative_error:.1e}"
            yield replace(known, problem="wrong", text=wrong)
        else:
            yield _timed(known, done.run)


def _checked_mnemonics(
    exercise: Exercise, products: Products, text: str, file: str, machine: Machine
) -> None:
    """Assemble a product for its first matrix, to say what is wrong in the text itself."""
    prepared = prepare_product(products.like, load(products.matrices[0]), machine, options=products.options)
    program = find(products.like)
    symbols = program.symbols(prepared.options) | dict(prepared.loaded.symbols)
    _assembled(exercise, text, file, symbols)


def _what_if(exercise: Exercise, text: str, file: str, how: Setting) -> Iterator[tuple[str, int]]:
    """Run the last case on machines with one thing changed."""
    if isinstance(exercise.cases, Products) or not exercise.what_if:
        return
    room = workspace(exercise.cases()[-1])
    program = _assembled(exercise, text, file, room.symbols)
    for change in exercise.what_if:
        done = replace(how, machine=load_machine(MACHINE, [change])).run(program, room, MAX_CYCLES)
        yield change, done.cycles
