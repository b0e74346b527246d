"""The process that grades has limits, and whatever a text is, grading ends with its grade."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.course import confined, judge
from experiments.course.confined import grade_confined
from experiments.course.limits import MEMORY, may_open
from experiments.course.registry import EXERCISES
from experiments.course.submission import MOST_LINES, Submission
from vecsim.support.errors import UserError

AXPY = EXERCISES["exercise-01"]
ATTEMPTS = {
    "read": "open('/etc/passwd').read()",
    "read a link to it": "open('/proc/self/root/etc/passwd').read()",
    "read by another way": "os.open('/etc/passwd', os.O_RDONLY)",
    "read a relative path": "open('my.s')",
    "write": "open('/tmp/vecsim-never', 'w')",
    "write into Python's folders": "open(os.__file__, 'a')",
    "start a program": "subprocess.run(['true'])",
    "call a shell": "os.system('true')",
    "fork": "os.fork()",
    "connect": "socket.create_connection(('127.0.0.1', 9))",
    "remove": "os.remove('/tmp/vecsim-never')",
    "kill": "os.kill(os.getppid(), 0)",
    "take memory": f"bytearray({2 * MEMORY})",
}
CONFINED = """
import os, socket, subprocess, sys
from experiments.course.limits import confine
open(os.__file__).close()
confine()
open(os.__file__).close()
import colorsys
for attempt in sys.argv[1:]:
    try:
        exec(attempt)
    except (OSError, MemoryError) as error:
        print(type(error).__name__)
    else:
        print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
def test_what_a_confined_process_cannot_do():
    done = subprocess.run(
        [sys.executable, "-c", CONFINED, *ATTEMPTS.values()], capture_output=True, text=True, check=True
    )
    outcomes = dict(zip(ATTEMPTS, done.stdout.split(), strict=True))
    assert outcomes.pop("take memory") == "MemoryError"
    assert set(outcomes.values()) == {"PermissionError"}


@pytest.mark.ci
@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
def test_a_confined_process_that_computes_for_ever():
    code = "from experiments.course import limits\nlimits.CPU_SECONDS = 0\nlimits.confine()\nwhile True: pass"
    done = subprocess.run([sys.executable, "-c", code], timeout=120, check=False)
    assert done.returncode == -signal.SIGXCPU


def test_python_reads_its_own_files_alone(tmp_path):
    root = os.path.realpath(tmp_path)
    (tmp_path / "link").symlink_to("/etc/passwd")
    assert may_open(f"{root}/a.py", os.O_RDONLY | os.O_CLOEXEC, (root,))
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_CREAT):
        assert not may_open(f"{root}/a.py", flags, (root,))
    for path in (f"{root}x/a.py", f"{root}/../a.py", "a.py", f"{root}/link"):
        assert not may_open(path, os.O_RDONLY, (root,))


def graded(text, exercise=AXPY):
    content = text if isinstance(text, bytes) else text.encode()
    return grade_confined(exercise, Submission("my.s", content), seed=1, engine="simpy")


HOSTILE = {
    "an endless loop": "again: j again",
    "large data": ".data\n" + ".space 268435456\n" * 3000 + ".text\nhalt",
    "deep nesting": "li x3, " + "(" * 400 + "1" + ")" * 400 + "\nhalt",
    "many names": "\n".join(f"{'a' * 10}{k}:" for k in range(MOST_LINES - 10)) + f"\nj {'a' * 60}",
    "many expressions": "\n".join([f".equ A{k}, {'1+' * 480}1" for k in range(60)]) + "\nhalt",
    "long names": "\n".join(f"{'ab' * 480}{k}:" for k in range(60)) + f"\nj {'ba' * 480}",
    "bytes": bytes(range(256)) * 1000,
    "one line": "x" * 60_000,
    "many ifs": ".if 1\n" * 1900 + ".endif\n" * 1900 + "halt",
    "escape sequences": "addx \x1b]0;owned\x07[bold red]x[/]\u202e\n",
    "a cycle of calls": "again: call again",
}


@pytest.mark.ci
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_gets_its_grade(text):
    actual = graded(text)
    assert not actual.passed and actual.hint


@pytest.mark.ci
def test_a_text_that_takes_too_long_or_ends_the_process(monkeypatch):
    monkeypatch.setattr(confined, "WALL_SECONDS", 0.0)
    actual = graded("again: j again")
    assert [each.problem for each in actual.results] == ["limits"]
    assert "takes more than" in actual.results[0].text


@pytest.mark.parametrize(
    ("code", "message"),
    [(-signal.SIGXCPU, "20 s of processor time"), (-signal.SIGKILL, "60 s, or more memory"), (1, "ends the")],
)
def test_how_a_process_ended_is_said(code, message):
    assert message in confined._why(code)


def test_a_fault_of_vecsim_is_not_one_of_the_text():
    with pytest.raises(
        UserError,
        match=r"my\.s: vecsim itself fails at this text, which it must not; report it: KeyError: 'a'",
    ):
        confined.grade_of_answer({"fault": "KeyError: 'a'"}, Submission("my.s", b""))


@pytest.mark.ci
def test_the_process_ends_with_its_parent():
    asked = {"exercise": AXPY.name, "folder": "", "seed": 1, "engine": "simpy", "name": "my.s", "bytes": 0}
    process = confined._started()
    process.stdin.write(json.dumps(asked).encode() + b"\n")
    process.stdin.close()
    assert process.wait(60) in (0, 75)
    assert process.stdout.read().removeprefix(judge.READY)[:1] in (b"", b"{")


@pytest.mark.ci
def test_what_a_teacher_sees_of_a_hostile_text_and_name(tmp_path):
    path = tmp_path / os.fsdecode(b"[red]a\xff\x1b[2J.s")
    path.write_text(HOSTILE["escape sequences"])
    command = [Path(sys.executable).with_name("vecsim"), "grade", "1", path, "--engine", "simpy"]
    done = subprocess.run(command, capture_output=True, check=False)
    printed = done.stdout.decode()
    assert done.returncode == 1 and done.stderr == b""
    assert "\x1b" not in printed and "\x07" not in printed and "\u202e" not in printed
    assert "[bold red]x[/]" in printed
