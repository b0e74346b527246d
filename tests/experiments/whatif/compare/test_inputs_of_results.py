"""Results record their inputs: compare and rerun name those that differ."""

import hashlib
import json

import numpy as np
import pytest

from experiments.whatif.compare import compare, read_document, rerun
from vecsim.cli import main
from vecsim.results.file_digests import sha256_or_empty
from vecsim.support.errors import UserError

MATRIX = "%%MatrixMarket matrix coordinate real general\n3 3 {}\n{}\n"
PROGRAM = """li x1, 4
setvl x1
lv.w v1, DATA(x0)
halt
.data
DATA: .incbin "words.bin"
"""
OWN = '    halt\n    .data\nPART: .incbin "words.bin"\n'


def matrix_text(entries):
    return MATRIX.format(len(entries), "\n".join(f"{row} {column} {value}" for row, column, value in entries))


SMALL, LARGE = [(1, 1, 2)], [(1, 1, 2), (2, 1, 3), (3, 3, 4)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "experiments.whatif.sweep.running.processors", lambda: 1
    )  # workers take seconds to start
    for name, entries in (("a", SMALL), ("b", LARGE)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.mtx").write_text(matrix_text(entries))
    (tmp_path / "k.s").write_text(PROGRAM)
    (tmp_path / "own.s").write_text(OWN)
    (tmp_path / "words.bin").write_bytes(bytes(16))
    (tmp_path / "mine.toml").write_text("banks = 8\n")
    np.save(tmp_path / "x.npy", np.arange(4, dtype=np.int32))
    return tmp_path


def call(*arguments):
    return main([str(each) for each in arguments])


def swept(matrices, out, *more):
    how = ["--jobs", "1", "--store", "store", "--set", "banks=8,16"]
    assert call("sweep", *matrices, *how, "--out", out, *(more or ("--program", "crs"))) == 0


def test_different_files_of_one_name_are_not_compared(folder, capsys):
    swept(["a/m.mtx"], "one")
    swept(["b/m.mtx"], "other")
    capsys.readouterr()
    assert call("compare", "one", "other", "--threshold", "1000") == 1
    out = capsys.readouterr().out
    digests = [read_document(folder / name).layout.matrices[0].sha256[:12] for name in ("one", "other")]
    wanted = (
        f"matrix m differs: A has {folder}/a/m.mtx (digest {digests[0]}), "
        f"B has {folder}/b/m.mtx (digest {digests[1]})"
    )
    assert out.startswith(wanted)
    assert "not compared, as their matrices differ: 2 (m crs banks=8, m crs banks=16)" in out
    assert "0 runs in common" in out
    assert "%" not in out.split("in common")[0]


def test_single_runs_of_different_matrices_are_compared_with_a_word(folder, capsys):
    for name in ("a", "b"):
        assert call("run", f"{name}/m.mtx", "--program", "crs", "--json", f"{name}.json") == 0
    capsys.readouterr()
    assert call("compare", "a.json", "b.json") == 0
    out = capsys.readouterr().out
    assert out.startswith("matrix m differs: A has ")
    assert out.index("not due to the machine or the options alone") < out.index("cycles A")


def test_matrices_of_one_name_are_distinguished_in_one_result(folder):
    swept(["a/m.mtx", "b/m.mtx"], "both")
    assert {row.matrix for row in read_document(folder / "both").table} == {"a/m.mtx", "b/m.mtx"}
    assert call("run", "a/m.mtx", "b/m.mtx", "--program", "crs", "--json", "both.json") == 0
    rows = read_document(folder / "both.json").rows
    assert list(rows) == [("a/m.mtx", "crs"), ("b/m.mtx", "crs")]
    again = rerun(read_document(folder / "both.json"))
    assert all(each.same for each in again.runs)
    again = rerun(read_document(folder / "both"), store=folder / "empty")
    assert all(each.same for each in again.runs)
    assert len(again.runs) == 4


def test_a_table_in_which_two_matrices_have_one_name_is_refused(folder):
    swept(["a/m.mtx", "b/m.mtx"], "both")
    table = folder / "both" / "table.csv"
    table.write_text(table.read_text().replace("a/m.mtx", "b/m.mtx"))
    shown_text = json.loads((folder / "both" / "sweep.json").read_text())
    shown_text["table_sha256"] = hashlib.sha256(table.read_bytes()).hexdigest()
    (folder / "both" / "sweep.json").write_text(json.dumps(shown_text))
    with pytest.raises(UserError, match="two rows contradict each other; run the sweep again"):
        read_document(folder / "both")


def test_values_of_another_width_are_no_other_matrix(folder):
    for bits in (32, 64):
        assert call("run", "a/m.mtx", "laplace2d-3", "--program", "crs", "--value-bits", bits,
                    "--json", f"{bits}.json") == 0  # fmt: skip
    actual = compare(*(read_document(folder / f"{bits}.json") for bits in (32, 64)))
    assert actual.inputs == ()
    assert ("value_bits", "32", "64") in actual.settings
    assert len(actual.changes) == 2


def results(kind, matrix="a/m.mtx"):
    """Make a result that depends on every kind of file."""
    files = ["--machine", "mine.toml"]
    if kind == "sweep":
        swept([matrix], "result", "--program", "crs,own.s", "--like", "crs", *files)
        return "result"
    if kind == "exec":
        load = ["--load", "512=x.npy"]
        assert call("exec", "k.s", *load, *files, "--json", "result.json") == 0
        return "result.json"
    programs = ["--program", "crs,own.s" if kind == "run" else "crs", "--like", "crs"]
    programs = programs if kind == "run" else programs[:2]
    assert call(kind, matrix, *programs, *files, "--json", "result.json") in (0, 1)
    return "result.json"


EDITS = {
    "matrix m": ("a/m.mtx", matrix_text(LARGE)),
    "program crs:own.s": ("own.s", OWN + "# more\n"),
    "program": ("k.s", PROGRAM + "# more\n"),
    "incbin of own.s": ("words.bin", "0123456789abcdef"),
    "incbin of k.s": ("words.bin", "0123456789abcdef"),
    "machine": ("mine.toml", "banks = 4\n"),
}


@pytest.mark.parametrize(
    ("kind", "edited"),
    [
        ("run", "incbin of own.s"),
        ("sweep", "matrix m"),
        *(
            pytest.param(kind, edited, marks=pytest.mark.ci)
            for kind, edited in (
                ("run", "matrix m"), ("run", "program crs:own.s"), ("run", "machine"),
                ("exec", "program"), ("exec", "incbin of k.s"), ("exec", "machine"),
                ("why", "matrix m"), ("why", "machine"),
                ("sweep", "program crs:own.s"), ("sweep", "incbin of own.s"), ("sweep", "machine"),
            )
        ),
    ],
)  # fmt: skip
def test_rerun_and_compare_name_the_file_that_was_edited(folder, capsys, kind, edited):
    name = results(kind)
    file, text = EDITS[edited]
    then = sha256_or_empty(folder / file)[:12]
    (folder / file).write_text(text)
    now = sha256_or_empty(folder / file)[:12]
    capsys.readouterr()
    code = call("rerun", name)
    captured = capsys.readouterr()
    line = next(line for line in captured.out.splitlines() if str(folder / file) in line)
    if edited == "matrix m":
        assert "is another one now (digest " in line
        assert code == 1
    else:
        assert f"is another file now (digest {now}, then {then})" in line
    before = read_document(folder / name)
    (folder / name).rename(folder / "before")
    results(kind)
    actual = compare(before, read_document(folder / name))
    assert any(str(folder / file) in each.in_words() for each in actual.inputs)


def test_an_array_that_was_edited_is_named(folder, capsys):
    name = results("exec")
    np.save(folder / "x.npy", np.arange(4, 8, dtype=np.int32))
    before = read_document(folder / name)
    assert call("rerun", name) == 2
    error = capsys.readouterr().err
    assert f"{folder / 'x.npy'} is another file now" in error
    results("exec")
    actual = compare(before, read_document(folder / name))
    assert [each.name for each in actual.inputs] == ["array 512"]


def test_an_extension_that_was_edited_is_named(folder, capsys):
    text = "from vecsim import Extension\nMINE = Extension('mine', 'nothing')\nMINE.number('n', 3, 'none')\n"
    (folder / "mine.py").write_text(text)
    swept(["a/m.mtx"], "out", "--program", "crs", "--extend", "mine.py")
    assert call("rerun", "out", "--extend", "mine.py") == 0
    then = sha256_or_empty(folder / "mine.py")[:12]
    (folder / "mine.py").write_text(text + "# more\n")
    now = sha256_or_empty(folder / "mine.py")[:12]
    capsys.readouterr()
    assert call("rerun", "out", "--extend", "mine.py") == 2
    error = capsys.readouterr().err
    assert error.startswith(f"vecsim: error: out/sweep.json: machine: extension mine: {folder / 'mine.py'}")
    assert f"(digest {now}, then {then})" in error


def test_a_sweep_is_run_again_on_the_machine_that_it_recorded(folder, capsys):
    swept(["a/m.mtx"], "out", "--program", "crs", "--machine", "mine.toml")
    (folder / "mine.toml").write_text("startup = 100\n")
    capsys.readouterr()
    assert call("rerun", "out") == 0
    out = capsys.readouterr().out
    assert out.startswith(f"machine: {folder / 'mine.toml'} is another file now (digest ")
    assert "2 of 2 runs take the same cycles" in out


def test_a_result_can_be_run_again_from_another_folder(folder, tmp_path, monkeypatch):
    name = results("exec")
    monkeypatch.chdir(folder / "a")
    assert all(each.same for each in rerun(read_document(folder / name)).runs)


def test_a_file_that_is_edited_between_two_sweeps_of_one_process_is_read_again(folder):
    swept(["a/m.mtx"], "one")
    (folder / "a" / "m.mtx").write_text(matrix_text(LARGE))
    swept(["a/m.mtx"], "other")
    actual = [read_document(folder / name).table[0].nnz for name in ("one", "other")]
    assert actual == [1, 3]


def test_sweeps_of_other_choices_say_so(folder):
    swept(["a/m.mtx"], "one")
    swept(["a/m.mtx"], "other", "--program", "crs", "--seed", "3", "--value-bits", "64")
    actual = compare(*(read_document(folder / name) for name in ("one", "other")))
    assert ("seed", "0", "3") in actual.settings
    assert ("value_bits", "32", "64") in actual.settings
    assert actual.inputs == ()


def edited_sweep(folder, **edits):
    """Sweep, then change values of its sweep.json, or remove them."""
    swept(["a/m.mtx"], "one")
    file = folder / "one" / "sweep.json"
    shown_text = json.loads(file.read_text()) | edits
    file.write_text(json.dumps({name: value for name, value in shown_text.items() if value != "removed"}))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("table_sha256", None, "table_sha256 = None: input should be a valid string"),
        ("table_sha256", "", "table_sha256 = '': string should match pattern"),
        ("table_sha256", 3, "table_sha256 = 3: input should be a valid string"),
        ("matrices", None, "matrices = None: input should be a valid list"),
        ("matrices", [], "matrices: list should have at least 1 item"),
        ("files", None, "files = None: input should be a valid list"),
        ("cells", None, "cells = None: input should be a valid integer"),
        ("table_sha256", "removed", "table_sha256: field required"),
        ("matrices", "removed", "matrices: field required"),
        ("files", "removed", "files: field required"),
        ("cells", "removed", "cells: field required"),
    ],
)
def test_a_sweep_without_a_digest_is_refused(folder, capsys, name, value, message):
    edited_sweep(folder, **{name: value})
    for command in (["explain", "one"], ["compare", "one", "one"], ["rerun", "one"]):
        capsys.readouterr()
        assert call(*command) == 2
        error = capsys.readouterr().err
        assert error.startswith(
            f"vecsim: error: one/sweep.json: is damaged or of another version; write it again: {message}"
        )
        assert error.count("\n") == 1
