"""The programs of the course: right on random sizes and matrices, the same on all engines."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples, one_in

from isa.assembler import assemble_file
from programs.course.measurement import prepare_course, run_course
from programs.course.problem import Needed
from programs.course.registry import COURSE
from programs.course.standalone import standalone
from vecsim.data import load
from vecsim.engines.running import run
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

SMALL = load_machine("vs2003", ["section_size=4"])
ON_ARRAYS = [name for name, each in COURSE.items() if not each.takes_matrix]
ON_MATRICES = [name for name, each in COURSE.items() if each.takes_matrix and name != "conjugate-gradient"]
PAGE = (Path(__file__).parents[2] / "docs" / "course.md").read_text(encoding="utf-8")
densities = st.sampled_from([0, 0.05, 0.4, 1])


def right(name, machine=SMALL, *, engine="simpy", **how):
    """Run a program; it is compared with NumPy."""
    return run_course(prepare_course(name, machine, **how), machine, engine=engine)


def matrix(rows, columns, density, seed):
    return sp.random_array((rows, columns), density=density, rng=np.random.default_rng(seed), format="csr")


@pytest.mark.parametrize("name", ON_ARRAYS)
@given(st.integers(0, 40), st.sampled_from([4, 8]), st.integers(0, 1 << 30))
@examples(30)
def test_it_is_right_on_any_size(name, size, value_bytes, seed):
    right(name, size=size % 14 if name == "gemm" else size, value_bytes=value_bytes, seed=seed)


@pytest.mark.parametrize("name", ON_MATRICES)
@given(st.integers(1, 24), st.integers(1, 24), densities, st.sampled_from([4, 8]), st.integers(0, 1 << 30))
@examples(40)
def test_it_is_right_on_any_matrix(name, rows, columns, density, value_bytes, seed):
    right(name, matrix=matrix(rows, columns, density, seed), value_bytes=value_bytes, seed=seed)


@given(st.integers(1, 30), densities, st.sampled_from([4, 8]), st.integers(0, 1 << 30))
@examples(20)
def test_conjugate_gradients_converge(size, density, value_bytes, seed):
    right("conjugate-gradient", matrix=matrix(size, size, density, seed), value_bytes=value_bytes, seed=seed)


@pytest.mark.nightly
@pytest.mark.parametrize("name", COURSE)
@pytest.mark.parametrize(
    "preset", ["vs2003", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("t0", "wide"))]
)
def test_engines_agree(name, preset):
    how = {"matrix": load("pde225").csr} if COURSE[name].takes_matrix else {"size": 70}
    engines = ("simpy", "jit", "jit-multiport")
    actual = [right(name, load_machine(preset), engine=engine, **how).run for engine in engines]
    assert len({each.cycles for each in actual}) == 1
    assert len({str(each.counters) for each in actual}) == 1


@pytest.mark.parametrize("section_size", one_in(3, [4, 8, 16, 32, 64, 128, 256]))
def test_bbcs_transposed_adds_up_flags_of_any_section(section_size):
    right(
        "bbcs-transposed",
        load_machine("vs2003", [f"section_size={section_size}"]),
        matrix=matrix(90, 70, 0.1, 1),
    )


def test_an_element_that_is_there_is_replaced():
    for name in ("crs-insertion", "hism-insertion"):
        ready = prepare_course(name, SMALL, matrix=matrix(9, 9, 1, 0))
        assert ready.placed.problem.expected["FOUND"] == [1]
        run_course(ready, SMALL, engine="simpy")


def test_a_wrong_result_is_reported():
    ready = prepare_course("dot", SMALL, size=9)
    ready.placed.memory[ready.placed.symbols["X"] :][:4].view(np.float32)[0] += 1
    with pytest.raises(UserError, match=r"dot: R\[0\] is .*, expected .*; 1 of 1 differ"):
        run_course(ready, SMALL, engine="simpy")


def test_what_is_needed_at_least():
    machine = load_machine("vs2003", ["words_per_cycle=4", "addresses_per_cycle=1", "lanes=2"])
    assert Needed(400, 10, 0).cycles(machine) == 110
    assert Needed(400, 10, 300).cycles(machine) == 150


@pytest.mark.parametrize(
    ("name", "how", "message"),
    [
        ("axby", {}, "no program 'axby' in the course; did you mean 'axpy'"),
        ("ellpack", {}, "runs on a sparse matrix: name one"),
        ("axpy", {"matrix": matrix(2, 2, 1, 0)}, "takes no matrix"),
        (
            "ellpack",
            {"matrix": matrix(2, 2, 1, 0), "size": 3},
            "runs on a matrix, which has its size; leave out size",
        ),
        ("dot", {"size": 1 << 30}, "0 to 16777216 are possible"),
        ("conjugate-gradient", {"matrix": matrix(2, 3, 1, 0)}, "need a square matrix; this one is 2 x 3"),
    ],
)
def test_what_it_refuses(name, how, message):
    with pytest.raises(UserError, match=re.escape(message)):
        prepare_course(name, SMALL, **how)


@pytest.mark.parametrize("name", ["axpy", "hism-transposed"])
def test_its_files_do_the_same(name, tmp_path):
    how = {"size": 50} if name == "axpy" else {"matrix": matrix(20, 30, 0.2, 0)}
    ready = prepare_course(name, SMALL, **how)
    files = standalone(ready, "mine")
    for file, content in files.items():
        (tmp_path / file).write_bytes(content)
    program = assemble_file(tmp_path / "mine.s")
    done = run(program, np.zeros(len(ready.placed.memory), np.uint8), SMALL, engine="simpy")
    assert not ready.placed.mistake(done.state.memory)
    assert done.cycles == run_course(ready, SMALL, engine="simpy").run.cycles
    assert np.array_equal(np.load(tmp_path / "mine.Y.npy"), ready.placed.problem.expected["Y"].ravel())


@pytest.mark.ci
@pytest.mark.parametrize("name", COURSE)
def test_the_cycles_of_the_page(name):
    how = {"matrix": load("pde225").csr} if COURSE[name].takes_matrix else {}
    actual = right(name, load_machine("vs2003"), engine="jit", **how)
    assert f"| `{name}` | {actual.run.cycles:,} | {actual.bound:,} | " in PAGE
