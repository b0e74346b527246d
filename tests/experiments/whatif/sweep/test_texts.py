"""Sweeps over assembly texts with arrays and symbols: as single runs, and what their keys cover."""

import itertools

import numpy as np
import pytest

import vecsim
from experiments.whatif.sweep import Sweep, plan, sweep
from vecsim.support.errors import UserError

TEXT = """
        .include "lib/size.s"
        .data 64
X:      .space 2048
Y:      .space 2048
        .text
        li      x5, N
        li      x7, 0
strip:  setvl   x6, x5
        lv.w    v1, X(x7)
        addvv.s v2, v1, v1
        sv.w    v2, Y(x7)
        slli    x8, x6, 2
        add     x7, x7, x8
        sub     x5, x5, x6
        bnez    x5, strip
        halt
"""
BY_VALUE = """
        .data 64
X:      .space 2048
        .text
        lw      x5, X(zero)
again:  addi    x5, x5, -1
        bgt     x5, zero, again
        halt
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a text that includes another, one whose cycles depend on an array, and arrays."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "size.s").write_text("        .default N, 128\n")
    (tmp_path / "twice.s").write_text(TEXT)
    (tmp_path / "count.s").write_text(BY_VALUE)
    np.save("x.npy", np.arange(1, 513, dtype=np.float32))
    np.save("count.npy", np.array([5], np.int32))
    return tmp_path


def swept(*programs, **more):
    table = sweep(Sweep(programs=programs, **more), store="store", jobs=1)
    assert not any(table.columns["fault"]), table.columns["fault"]
    return table


def test_every_cell_is_what_a_single_run_takes(folder):
    table = swept(
        "twice.s", load=("X=x.npy",), set={"banks": (4, 16)}, define={"N": "64:256:x2"}, memory="8K"
    )
    expected = []
    for banks, count in itertools.product((4, 16), (64, 128, 256)):
        program = vecsim.assemble_file("twice.s", symbols={"N": count})
        machine = vecsim.load_machine("vs2003", {"banks": banks})
        expected.append(vecsim.run(program, np.zeros(8192, np.uint8), machine).cycles)
    assert table.columns["cycles"] == expected
    assert table.columns["define.N"] == [64, 128, 256] * 2
    assert not {"matrix", "nnz", "cycles_per_nnz", "relative_error", "storage_bytes"} & table.columns.keys()
    assert {each.what for each in table.files} == {"program twice.s", "array X"}
    assert table.to_dict()["load"][0]["text"] == "X=x.npy"


def test_arrays_are_in_memory_and_in_the_key(folder):
    five = swept("count.s", load=("X=count.npy",))
    assert (five.computed, swept("count.s", load=("X=count.npy",)).computed) == (1, 0)
    np.save("count.npy", np.array([50], np.int32))
    fifty = swept("count.s", load=("X=count.npy",))
    assert (fifty.computed, fifty.columns["cycles"] > five.columns["cycles"]) == (1, True)
    np.save("count.npy", np.array([5], np.int64))  # another file with the same words
    again = swept("count.s", load=("X=count.npy",))
    assert (again.computed, again.columns["cycles"]) == (0, five.columns["cycles"])


@pytest.mark.parametrize(
    "changed",
    [{"load": ("X:byte=count.npy",)}, {"load": ("68=count.npy",)}, {"memory": "2M"}, {"value_bits": 64}],
)
def test_place_type_memory_and_width_are_in_the_key(folder, changed):
    as_it_is = {"load": ("X=count.npy",)}
    assert (swept("count.s", **as_it_is).computed, swept("count.s", **(as_it_is | changed)).computed) == (
        1,
        1,
    )


def test_included_texts_and_symbols_are_in_the_key(folder):
    one = swept("twice.s")
    (folder / "lib" / "size.s").write_text("        .default N, 256\n")
    other = swept("twice.s")
    assert (one.computed, other.computed, other.columns["cycles"] > one.columns["cycles"]) == (1, 1, True)
    assert swept("twice.s", define={"N": 256}).columns["cycles"] == other.columns["cycles"]
    (folder / "twice.s").write_text(TEXT.replace("addvv.s v2, v1, v1", "mulvv.s v2, v1, v1"))
    assert swept("twice.s").computed == 1


def test_texts_stand_next_to_each_other_and_answer_a_question(folder):
    table = swept("twice.s", "count.s", set={"startup": (0, 40)}, question="count.s<twice.s")
    assert table.columns["program"] == ["twice.s"] * 2 + ["count.s"] * 2
    assert table.answer().yes.tolist() == [True, True]


def test_the_same_notation_everywhere(folder):
    (folder / "spec.toml").write_text(
        'programs = ["twice.s"]\nload = ["X=x.npy"]\nmemory = "64K"\n[set]\nbanks = [4, 8]\ndefine.N = [64]\n'
    )
    spec = vecsim.Sweep(programs="twice.s", load="X=x.npy", memory=65536, set="banks=4,8", define=["N=0x40"])
    from experiments.whatif.sweep.specification import read_specification

    assert read_specification(folder / "spec.toml") == spec
    assert spec.changed(define="N=128").factors == {"banks": (4, 8), "define.N": (128,)}
    assert Sweep(**spec.to_dict()) == spec


def test_the_plan_counts_what_is_stored(folder):
    spec = Sweep(programs=("twice.s", "count.s"), set={"banks": (4, 8)})
    before = plan(spec, store="store", jobs=1)
    sweep(spec, store="store", jobs=1)
    after = plan(spec, store="store", jobs=1)
    assert (before.cells, before.left, before.timed, after.stored, after.left) == (4, 4, 0, 4, 0)


def test_a_text_that_does_not_assemble_is_a_fault(folder):
    (folder / "wrong.s").write_text("nonsense\n")
    table = sweep(Sweep(programs=("wrong.s", "count.s"), load=("X=count.npy",)), store="store", jobs=1)
    assert "wrong.s" in table.columns["fault"][0]
    assert table.columns["cycles"] == [None, table.columns["cycles"][1]]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"matrices": "pde900"}, "matrices: program twice.s multiplies none"),
        ({"programs": ("twice.s", "crs")}, "programs: crs multiplies a matrix, twice.s none; sweep them sep"),
        ({"programs": ("none.s",)}, "none.s: no such file"),
        ({"option": "N=64"}, "option.N: texts have symbols and no options; use define.N"),
        ({"define": "N=many"}, "define.N: 'many' is not an integer"),
        ({"define": "N=true"}, "define.N: 'True' is not an integer"),
        ({"programs": ("count.s",), "define": "M=1"}, "define.M: no program has this symbol"),
        ({"load": ("X",)}, "load X: write it as PLACE=FILE.npy"),
        ({"load": ("X=none.npy",)}, "none.npy: no such file"),
        ({"memory": "much"}, "memory much: write a number of bytes"),
        ({"programs": "crs", "matrices": "pde900", "load": ("X=x.npy",)}, "load: needs programs FILE.s"),
    ],
)
def test_mistakes_are_a_line(folder, attributes, message):
    with pytest.raises(UserError, match=r"^[^\n]*$") as error:
        Sweep(**({"programs": ("twice.s",)} | attributes))
    assert message in str(error.value)
