"""What a cell depends on is in its key: a change of it is a new simulation, everything else is not."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

import vecsim
from experiments import code_fingerprint
from experiments.whatif.sweep import Sweep, inputs, running, simulation, sweep
from vecsim.support.errors import UserError

COUNTED = """
        .data 60
COUNT:  .incbin "count.bin"
        .text
        lw   x1, COUNT(zero)
again:  addi x1, x1, -1
        bgt  x1, zero, again
        halt
"""

SLOW = "mul x1, x1, x1\n"


@pytest.fixture
def swept(tmp_path):
    """Sweep over user-defined programs; return cycles and how many cells were simulated."""

    def swept(*texts, store=tmp_path / "store", **more):
        spec = Sweep(("laplace2d-2",), tuple(f"crs:{text}" for text in texts), **more)
        table = sweep(spec, store=store, jobs=1)
        assert not any(table.columns["fault"]), table.columns["fault"]
        return table.columns["cycles"], table.computed

    return swept


def write_count(folder, count):
    folder.mkdir(exist_ok=True)
    (folder / "count.bin").write_bytes(np.int32(count).tobytes())
    (folder / "my.s").write_text(COUNTED)
    return folder / "my.s"


def test_an_included_file_counts(tmp_path, swept):
    text = write_count(tmp_path / "a", 5)
    five, computed = swept(text)
    assert computed == 1
    assert swept(text) == (five, 0)
    write_count(tmp_path / "a", 50)
    fifty, computed = swept(text)
    assert computed == 1
    assert fifty[0] > five[0]
    write_count(tmp_path / "a", 5)
    assert swept(text) == (five, 0)


def test_an_included_text_counts(tmp_path, swept):
    text = tmp_path / "my.s"
    text.write_text('li x1, 5\n.include "body.s"\nhalt\n')
    actual = []
    for body in (SLOW, 9 * SLOW, 9 * SLOW, SLOW):
        (tmp_path / "body.s").write_text(body)
        actual.append(swept(text))
    assert [computed for _, computed in actual] == [1, 1, 0, 0]
    assert actual[0][0] == actual[3][0] < actual[1][0] == actual[2][0]


def test_equal_texts_in_two_folders_have_separate_cells(tmp_path, swept, monkeypatch):
    both = [write_count(tmp_path / name, count) for name, count in (("a", 5), ("b", 50))]
    cycles, computed = swept(*both)
    assert computed == 2
    assert cycles[0] < cycles[1]
    for folder, expected in zip("abab", cycles * 2, strict=True):
        monkeypatch.chdir(tmp_path / folder)
        assert swept(Path("my.s"))[0] == [expected]


def test_an_included_file_that_vanishes_is_missed(tmp_path, swept):
    text = write_count(tmp_path / "a", 5)
    swept(text)
    (tmp_path / "a" / "count.bin").unlink()
    spec = Sweep(("laplace2d-2",), (f"crs:{text}",))
    (fault,) = sweep(spec, store=tmp_path / "store", jobs=1).columns["fault"]
    assert "no such file" in fault


def test_a_matrix_file_counts_within_one_process(tmp_path):
    path = tmp_path / "m.mtx"
    spec = Sweep((str(path),), ("crs",))
    actual = []
    for size in (3, 9, 3):
        scipy.io.mmwrite(path, scipy.sparse.eye_array(size, format="coo"))
        table = sweep(spec, store=tmp_path / "store", jobs=1)
        actual.append((table.columns["nnz"], table.columns["cycles"], table.computed))
    assert [each[0] for each in actual] == [[3], [9], [3]]
    assert [each[2] for each in actual] == [1, 1, 0]
    assert actual[0][1] == actual[2][1] < actual[1][1]


def test_a_machine_file_counts(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("")
    spec = Sweep(("laplace2d-5",), ("crs",), machine=str(path))
    actual = []
    for latency in (1, 40):
        path.write_text(f"[latency]\nmultiply = {latency}\n")
        actual.append(sweep(spec, store=tmp_path / "store", jobs=1))
    assert [table.computed for table in actual] == [1, 1]
    assert actual[0].columns["cycles"] < actual[1].columns["cycles"]


@pytest.fixture
def change_midway(monkeypatch):
    """Let something happen after the store was looked at, before anything is simulated."""

    def change(happen):
        by_processes = running.by_processes

        def first(*arguments):
            happen()
            by_processes(*arguments)

        monkeypatch.setattr(running, "by_processes", first)

    return change


def test_what_changes_while_a_sweep_runs_ends_it(tmp_path, change_midway, monkeypatch):
    text, machine, matrix = write_count(tmp_path / "a", 5), tmp_path / "m.toml", tmp_path / "m.mtx"
    machine.write_text("")
    scipy.io.mmwrite(matrix, scipy.sparse.eye_array(3, format="coo"))
    spec = Sweep((str(matrix),), (f"crs:{text}",), machine=str(machine))

    def changed_matrix():
        scipy.io.mmwrite(matrix, scipy.sparse.eye_array(4, format="coo"))
        inputs.forget_loaded()  # as in a process that has just begun

    for happen, message in (
        (lambda: machine.write_text("[latency]\nmultiply = 9\n"), r"machine .*m.toml is not as"),
        (changed_matrix, r"matrix .*m.mtx is not as"),
        (lambda: monkeypatch.setattr(simulation, "code_fingerprint", lambda: "x"), "the code of vecsim"),
    ):
        with monkeypatch.context():
            change_midway(happen)
            with pytest.raises(UserError, match=message):
                sweep(spec, store=tmp_path / "store", jobs=1)


def test_a_program_that_changes_while_a_sweep_runs_is_simulated_again(tmp_path, swept, monkeypatch):
    texts = [write_count(tmp_path / name, 5) for name in "ab"]
    simulate, changes = simulation.simulate, iter((50,))

    def and_change(*arguments):
        outcome = simulate(*arguments)
        for count in changes:
            write_count(tmp_path / "a", count)
        return outcome

    monkeypatch.setattr("experiments.whatif.sweep.local.simulate", and_change)
    cycles, computed = swept(*texts)
    assert cycles[0] > cycles[1]
    assert computed == 3


TIMED = """
import {module}
from vecsim import Extension
from vecsim.engines.rules.banks import word_start
slow = Extension("slow", "a number that depends on the clock")
LATENCY = slow.number("latency", int({value}) % 9 + 1, "cycles")
"""


def test_cells_with_an_extension_that_asks_the_clock_are_not_kept(tmp_path, capsys):
    path, store = tmp_path / "slow.py", tmp_path / "store"
    path.write_text(TIMED.format(module="time", value="time.time()"))
    spec = Sweep(("laplace2d-2",), ("crs",), extend=(str(path),), set={"banks": (8, 16)})
    tables = [sweep(spec, store=store, jobs=jobs) for jobs in (1, 2)]
    assert [table.computed for table in tables] == [2, 2]
    line = f"sweep: cells with extension slow are not kept: {path} asks the clock while it is loaded\n"
    assert capsys.readouterr().err.count(line) == 2
    assert not store.exists()
    with pytest.raises(
        UserError, match=r"slow are not kept: .*: leave out the scheduler, then this process computes"
    ):
        sweep(spec, store=store, scheduler="tcp://127.0.0.1:1")


def test_the_folder_of_an_extension_counts(tmp_path):
    """Its numbers may depend on its path, and nothing reports that."""
    actual = []
    for name in ("a", "longer"):
        path = tmp_path / name / "slow.py"
        path.parent.mkdir()
        path.write_text(TIMED.format(module="math", value="len(__file__)"))
        spec = Sweep(("laplace2d-2",), ("crs",), extend=(str(path),))
        actual.append([sweep(spec, store=tmp_path / "store", jobs=1).computed for _ in range(2)])
    assert actual == [[1, 0], [1, 0]]


def test_cells_with_an_extension_of_a_script_are_not_kept(tmp_path, capsys):
    """What the script had read before it declared the extension is not known."""
    mine = vecsim.Extension("mine", "nothing")
    spec = Sweep(("laplace2d-2",), ("crs",), machine=vecsim.load_machine("t0", extend=[mine]))
    assert [sweep(spec, store=tmp_path / "store", jobs=1).computed for _ in range(2)] == [1, 1]
    assert "cells with extension mine are not kept" in capsys.readouterr().err


DECIDE = (
    "vecsim/formats/accuracy.py",
    "vecsim/data/synthetic/keyed_entries.py",
    "vecsim/results/digests.py",
    "vecsim/machine/presets/vs2003.toml",
    "isa/text/grammar.lark",
    "programs/crs/plain.s",
    "experiments/whatif/sweep/work.py",
    "experiments/papers/hism/suite/suite.csv",
)


def test_all_code_is_in_the_fingerprint(tmp_path, monkeypatch):
    for name in DECIDE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(code_fingerprint.ROOT / name, tmp_path / name)
    monkeypatch.setattr(code_fingerprint, "ROOT", tmp_path)
    monkeypatch.setattr(vecsim, "LOADED_NS", 1 << 62)
    fingerprint = code_fingerprint.code_fingerprint.__wrapped__
    before = fingerprint()
    for name in DECIDE:
        path = tmp_path / name
        content = path.read_bytes()
        path.write_bytes(content + b"#")
        assert fingerprint() != before, name
        path.write_bytes(content)
        assert fingerprint() == before
    (tmp_path / "vecsim" / "new.py").write_text("")
    assert fingerprint() != before


@pytest.mark.parametrize("library", ["numpy", "scipy"])
def test_versions_of_libraries_are_in_the_fingerprint(library, monkeypatch):
    fingerprint = code_fingerprint.code_fingerprint.__wrapped__
    before, known = fingerprint(), code_fingerprint.version
    monkeypatch.setattr(code_fingerprint, "version", lambda n: "0.1" if n == library else known(n))
    assert fingerprint() != before


CHANGED = """
import sys
from pathlib import Path
import vecsim
from experiments import code_fingerprint
code_fingerprint.ROOT = Path(sys.argv[1])
(code_fingerprint.ROOT / "vecsim" / "new.py").write_text("")
try:
    code_fingerprint.code_fingerprint()
except vecsim.UserError as error:
    print(error)
"""


def test_code_that_changed_after_it_was_loaded_is_not_taken_for_what_runs(tmp_path):
    (tmp_path / "vecsim").mkdir()
    ended = subprocess.run(
        [sys.executable, "-c", CHANGED, str(tmp_path)],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert ended.stdout == (
        f"{tmp_path}/vecsim/new.py: changed after this process loaded vecsim: start the process again\n"
    ), ended.stderr
