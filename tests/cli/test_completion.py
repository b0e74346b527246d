"""What a shell completes, asked as a shell asks."""

import os
import subprocess
import sys

import pytest

from experiments.papers.kit.registry import names
from programs.registry import PROGRAMS
from vecsim.cli import completion, main
from vecsim.data import BUILTINS
from vecsim.machine import presets


def question(*words):
    """The variables of the environment in which bash asks for completions of the last word."""
    asked = {"_VECSIM_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(("vecsim", *words))}
    return {**asked, "COMP_CWORD": str(len(words))}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["cal"], ["calibrate"]),
        (["machine", "show", "vs"], ["vs2003"]),
        (["exec", "x.s", "--machine", "w"], ["wide"]),
        (["reproduce", "hism-table"], [name for name in names() if name.startswith("hism-table")]),
        (["run", "bcspwr10", "--program", "jd,c"], ["jd,chism", "jd,crs"]),
        (["run", "pde90"], ["pde900"]),
        (["isa", "bmipac"], ["bmipac.s", "bmipac.d"]),
        (["formats", "laplace2d"], ["laplace2d-N"]),
        (["crosscheck", "HB/bcspwr1"], ["HB/bcspwr10"]),
        (["run", "--engine", "s"], ["simpy"]),
        (["run", "--json", "--mach"], ["--machine"]),
    ],
    ids=" ".join,
)
def test_a_shell_asks(words, expected, monkeypatch, capsys):
    for name, value in question(*words).items():
        monkeypatch.setenv(name, value)
    assert main([]) == 0
    printed = capsys.readouterr()
    assert (printed.out.split(), printed.err) == (expected, "")


def test_a_shell_asks_a_process():
    environment = {**os.environ, **question("cal")}
    command = [sys.executable, "-m", "vecsim"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert (done.stdout.split(), done.stderr) == (["calibrate"], "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_that_asks(shell, tmp_path):
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [sys.executable, "-m", "vecsim", "--show-completion", shell]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "_VECSIM_COMPLETE" in done.stdout
    assert done.stderr == ""


def test_programs_are_the_registered_ones():
    assert sorted(completion.programs("")) == sorted(PROGRAMS)
    assert completion.programs("C") == ["chism", "crs"]
    assert completion.programs("crs,hi") == ["crs,hism"]


def test_matrices_of_the_collections_are_many_and_wait_for_a_letter():
    nothing_typed = completion.matrices("")
    assert set(BUILTINS) <= set(nothing_typed)
    assert "memplus" not in nothing_typed
    assert completion.matrices("MEMPL") == ["memplus"]
    assert completion.matrices("Hamm/memp") == ["Hamm/memplus"]


def test_presets_formats_and_the_suite():
    assert completion.presets("") == list(presets())
    assert "sliced-ell" in completion.formats("sliced-")
    assert "crs-split" not in completion.formats("crs")
    assert "crs-split" in completion.kernels("crs-")
    assert completion.suite("large") == ["large_structured"]
