"""Files of extensions that do other things than declare: one line says so; the process stays as it was."""

import os
import re
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

from vecsim.cli import main
from vecsim.machine import load_machine
from vecsim.machine.user_file import run_file
from vecsim.support.errors import UserError

BEGIN = "from vecsim import Extension\nmine = Extension('mine', 'nothing')\n"
ENDS = r"mine\.py:3: {} would end vecsim: a file of extensions declares them and returns$"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import sys; sys.exit()", ENDS.format("SystemExit")),
        ("import sys; sys.exit(0)", ENDS.format("SystemExit")),
        ("raise SystemExit", ENDS.format("SystemExit")),
        ("exit(3)", ENDS.format("SystemExit")),
        ("raise KeyboardInterrupt", ENDS.format("KeyboardInterrupt")),
        ("raise GeneratorExit", ENDS.format("GeneratorExit")),
        ("import os; os._exit(0)", ENDS.format(r"os\._exit")),
        ("from os import _exit; _exit(0)", ENDS.format(r"os\._exit")),
        ("class Own(BaseException): pass\nraise Own('why')", r"mine\.py:4: Own: why$"),
        ("raise ValueError('one\\ntwo')", r"mine\.py:3: ValueError: one$"),
        ("raise ValueError('x' * 5000)", r"mine\.py:3: ValueError: x{120} \.\.\.$"),
        ("class Odd(Exception):\n  def __str__(self): 1 / 0\nraise Odd", r"mine\.py:5: Odd$"),
        ("def f(): f()\nf()", r"mine\.py:3: RecursionError: maximum"),
        ("raise MemoryError", r"mine\.py:3: MemoryError$"),
        ("raise ExceptionGroup('some', [ValueError()])", r"mine\.py:3: ExceptionGroup: some"),
        ("mine.number('n', 2.5, '')", r"mine\.py:3: extension mine: n 2\.5: write an integer"),
        ("mine.number('n', True, '')", r"mine\.py:3: extension mine: n True: write an integer"),
        ("mine.number('n', 1, '', le=1 << 70)", r"mine\.py:3: extension mine: n 1180.*: write an integer"),
        ("mine.array('a', 3, fill=0.5)", r"mine\.py:3: .*array a is filled with 0\.5: write an integer"),
    ],
)
def test_one_line_says_what_is_wrong(tmp_path, text, message):
    file = tmp_path / "mine.py"
    file.write_text(BEGIN + text)
    with pytest.raises(UserError, match=message) as caught:
        load_machine("t0", extend=[file])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("lambda machine: machine.bank", r"mine\.py:3: the size of array a: AttributeError: .*'bank'"),
        ("lambda machine: 1 // 0", r"mine\.py:3: the size of array a: ZeroDivisionError"),
        (
            "lambda machine: len(open(__file__).read())",
            r"mine\.py:3: the size .* opens a file in a simulation",
        ),
        ("lambda machine: __import__('time').time_ns()", r"mine\.py:3: the size .* asks the clock: do that"),
        ("lambda machine: __import__('os').cpu_count()", r"mine\.py:3: .* asks for the number of processors"),
        ("lambda machine: 2.0", r"array a: its size on this machine is 2\.0; it must be"),
        ("0", r"array a: its size on this machine is 0; it must be from 1 to 2\^28"),
    ],
)
@pytest.mark.parametrize("engine", ["simpy", "jit"])
def test_the_size_of_an_array(tmp_path, capsys, size, message, engine):
    file = tmp_path / "mine.py"
    file.write_text(f"{BEGIN}mine.array('a', {size})\n")
    (tmp_path / "a.s").write_text("halt\n")
    assert main(["exec", str(tmp_path / "a.s"), "--extend", str(file), "--engine", engine]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(message, line)


def test_ctrl_c_is_no_mistake():
    # A test run in the background of a shell ignores interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    text = BEGIN + "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nfor _ in range(10**9): pass\n"
    try:
        with pytest.raises(KeyboardInterrupt):
            run_file(text.encode(), "mine.py")
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_thread_that_goes_on():
    wait = threading.Event()
    threading.test_of_own_file = wait
    try:
        with pytest.raises(UserError, match=r"mine\.py: starts a thread that does not end, stays: join it"):
            run_file(
                b"import threading as t\nt.Thread(target=t.test_of_own_file.wait, name='stays').start()",
                "mine.py",
            )
    finally:
        wait.set()
        del threading.test_of_own_file


def test_what_it_prints_is_no_result(tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(f"{BEGIN}print('hello')\n")
    assert main(["machine", "show", "t0", "--extend", str(file)]) == 0
    printed = capsys.readouterr()
    assert "hello" not in printed.out
    assert printed.err == "hello\n"


def test_what_it_changes_is_set_back(tmp_path):
    def process():
        return [
            *(Path.cwd(), sys.argv[:], sys.path[:], sys.getrecursionlimit(), os._exit, sys.stdout),
            *(np.geterr(), warnings.filters[:]),
        ]

    text = (
        f"import os, sys, warnings\nimport numpy as np\nos.chdir({str(tmp_path)!r})\nsys.argv[:] = ['x']\n"
        "sys.path.clear()\nsys.setrecursionlimit(900)\nnp.seterr(all='raise')\nwarnings.simplefilter('error')\n"
    )
    before = process()
    run_file(text.encode(), "mine.py")
    assert process() == before


def test_a_child_that_it_forks_ends_as_it_should(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(f"{BEGIN}import os\nif not os.fork(): os._exit(7)\nassert os.wait()[1] >> 8 == 7\n")
    command = [sys.executable, "-m", "vecsim", "machine", "show", "t0", "--extend", str(file)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
