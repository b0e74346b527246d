"""Every solution passes and every starter does not, with its own hint; whatever a text is, grading ends."""

import os
import random
from itertools import pairwise

import numpy as np
import pytest
from tiers import one_in

from experiments.course.draws import draw
from experiments.course.exercise import Products
from experiments.course.grades import BY_ELEMENTS, GENERAL_HINTS, PROBLEMS, Result, first_problem, fresh_seed
from experiments.course.grading import MACHINE, _end_by_elements, grade
from experiments.course.registry import EXERCISES, find
from experiments.course.submission import LONGEST_LINE, MOST_LINES, Submission, read_submission
from experiments.course.workspace import DATA
from tests.experiments.course.texts import solution, starter
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

NAMES = list(EXERCISES)
AXPY = EXERCISES["exercise-01"]
SEEDS = range(4)


def graded(text, exercise=AXPY, engine="jit", seed=0):
    content = text if isinstance(text, bytes) else text.encode()
    return grade(exercise, Submission("my.s", content), seed=seed, engine=engine)


def test_there_are_twenty_and_each_has_a_text_to_begin_with_and_a_statement():
    assert [each.number for each in EXERCISES.values()] == list(range(1, 21))
    for each in EXERCISES.values():
        assert each.statement.startswith(f"Exercise {each.number}: {each.title} (")
        assert set(each.hints) <= set(PROBLEMS) == set(GENERAL_HINTS)


@pytest.mark.parametrize("seed", one_in(5, SEEDS))
@pytest.mark.parametrize("name", NAMES)
def test_a_solution_passes_and_budgets_leave_room(name, seed):
    exercise = EXERCISES[name]
    actual = grade(exercise, read_submission(str(solution(exercise))), seed=seed, engine="jit")
    assert actual.passed and not actual.hint
    assert len(actual.results) >= 3
    for each in actual.results:
        assert 1.03 * each.cycles <= each.budget
        assert isinstance(exercise.cases, Products) or each.budget <= 1.4 * each.cycles


@pytest.mark.ci
@pytest.mark.parametrize("name", ["exercise-02", "exercise-07"])
def test_a_solution_passes_on_the_reference_engine(name):
    exercise, engines = EXERCISES[name], ("jit", "simpy")
    text = read_submission(str(solution(exercise)))
    compiled, interpreted = (grade(exercise, text, seed=1, engine=engine) for engine in engines)
    assert compiled == interpreted


@pytest.mark.parametrize("seed", one_in(5, SEEDS))
@pytest.mark.parametrize("name", NAMES)
def test_a_starter_does_not_pass_and_the_hint_is_of_its_exercise(name, seed):
    exercise = EXERCISES[name]
    actual = grade(exercise, read_submission(str(starter(exercise))), seed=seed, engine="jit")
    assert not actual.passed
    assert actual.hint in exercise.hints.values()


BAD = {
    "again: j again": ("endless", "no end after"),
    "again: addi x5, x5, 1\nbnez x5, again\nhalt": ("endless", "an infinite loop"),
    "lw x1, (zero) # no end after\nlw x1, -4(zero)": ("fault", "outside memory"),
    "halt": ("unwritten", "Z[0] was never written"),
    "nop": ("fault", "outside the program"),
    "li x1, 5000\njr x1": ("fault", "outside the program"),
    "li x3, X\nsw x3, (x3)\nhalt": ("stray", "which is X[0], an input"),
    "li x3, Z\nli x4, 64\nsetvl x4\nsv.w v1, 32(x3)\nhalt": ("stray", "bytes after the end of Z"),
    "li x3, -4\nlw x4, (x3)\nhalt": ("fault", "outside memory"),
    "li x3, 0x7fffffff\nsb x4, (x3)": ("fault", "outside memory"),
    "addd x1, x2, x3": ("assembly", "unknown instruction 'addd'"),
    "": ("assembly", "no instruction"),
    b"\xff\xfe\x00\x01": ("assembly", "not text in UTF-8"),
    "\n" * MOST_LINES: ("limits", f"a text has at most {MOST_LINES:,}"),
    "# " + "x" * LONGEST_LINE: ("limits", f"my.s:1: 1,002 letters; a line has at most {LONGEST_LINE:,}"),
    ".data\n.space 200000000\n.text\nhalt": ("assembly", "use 64 to 8191"),
    f".data {DATA[1] - 4}\n.word 1, 2\n.text\nhalt": ("assembly", "data at addresses 8188 to 8195"),
    ".data 0\n.word 1\n.text\nhalt": ("assembly", "data at addresses 0 to 3"),
    ".data\n.space N\n.text\nhalt": ("assembly", "N differs from case to case, so .space must not"),
    ".data\n.align N\n.text\nhalt": ("assembly", "N differs from case to case, so .align must not"),
    ".data X\n.text\nhalt": ("assembly", "X differs from case to case, so .data must not"),
    ".equ A1, N\n.equ B1, 1 + A1\n.if B1\n.endif\nhalt": ("assembly", "B1 differs from case to case"),
    ".default M, Z - X\n.if M\n.endif\nhalt": ("assembly", "M differs from case to case"),
    "li x3, N\nhere: .if here - 1\n.endif\nhalt": ("assembly", "here differs from case to case"),
    '.data\n.incbin "/etc/passwd"\n.text\nhalt': ("assembly", "it cannot include files"),
    ".include /etc/passwd\nhalt": ("assembly", ""),
    "li x3, " + "(" * 400 + "1" + ")" * 400: ("fault", ""),
    ".equ A, 1 << 100000\nhalt": ("assembly", ""),
    "mts blocklen, x3\nlds.w v1, v2, v3, (x0)\nhalt": ("unwritten", ""),
}


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_what_is_wrong_is_said(text):
    problem, message = BAD[text]
    actual = graded(text)
    assert first_problem(actual.results).problem == problem
    assert message in first_problem(actual.results).text
    assert actual.hint


