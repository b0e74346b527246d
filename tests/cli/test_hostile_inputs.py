"""Every input of every command, given what is no such file: one line that names it, and no waiting."""

import os
import signal
from dataclasses import dataclass, field
from itertools import product

import pytest

SECONDS = 20


@dataclass(frozen=True)
class Input:
    """A place of a command line that names a file: ``{}`` in its arguments."""

    arguments: tuple[str, ...]
    suffix: str = ""
    inside: str = ""
    """The file below a folder that is named."""
    takes: tuple[str, ...] = ()
    """Faults that it takes for something else, by name."""
    text: dict[str, str] = field(default_factory=dict, hash=False)
    """Other files that the command needs, by name; ``{}`` in them, too."""

    @property
    def name(self) -> str:
        """What the test is called by."""
        return " ".join(self.arguments) + self.suffix + self.inside


INCLUDING = {"k.s": ' .data\n .incbin "{}"\n .text\n halt\n'}
JOURNAL = ("missing", "kernel", "directory")
LINKS = ("device", "kernel", "not_text")
PLAIN = {"k.s": " .data\nx: .space 16\n .text\n halt\n"}
INPUTS = [
    Input(("run", "{}"), ".mtx"),
    Input(("run", "{}"), ".mtx.gz"),
    Input(("run", "{}"), ".rua"),
    Input(("run", "laplace2d-3", "--machine", "{}"), ".toml"),
    Input(("run", "laplace2d-3", "--extend", "{}"), ".py"),
    Input(("run", "laplace2d-3", "--program", "{}", "--like", "crs"), ".s"),
    Input(("exec", "{}"), ".s"),
    Input(("exec", "{}"), ".vsx"),
    Input(("exec", "k.s", "--machine", "{}"), ".toml", text=PLAIN),
    Input(("exec", "k.s", "--extend", "{}"), ".py", text=PLAIN),
    Input(("exec", "k.s", "--load", "x={}"), ".npy", text=PLAIN),
    Input(("exec", "k.s", "--load", "x:values={}"), ".mtx", text=PLAIN),
    Input(("exec", "k.s", "--expect", "x={}"), ".npy", text=PLAIN),
    Input(
        ("exec", "k.s"),
        ".bin",
        takes=("device", "kernel", "not_text"),
        text={"k.s": ' .data\n .incbin "{}"\n .text\n halt\n'},
    ),
    Input(("course", "spmv-crs", "{}"), ".mtx"),
    Input(("debug", "{}", "--script", "-"), ".s"),
    Input(("debug", "k.s", "--load", "x={}", "--script", "-"), ".npy", text=PLAIN),
    Input(("debug", "k.s", "--script", "{}"), ".txt", text=PLAIN),
    Input(("debug", "crs", "{}", "--script", "-"), ".mtx"),
    Input(("debug", "{}", "--exercise", "exercise-01", "--script", "-"), ".s"),
    Input(("grade", "1", "{}"), ".s", takes=LINKS),
    Input(("why", "{}"), ".mtx"),
    Input(("view", "{}"), ".s"),
    Input(("view", "{}"), ".mtx"),
    Input(("view", "laplace2d-3", "--beside-machine", "{}"), ".toml"),
    Input(("sweep", "{}"), ".toml"),
    Input(("sweep", "{}", "--set", "banks=8"), ".mtx"),
    Input(
        ("sweep", "laplace2d-3", "--set", "banks=8", "--store", "{}"),
        ".sqlite",
        takes=("missing", "kernel"),
    ),
    Input(("sweep", "laplace2d-3", "--set", "banks=8", "--program", "{}", "--like", "crs"), ".s"),
    Input(("explain", "{}"), inside="sweep.json"),
    Input(("compare", "{}", "{}"), ".json", takes=("directory",)),
    Input(("compare", "{}", "{}"), inside="sweep.json"),
    Input(("rerun", "{}"), ".json", takes=("directory",)),
    Input(("export", "{}", "out.zip", "--archive"), ".zip", takes=("directory",)),
    Input(("asm", "{}"), ".s"),
    Input(("disasm", "{}"), ".vsx"),
    Input(("formats", "{}"), ".mtx"),
    Input(("crosscheck", "{}"), ".mtx"),
    Input(("reproduce", "hism", "--results", "{}"), ".journal", takes=JOURNAL),
    Input(("reproduce", "hbp", "--results", "{}"), ".json"),
    Input(("calibrate", "--results", "{}"), ".journal", takes=JOURNAL),
    Input(("machine", "check", "{}"), ".toml"),
    Input(("machine", "show", "{}"), ".toml"),
]


def pipe(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/zero")


def directory(path):
    path.mkdir()


def too_large(path):
    path.touch()
    os.truncate(path, 3 << 40)


def missing(path):
    pass


def kernel(path):
    path.symlink_to("/proc/self/mem")


def not_text(path):
    path.write_bytes(b"\xff\xfe\x00\x01 \xc3(\n" * 9)


FAULTS = {
    pipe: "is a pipe, ",
    device: "is a device, ",
    directory: "is a directory, ",
    too_large: " has more than ",
    missing: "no such file",
    kernel: "is a file of the kernel, ",
    not_text: "",
}


@pytest.fixture
def alarm():
    """A command that waits fails the test instead of stopping all of them."""

    def late(*_):
        raise TimeoutError("the command waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


CASES = [
    pytest.param(
        command,
        fault,
        id=f"{command.name}-{fault.__name__}",
        marks=() if fault is pipe else pytest.mark.nightly if number % 3 else pytest.mark.ci,
    )
    for number, (command, fault) in enumerate(product(INPUTS, FAULTS))
    if fault.__name__ not in command.takes
]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize(("command", "fault"), CASES)
def test_what_is_no_file_ends_in_a_line(vecsim, tmp_path, monkeypatch, alarm, command, fault):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VECSIM_FILE_LIMIT", "1M")
    hostile = tmp_path / f"hostile{command.suffix}"
    named = hostile.name
    if command.inside:
        hostile.mkdir()
        hostile /= command.inside
    fault(hostile)
    for name, text in command.text.items():
        (tmp_path / name).write_text(text.replace("{}", named))
    before = sorted(tmp_path.rglob("*"))
    message = vecsim(*(argument.replace("{}", named) for argument in command.arguments)).mistake()
    line = message.partition("\n")[0]  # the assembler adds the line of the text
    assert named in line
    assert FAULTS[fault] in line
    after = [path for path in sorted(tmp_path.rglob("*")) if path.suffix != ".lock"]
    assert after == before
