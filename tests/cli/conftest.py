import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from isa.instructions import BASE
from vecsim.cli import main
from vecsim.engines.jit.object_files.machine_code import machine_code


@dataclass(frozen=True)
class Result:
    """How a call of the command line ended."""

    code: int
    out: str
    err: str

    def mistake(self) -> str:
        """Check that it ended as every mistake of a user must, and return the message."""
        assert self.code == 2
        assert self.out == ""
        assert self.err.startswith("vecsim: error: ")
        assert self.err.endswith("\n")
        assert self.err.count("vecsim:") == 1
        assert "Traceback" not in self.err
        return self.err.removeprefix("vecsim: error: ").removesuffix("\n")


SIMULATING = ("run", "exec", "why", "reorder", "sweep", "crosscheck", "reproduce", "calibrate")


@pytest.fixture(scope="session")
def compile_engine() -> Callable[[], None]:
    """Compile the engine before a command does: its first use says so."""
    cache = os.environ["VECSIM_CACHE"]  # before a test changes it

    def compile_once() -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("VECSIM_CACHE", cache)
            machine_code(BASE, "single_port")

    return compile_once


@pytest.fixture
def vecsim(capsys, compile_engine) -> Callable[..., Result]:
    def call(*arguments: object) -> Result:
        if arguments and arguments[0] in SIMULATING:
            compile_engine()
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return call


BANNER = "%%MatrixMarket matrix coordinate real general\n"


@pytest.fixture
def matrix(tmp_path) -> Path:
    """A matrix of 5 rows, one of them empty, and 4 columns."""
    path = tmp_path / "tiny.mtx"
    path.write_text(BANNER + "5 4 6\n1 1 1.5\n1 4 -2\n2 2 4\n4 1 0.25\n4 3 1\n5 4 3\n")
    return path


DOUBLE = """\
# y = 2 x for n elements
    .data
x:  .float 1, 2, 3, -4.5
y:  .space 16
n:  .word 4
    .default ROUNDS, 1
    .text
    la x3, x
    la x4, y
    lw x5, 96(zero)
    setvl x6, x5
    li x7, ROUNDS
again:
    lv.f v1, (x3)
    addvv.f v2, v1, v1
    sv.f v2, (x4)
    addi x7, x7, -1
    bnez x7, again
    halt
"""


@pytest.fixture
def program(tmp_path) -> Path:
    """A program that doubles four floats."""
    path = tmp_path / "double.s"
    path.write_text(DOUBLE)
    return path
