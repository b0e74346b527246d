"""What the page asks: answers are those of vecsim, mistakes are answers with their places."""

import json
from pathlib import Path

import numpy as np
import pytest

from experiments.course.draws import draw
from experiments.course.registry import find
from isa.assembler import assemble
from vecsim.engines.running import run
from vecsim.machine import load_machine
from vecsim.playground import description
from vecsim.playground.worker.classroom import Classroom
from vecsim.playground.worker.exercise import trial_from_plain, trial_to_plain
from vecsim.playground.worker.lesson import OWN_BYTES, Lesson

SOLUTION = Path(__file__).parents[1] / "experiments" / "course" / "solutions" / "exercise-01.s"
TEXT = """start:  li      x1, N
        setvl   x2, x1
        lv.f    v1, (x3)
        addvv.s v2, v1, v1
        sv.f    v2, (x3)
        halt
"""
LESSON = Lesson("six", "group", "six", "about", TEXT, {"N": 6, "Y": 0}, bytes(4096), ("Y:4:float",))


@pytest.fixture(scope="module")
def room():
    trials = draw(find("exercise-01"), 0, load_machine("vs2003"))[:1]
    exercise = Lesson("exercise-01", exercise=1)
    given = [LESSON.to_plain(), exercise.to_plain()]
    return Classroom(given, {"1": {"0": [trial_to_plain(trial) for trial in trials]}}, engine="simpy")


def asked(room, do, text=TEXT, lesson="six", **more):
    answer = room.answer({"do": do, "lesson": lesson, "text": text, **more})
    return json.loads(json.dumps(answer))  # the page gets it so


@pytest.mark.parametrize("changes", [{}, {"chaining": False, "latency.add": 20}])
def test_a_run_takes_the_cycles_of_vecsim(room, changes):
    program = assemble(TEXT, symbols={"N": 6, "Y": 0})
    expected = run(program, np.zeros(4096, np.uint8), load_machine("vs2003", changes), engine="simpy")
    actual = asked(room, "run", changes=changes)
    assert (actual["cycles"], actual["instructions"]) == (expected.cycles, expected.instructions)
    assert sum(actual["causes"].values()) == expected.cycles
    assert len(actual["times"]) == expected.instructions
    assert max(row[7] for row in actual["times"]) == expected.cycles
    assert [row[8] for row in actual["times"]] == [1, 2, 3, 4, 5, 6]
    assert actual["memory"] == [{"name": "Y", "values": ["0"] * 4}]


def test_a_machine_without_chaining_is_slower(room):
    assert asked(room, "run", changes={"chaining": False})["cycles"] > asked(room, "run")["cycles"]


def test_mistakes_have_their_places(room):
    actual = asked(room, "assemble", "        li x1, 3\n        foo x1\n  add x1, x2\n")["mistakes"]
    assert [(each["line"], each["column"]) for each in actual] == [(2, 9), (3, 3)]
    assert "unknown instruction 'foo'" in actual[0]["text"]
    for wrong, line in (({"changes": {"banks": 0}}, 0), ({"lesson": "none"}, 0), ({"machine": "x"}, 0)):
        (mistake,) = asked(room, "run", **wrong)["mistakes"]
        assert mistake["line"] == line
        assert "\n" not in mistake["text"]


def test_a_fault_has_the_line_of_its_instruction(room):
    (mistake,) = asked(room, "run", "        li x1, -4\n        lw x2, (x1)\n        halt\n")["mistakes"]
    assert mistake["line"] == 2
    assert "outside memory" in mistake["text"]


def test_steps_go_forwards_and_back(room):
    begin = asked(room, "open", changes={"issue_width": 1})
    assert (begin["cycle"], begin["line"], begin["vectors"]) == (0, 1, [])
    there = asked(room, "move", how="until", count=5)
    assert there["marks"]["5"] == ">"
    assert asked(room, "move", how="step")["count"] > there["count"]
    assert asked(room, "move", how="goto", count=there["cycle"])["count"] == there["count"]
    back = asked(room, "move", how="back")
    assert back["count"] < there["count"]
    end = asked(room, "move", how="run")
    assert end["ended"]
    assert asked(room, "move", how="backcycle", count=end["cycle"])["cycle"] == 0


def test_vectors_are_strips_with_what_is_not_ready(room):
    text = "li x1, 8\nsetvl x2, x1\nli x3, 3\ncvi v1, x3\nhalt\n"
    asked(room, "open", text, changes={"issue_width": 1})
    state = asked(room, "move", how="step", count=4)
    (strip,) = state["vectors"]
    assert strip["register"] == "v1"
    assert strip["values"][:3] == ["0", "3", "6"]
    assert all(strip["waits"][:8])
    assert strip["heights"][7] == 1


def test_an_exercise_is_checked_with_a_hint(room):
    exercise = find("exercise-01")
    right = SOLUTION.read_text(encoding="utf-8")
    assert asked(room, "check", right, "exercise-01")["passed"]
    wrong = asked(room, "check", "halt\n", "exercise-01")
    assert not wrong["passed"]
    assert wrong["results"][0]["problem"] == "unwritten"
    assert wrong["hint"] == exercise.hints["unwritten"]


def test_lessons_and_cases_are_the_same_after_json():
    assert Lesson.from_plain(json.loads(json.dumps(LESSON.to_plain()))) == LESSON
    assert len(Lesson().array()) == OWN_BYTES
    (trial, *_) = draw(find("exercise-03"), 5, load_machine("vs2003"))
    again = trial_from_plain(json.loads(json.dumps(trial_to_plain(trial))))
    assert (again.budget, again.room.symbols) == (trial.budget, trial.room.symbols)
    assert again.room.memory.tobytes() == trial.room.memory.tobytes()
    assert again.room.inputs == trial.room.inputs
    assert {name: values.tolist() for name, values in again.room.expected.items()} == {
        name: values.tolist() for name, values in trial.room.expected.items()
    }


def test_the_page_shows_every_number_that_its_programs_meet():
    machines = description.machines()
    numbers = machines["presets"]["vs2003"]
    assert numbers.keys() == machines["fields"].keys()
    assert {"chaining", "latency.add", "l1.ways", "sparse_unit.p"} <= numbers.keys()
    assert all(field["help"] for field in machines["fields"].values())
    assert (machines["fields"]["vector_registers"]["least"], machines["fields"]["chaining"]["kind"]) == (
        8,
        "choice",
    )


def test_the_page_knows_the_words_of_the_language():
    words = description.language()["words"]
    assert words["bmipa.s"]["syntax"].startswith("bmipa.s ")
    assert (words["li"]["kind"], words[".equ"]["kind"]) == ("pseudo-instruction", "directive")
