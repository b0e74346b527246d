"""The command as a process: pipes, signals, start-up, the public names of the package."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

import vecsim

COMMAND = [sys.executable, "-m", "vecsim"]
# Where the tests keep compiled code; the user's own cache is none of theirs.
CACHE = {"VECSIM_CACHE": os.environ["VECSIM_CACHE"]}


def test_piped_output_is_plain_and_whole(tmp_path, matrix):
    # A long path makes a line wider than any terminal.
    path = tmp_path / f"{'long' * 40}.mtx"
    path.write_text(matrix.read_text())
    environment = {"TERM": "xterm-256color", **CACHE}
    done = subprocess.run(
        [*COMMAND, "run", path], capture_output=True, text=True, check=True, env=environment
    )
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stdout.splitlines()[0].startswith(
        "long" * 40 + ": 5 x 4, 6 non-zeros; machine vs2003; engine"
    )
    done = subprocess.run([*COMMAND, "isa"], capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) > 80


@pytest.mark.ci
def test_stdout_that_knows_only_ascii(matrix):
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", **CACHE}
    done = subprocess.run([*COMMAND, "run", matrix], capture_output=True, check=True, env=environment)
    assert done.stdout.isascii()
    assert b"chism" in done.stdout


def test_a_reader_that_goes_away_is_no_error():
    shell = f"{sys.executable} -m vecsim isa | head -n 1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("opcode")
    assert done.stderr == ""


def test_an_interrupt_ends_with_130_and_leaves_nothing(tmp_path, compile_engine):
    compile_engine()
    (tmp_path / "loop.s").write_text("again: j again\n")
    begun = "import sys; from vecsim.cli import main; print(flush=True); sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", begun]
    arguments = [*command, "exec", "loop.s", "--json", "out.json", "--max-cycles", str(10**15)]
    with subprocess.Popen(
        arguments,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background of a shell ignores interrupts, and what it starts inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            process.stdout.readline()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert re.sub("compiling the engine.*\n", "", err) == ""
    assert [file.name for file in tmp_path.iterdir()] == ["loop.s"]


SENDS_AN_INTERRUPT = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupt())
from vecsim.cli import main
sys.exit(main({arguments!r}))
"""


@pytest.mark.parametrize("arguments", [pytest.param(["--help"], marks=pytest.mark.ci), ["isa", "add"]])
@pytest.mark.parametrize("name", ["typer", "vecsim.cli.application", "vecsim.cli.commands.run"])
def test_an_interrupt_while_modules_are_imported_is_silent(name, arguments):
    code = SENDS_AN_INTERRUPT.format(name=name, arguments=arguments)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGINT
    assert (done.stdout, done.stderr) == ("", "")


def test_an_interrupt_of_a_command_that_imports_ends_with_130():
    code = SENDS_AN_INTERRUPT.format(name="isa.reference", arguments=["isa", "add"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_library_that_is_not_installed_is_named():
    code = "import sys; sys.modules['typer'] = None; from vecsim.cli import main; sys.exit(main(['list']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "vecsim: error: typer is not installed: pip install .\n")


def test_interrupts_are_as_before_when_a_command_has_begun():
    code = (
        "import signal\n"
        "from vecsim.cli import main\n"
        "for handler in signal.default_int_handler, signal.SIG_IGN:\n"
        "    signal.signal(signal.SIGINT, handler)\n"
        "    main(['--version'])\n"
        "    assert signal.getsignal(signal.SIGINT) == handler\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


CLOSED = [
    (["isa", "add"], 0, ""),
    pytest.param(["--help"], 0, "", marks=pytest.mark.ci),
    pytest.param(["--version"], 0, "", marks=pytest.mark.ci),
    pytest.param(["machine", "list"], 0, "", marks=pytest.mark.ci),
    pytest.param(["formats", "laplace2d-3", "--format", "crs"], 0, "", marks=pytest.mark.ci),
    (
        ["formats", "laplace2d-3", "--format", "crs", "--json", "-"],
        2,
        "vecsim: error: --json -: stdout is closed; name a file\n",
    ),
    pytest.param(
        ["formats", "nothing"], 2, "vecsim: error: unknown matrix 'nothing'; ", marks=pytest.mark.ci
    ),
]


@pytest.mark.parametrize(("arguments", "code", "said"), CLOSED, ids=lambda value: str(value)[:30])
def test_stdout_may_be_closed(arguments, code, said):
    command = f'"{sys.executable}" -m vecsim {" ".join(arguments)} >&-'
    done = subprocess.run(["bash", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(said)
    assert bool(done.stderr) == bool(said)


@pytest.mark.ci
def test_a_file_does_not_get_the_number_of_a_closed_stream(tmp_path):
    command = f'"{sys.executable}" -m vecsim formats laplace2d-3 --format crs --json made.json <&- >&- 2>&-'
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    assert json.loads((tmp_path / "made.json").read_text())["matrix"]["nnz"] == 33


def test_an_error_of_the_process_goes_to_stderr_with_2():
    done = subprocess.run([*COMMAND, "run", "nothing"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("vecsim: error: unknown matrix 'nothing'")


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from vecsim.cli import main; main(['--help']); import json; "
        "heavy = ('numpy', 'scipy', 'simpy', 'lark', 'pydantic', 'numba', 'llvmlite'); "
        "print(json.dumps([n for n in heavy if n in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["isa", "lv.w"],
        *(
            pytest.param(arguments, marks=pytest.mark.ci)
            for arguments in (["asm", "p.s", "-o", "p.vsx"], ["asm", "p.s", "--listing"], ["disasm", "p.s"])
        ),
    ],
)
def test_what_runs_nothing_loads_no_compiler(tmp_path, arguments):
    (tmp_path / "p.s").write_text("halt\n")
    code = (
        f"import sys, contextlib; from vecsim.cli import main\n"
        f"with contextlib.suppress(SystemExit): main({arguments!r})\n"
        "assert not {'numba', 'llvmlite'} & sys.modules.keys()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_public_names_of_the_package():
    assert set(vecsim.__all__) == set(vecsim._HOME)
    for name in vecsim.__all__:
        assert getattr(vecsim, name) is not None
    matrix = vecsim.load("laplace2d-3").csr.astype("float32")
    assert vecsim.measure("hism", matrix, vecsim.load_machine("vs2003")).relative_error <= 1e-5


@pytest.mark.nightly  # it compiles the engine again, as .ci/run has done with the first command
def test_a_first_run_answers_while_the_engine_is_compiled(tmp_path):
    environment = {**os.environ, "VECSIM_CACHE": str(tmp_path)}
    command = [*COMMAND, "run", "laplace2d-30", "--json", "-"]
    engines, cycles = [], []
    end = time.monotonic() + 180
    while "jit" not in engines and time.monotonic() < end:
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        actual = json.loads(done.stdout)
        engines.append(actual["engine"])
        cycles.append([result["cycles"] for result in actual["results"]])
    assert engines[0].startswith("simpy")
    assert engines[-1] == "jit"
    assert all(each == cycles[0] for each in cycles)
