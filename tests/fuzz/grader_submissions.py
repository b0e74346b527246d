"""Texts that are handed in: ``python -m tests.fuzz.grader_submissions --count 10000``.

Solutions, starters, cheats and other texts, with lines and words that were exchanged, directives of all
kinds, and damaged bytes. Whatever a text is, it must get a grade with a hint, in time, and without a word of
another file; one that passes must satisfy a plain grader on other inputs. One case in `BY_PROCESS` goes
through the whole command.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import traceback
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from experiments.course.draws import Trial, draw
from experiments.course.grades import NO_CASE, PROBLEMS, Grade
from experiments.course.grading import MACHINE, grade
from experiments.course.registry import EXERCISES
from experiments.course.submission import Submission, read_submission
from isa.directives import DIRECTIVES
from isa.instructions import BASE
from isa.text.mistakes import MOST
from tests.experiments.course.cheats import CHEATS, SHIPPED
from tests.experiments.course.plain_grader import objection
from tests.experiments.course.texts import solution
from tests.fuzz.campaign import MOST_SECONDS, Case, main
from tests.fuzz.campaign import fault_of as message_fault
from tests.fuzz.commands import called
from tests.fuzz.damage import damaged
from vecsim.machine import load_machine
from vecsim.support.errors import UserError
from vecsim.support.input_files import SUBMISSION

NAME = "grader_submissions"
BY_PROCESS = 200
SEEDS = 3
"""How many draws of its cases an exercise has."""
SECRET = "a7f3-secret"
"""What stands in a file next to the text."""
SOLUTIONS = {exercise.number: solution(exercise).read_text() for exercise in EXERCISES.values()}
STARTERS = {exercise.number: exercise.starter for exercise in EXERCISES.values()}
OTHERS = (*SOLUTIONS.values(), *STARTERS.values(), *(cheat.text for cheat in CHEATS), *SHIPPED.values())
MNEMONICS = tuple(row.mnemonic for row in BASE.instructions)
SYMBOLS = (
    "N", "ROWS", "X", "Y", "Z", "R", "S", "A", "B", "C", "LOW", "HIGH", "TABLE", "INDEX", "MATRIX", "SCRATCH",
    "WORK", "ROWPTR", "COLIDX", "VALUES", "ROOT", "ROOT_LENGTH", "LEVELS", "POSITION_BYTES", "VALUE_BYTES",
    "VALUE_SHIFT", "SECTION_BITS", "DIAGONALS", "PERM", "start",
)  # fmt: skip
NUMBERS = (
    "0", "1", "2", "3", "4", "8", "32", "63", "64", "65", "100", "256", "1000", "4096", "8191", "8192", "-1",
    "-4", "0x7fffffff", "0x80000000", "1 << 40", "9" * 30,
)  # fmt: skip
INSERTED = (
    '.incbin "secret"', '.incbin "/etc/passwd"', '.incbin "../secret", 0, 4', '.include "secret"', ".data",
    ".text", ".data 64", ".data 4096", ".data 8192", ".space 268435456", ".align 1 << 30", ".if 1", ".if 0",
    ".else", ".endif", "halt", "nop", "again9: j again9", "call start", "ret", "setvl zero", "push x5",
    "pop x5", "jr x5", "li sp, 0", "mergev v9, v8, v7", "lvi.w v9, (x3), v8", "ldb.w v9, v8, (x3), x4, 1",
    "bmipa.s v9, v8, v7, v6", "bmipac.s x9, v8, v7, v6", "\u202etfel", "\x1b[2J", "[red]x[/red]",
    "\u00a0halt", "h\u0430lt", "li x3, \u0663", "(" * 400, "-" * 900 + "1", "x" * 1001, "\0",
    '.instruction "q9v.s vd=, va", "va"', '.instruction "q9v.s vd+, va, fa", "vd + va * fa / va"',
    '.instruction "q9v.s vd=, va", "__import__(\'os\').system(\'id\')"',
    '.instruction "q9v.s vd=, va", "va.__class__"',
    '.instruction "q9v.s vd=, va", "' + "(" * 300 + '"', '.instruction "q9v.s", ""', ".instruction q9v.s",
    "# \u2028 halt", ".word " + ", ".join("1" * 300),
)  # fmt: skip
_WORD = re.compile(r"\b(?:[xfv][0-9]+|[0-9]+|0x[0-9a-f]+)\b")


def make(source: random.Random) -> Case:
    """Make up a text for an exercise."""
    number = source.randint(1, len(EXERCISES))
    kind = source.random()
    if kind < 0.6:
        text = SOLUTIONS[number]
    elif kind < 0.75:
        text = STARTERS[number]
    elif kind < 0.85:
        cheat = source.choice(CHEATS)
        number, text = cheat.exercise, cheat.text
    else:
        text = source.choice(OTHERS)
    lines = text.split("\n")
    for _ in range(source.choice((0, 1, 1, 1, 2, 2, 3, 6))):
        source.choice(CHANGES)(source, lines)
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    if source.random() < 0.1:
        data = damaged(source, data, source.choice((1, 1, 2, 4)))
    elif source.random() < 0.01:
        data = source.randbytes(source.choice((1, 100, 5000, 70_000)))
    process = source.randrange(BY_PROCESS) == 0
    return Case("my.s", data, (f"exercise-{number:02}", str(source.randrange(SEEDS)), str(int(process))))


def _at(source: random.Random, lines: list[str]) -> int:
    """Return a line of the code rather than of the comment on top."""
    first = next((k for k, line in enumerate(lines) if line and not line.startswith("#")), 0)
    return source.randrange(first, len(lines)) if first < len(lines) else 0


def _delete(source: random.Random, lines: list[str]) -> None:
    if len(lines) > 1:
        del lines[_at(source, lines)]


def _double(source: random.Random, lines: list[str]) -> None:
    lines.insert(_at(source, lines), lines[_at(source, lines)])


def _exchange(source: random.Random, lines: list[str]) -> None:
    a, b = _at(source, lines), _at(source, lines)
    lines[a], lines[b] = lines[b], lines[a]


def _word(source: random.Random, lines: list[str]) -> None:
    k = _at(source, lines)
    words = list(_WORD.finditer(lines[k]))
    if words:
        old = source.choice(words)
        new = f"{old[0][0]}{source.randrange(12)}" if old[0][0] in "xfv" else source.choice(NUMBERS)
        lines[k] = lines[k][: old.start()] + new + lines[k][old.end() :]


def _mnemonic(source: random.Random, lines: list[str]) -> None:
    k = _at(source, lines)
    lines[k] = re.sub(r"^(\s+)[a-z][a-z.]*\b", lambda actual: actual[1] + source.choice(MNEMONICS), lines[k])


def _insert(source: random.Random, lines: list[str]) -> None:
    lines.insert(_at(source, lines), source.choice(INSERTED))


def _directive(source: random.Random, lines: list[str]) -> None:
    directive = source.choice(DIRECTIVES)
    first = ("NEW9",) if "NAME" in directive.arguments else ()
    more = (_expression(source, 2) for _ in range(source.choice((0, 1, 1, 2))))
    lines.insert(_at(source, lines), f"{directive.name} {', '.join((*first, *more))}")


def _expression(source: random.Random, depth: int) -> str:
    if not depth or source.random() < 0.5:
        return source.choice((*SYMBOLS, *NUMBERS))
    sign = source.choice(("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"))
    return f"({_expression(source, depth - 1)} {sign} {_expression(source, depth - 1)})"


CHANGES = (_delete, _double, _exchange, _word, _word, _word, _mnemonic, _insert, _directive)


@cache
def trials(name: str, seed: int) -> list[Trial]:
    """Draw the cases of an exercise once."""
    return draw(EXERCISES[name], seed, load_machine(MACHINE))


@dataclass(frozen=True)
class SubmissionFuzzer:
    """Makes texts up and judges their grades by a plain grader, as `tests.fuzz.campaign` runs it."""

    name: str = NAME

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever: a text, its exercise, the seed of its cases."""
        return make(random.Random(f"{self.name} {seed}"))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Grade a text and judge the grade."""
        name, seed, process = case.arguments
        (folder / "secret").write_text(SECRET)
        path = folder / case.name
        path.write_bytes(case.data)
        began = _processor_seconds()
        try:
            word, wrong = (_by_command if process == "1" else _in_process)(name, path, int(seed))
        except Exception:
            return "traceback", traceback.format_exc()
        seconds = _processor_seconds() - began
        if seconds > MOST_SECONDS:
            return "slow", f"took {seconds:.1f} s"
        if not wrong and word.startswith("passed"):
            wrong = objection(EXERCISES[name].number, case.data.decode("utf-8-sig"), int(seed))
        return word, wrong


def _processor_seconds() -> float:
    """Return what this process and its children have computed: other work on the computer does not count.

    The campaign ends a text that the grader waits for.
    """
    return sum(os.times()[:4])


def _in_process(name: str, path: Path, seed: int) -> tuple[str, str]:
    """Grade a text without limits."""
    try:
        text = Submission(path.name, read_submission(str(path)).content)
    except UserError as error:
        return _refused(path, str(error))
    actual = grade(EXERCISES[name], text, seed=seed, engine="jit", trials=trials(name, seed))
    problem = next((result.problem for result in actual.results if result.problem), "")
    return problem or "passed", fault_of(actual)


def _by_command(name: str, path: Path, seed: int) -> tuple[str, str]:
    """Grade a text by the command, whose process has limits."""
    built = Path(f"{path}.json")
    options = ["--seed", str(seed), "--engine", "jit", "--json", str(built)]
    code, out, err = called(["grade", name, str(path), *options])
    if code == 2:
        return _refused(path, err.removeprefix("vecsim: error: ").removesuffix("\n"))
    document = json.loads(built.read_text())
    if code not in (0, 1) or err or document["passed"] != (code == 0):
        return "command", f"it ends with {code}: {err!r}"
    shown = out.replace("\n", "").replace("\t", "")
    if SECRET in out or not shown.isprintable():
        return "command", f"it prints {out!r}"
    return ("passed by command" if code == 0 else "refused by command"), ""


def _refused(path: Path, message: str) -> tuple[str, str]:
    """Judge the message about a file that is not graded: only one that is too large is none."""
    if path.stat().st_size <= SUBMISSION.most_bytes:
        return "message", f"it is not graded: {message!r}"
    return "too large", message_fault(message, path)


def fault_of(actual: Grade) -> str:
    """Return what is wrong with a grade; empty if nothing is."""
    problems = [result for result in actual.results if result.problem]
    if actual.passed == bool(actual.hint) or not actual.results:
        return f"a hint too much, or none: {actual}"
    for result in problems:
        if result.problem not in PROBLEMS or not result.text or result.text.count("\n") > 3 * MOST:
            return f"it is not said in one line: {result}"
        if SECRET in result.text or "root:x" in result.text:
            return f"it shows another file: {result}"
    if any(result.cycles is None and not result.problem for result in actual.results):
        return f"right without cycles: {actual}"
    if problems and problems[0].case == NO_CASE and len(actual.results) > 1:
        return f"cases of a text that cannot be run: {actual}"
    return ""


FUZZER = SubmissionFuzzer()

if __name__ == "__main__":
    sys.exit(main(FUZZER))