@pytest.mark.parametrize("size", [65, 97, 128, 904, 1024])
def test_a_loop_that_moves_on_by_elements_is_told_so(size):
    """What strips of 64 write that begin 16 elements after each other."""
    written = np.zeros(size, bool)
    for strip in range(0, size, 64):
        written[strip // 4 :][: min(64, size - strip)] = True
    assert _end_by_elements(size) == written.argmin()
    text = solution(AXPY).read_text()
    assert "slli    x9, x8, 2" in text
    actual = graded(text.replace("slli    x9, x8, 2", "mv x9, x8"))
    assert first_problem(actual.results).problem == "unwritten" and actual.hint == BY_ELEMENTS


MISTAKES = {
    ("exercise-13", "sgtvs.s", "sgevs.s"): "Elements equal to T are not kept",
    ("exercise-16", "add     x10, x10, x11", "mv x10, x11"): "also those of the strips before",
    ("exercise-16", "setvl   x12", ""): "setvl again before maxv",
    ("exercise-18", "        setvl   x7                  #", "#"): "setvl again before it",
    ("exercise-19", ".equ    RATE, 97", ".equ RATE, 75"): "RATE: subtract the cycles",
    ("exercise-19", ".equ    PORT, 75 ", "#"): "how many words does an element move",
    ("exercise-20", ".equ    LANES4, 49", ".equ LANES4, 30"): "measure on many strips",
    ("exercise-20", "PORTS2, 0", "PORTS2, N"): "measure on many strips",
    ("exercise-16", "lv.w    v1, (x3)            #", "subvv.s v1, v1, v1 #"): "no place may begin with 0",
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mistake", MISTAKES, ids=range(len(MISTAKES)))
def test_no_cases_let_a_typical_mistake_pass(mistake, seed):
    name, old, new = mistake
    text = solution(EXERCISES[name]).read_text()
    assert old in text
    assert MISTAKES[mistake] in graded(text.replace(old, new, 1), EXERCISES[name], seed=seed).hint


def test_a_wrong_case_is_reported_before_a_slow_one():
    wrong, slow = Result("N = 2", "wrong"), Result("N = 1", "budget")
    assert first_problem([slow, wrong]) is wrong and first_problem([slow]) is slow
    assert first_problem([Result("N = 1")]) is None


def test_conditions_that_do_not_depend_on_a_case_are_allowed():
    text = solution(AXPY).read_text()
    before = ".equ STRIPS, 1\n.default ONE, STRIPS\n.if ONE - 1\nnonsense\n.else\n.data\nhere: .word N, X\n"
    more = ".word here\n.space 8 * ONE\n.text\n.endif\n.equ BYTES, 4 * N\n"
    assert graded(before + more + text).passed
    assert "LEVELS" in solution(EXERCISES["exercise-12"]).read_text()


def test_grading_stops_at_a_case_that_does_not_end():
    assert [each.problem for each in graded("again: j again").results] == ["endless"]


def test_what_is_not_to_be_used():
    text = solution(EXERCISES["exercise-09"]).read_text()
    actual = graded(text, EXERCISES["exercise-10"])
    assert actual.results[0].problem == "uses" and "ldb must not be used" in actual.results[0].text


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(10))
def test_garbage(seed):
    """Bytes, and lines of right programs in any order: all end, none passes by chance."""
    source = random.Random(seed)
    lines = [line for name in NAMES for line in EXERCISES[name].starter.splitlines()]
    source.shuffle(lines)
    for text in (os.urandom(2000), "\n".join(lines[:300]), "\n".join(lines[:40]) + "\nhalt"):
        assert not graded(text).passed


@pytest.mark.parametrize("name", one_in(6, NAMES))
def test_the_memory_of_a_case(name):
    """Arrays do not touch, lie after the text's data, and are filled with NaN where a result belongs."""
    exercise, machine = EXERCISES[name], load_machine(MACHINE)
    places = set()
    for seed in range(4):
        for trial in draw(exercise, seed, machine):
            room = trial.room
            results = {key: (room.symbols[key], values.nbytes) for key, values in room.expected.items()}
            spans = sorted([(each.begin, each.end) for each in room.inputs.values()]
                           + [(begin, begin + size) for begin, size in results.values()])  # fmt: skip
            assert spans[0][0] >= DATA[1]
            assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
            for begin, size in results.values():
                assert room.memory[begin : begin + size].view("<u4").tolist() == [0xFFA5A5A5] * (size // 4)
            assert room.stray(room.memory) == ""
            assert all(wrong.all() for wrong in room.wrong(room.memory).values())
        places.add(tuple(sorted(room.symbols.items())))
    assert len(places) == 4  # nothing that a text could know before


def test_a_seed_repeats_a_grade_and_another_draws_other_cases():
    text = AXPY.starter
    assert graded(text, seed=7) == graded(text, seed=7)
    assert graded(text, seed=7) != graded(text, seed=8)
    assert len({fresh_seed() for _ in range(20)}) == 20


def test_names():
    assert find("3") is find("03") is find("exercise-03")
    for name in ("21", "9" * 5000, "../exercise-01", "exercise-01/../exercise-02"):
        with pytest.raises(UserError, match="no exercise"):
            find(name)


def test_what_is_missing():
    actual = graded("halt", EXERCISES["exercise-03"])
    assert "mergev must be used" in actual.results[0].text
    assert "names the instruction" in actual.hint
