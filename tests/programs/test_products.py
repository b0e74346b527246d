"""All programs with all options on matrices of every shape: right results, nothing else touched."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from random_products import (
    ALLOWED,
    LOOPS,
    MACHINES,
    VARIANT_IDS,
    VARIANTS,
    assert_right,
    csr,
    machine_of,
    matrices,
    multiply,
    options_of,
)
from tiers import examples, one_combination_in

from programs.measurement import measure, multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.engines.running import run

every_loop = pytest.mark.parametrize(("name", "schedule"), LOOPS)
POISONS = ("nan", "ones")


@every_loop
@given(data=st.data())
@examples(36)
def test_random_matrices_of_reals(name, schedule, data):
    s = data.draw(st.sampled_from([4, 8, 16, 64]))
    machine = machine_of(data.draw(st.sampled_from(MACHINES)), s)
    matrix = data.draw(matrices(s, "reals"))
    x = multiplicand(matrix.shape[1], data.draw(st.integers(0, 1000)), matrix.dtype)
    options = data.draw(st.sampled_from(options_of(name, schedule)))
    poison = data.draw(st.sampled_from(POISONS))
    assert_right(matrix, multiply(name, matrix, machine, x, options, poison))


@every_loop
@given(data=st.data())
@examples(20)
def test_random_matrices_of_integers_are_exact(name, schedule, data):
    """Explicit zeros among them; sums of small integers are exact in any order."""
    s = data.draw(st.sampled_from([4, 8, 16, 64]))
    matrix = data.draw(matrices(s, "integers"))
    x = (np.arange(matrix.shape[1]) % 9 - 4).astype(matrix.dtype)
    options = data.draw(st.sampled_from(options_of(name, schedule)))
    result = multiply(name, matrix, machine_of("vs2003", s), x, options)
    np.testing.assert_array_equal(result.y, matrix @ x)


@pytest.mark.parametrize("name", PROGRAMS)
@given(data=st.data())
@examples(6)
def test_two_runs_are_equal(name, data):
    machine = machine_of(data.draw(st.sampled_from(MACHINES)), 8)
    matrix = data.draw(matrices(8))
    bits = 8 * matrix.dtype.itemsize
    first, second = (measure(name, matrix, machine, value_bits=bits, seed=5) for _ in range(2))
    for field in ("cycles", "counters", "cycles_by_cause", "waited", "busy"):
        assert getattr(first.run, field) == getattr(second.run, field)
    np.testing.assert_array_equal(first.run.state.memory, second.run.state.memory)
    assert first.relative_error == second.relative_error


def dense(rows, columns):
    return scipy.sparse.csr_array(np.arange(1.0, rows * columns + 1).reshape(rows, columns))


def shapes(s):
    """Matrices at the edges of a section size, by what is special about them."""
    square = s * s
    last = csr(square + 1, square + 1, [square], [square], [2.0])
    banded = scipy.sparse.diags_array([2.0, -1.0], offsets=[0, 3], shape=(square + s + 1, square + 2))
    ragged = [(i, j) for i in range(s + 1) for j in range(0 if i % 3 else square + 1 - i)]
    row, column = np.array(ragged).T
    zeros = dense(s, s + 1)
    zeros.data[::2] = 0
    corners = np.indices((s, s)).reshape(2, -1) * square
    return {
        "a top block with more entries than a section": csr(s**3, s**3, *corners, np.ones(square)),
        "no entries": csr(s + 1, s + 1, [], [], np.zeros(0)),
        "no entries, three levels": csr(square + 1, 3, [], [], np.zeros(0)),
        "one entry": csr(1, 1, [0], [0], [3.0]),
        "one row": dense(1, s + 1),
        "one row longer than a block": dense(1, square + 1),
        "one column": dense(s + 1, 1),
        "one column longer than a block": dense(square + 1, 1),
        "dense, one less than a section": dense(s - 1, s - 1),
        "dense, a section": dense(s, s),
        "dense, half a section and a section": dense(s // 2, s),
        "dense, a section and half a section": dense(s, s // 2),
        "dense, one more than a section": dense(s + 1, s + 1),
        "identity, s * s rows": scipy.sparse.eye_array(square, format="csr"),
        "only the last corner, s * s + 1 rows": last,
        "band, three levels": banded.tocsr(),
        "all explicit zeros": csr(s + 1, 2, [0, s], [1, 0], np.zeros(2)),
        "zeros among the entries": zeros,
        "empty first and last rows and columns": csr(3 * s, 3 * s, [s, s, s + 1], [s, s + 2, s], np.ones(3)),
        "every third row longer than a block": csr(s + 1, square + 1, row, column, 1.0 + column % 7),
    }


@pytest.mark.parametrize(("loop", "shape"), one_combination_in(6, LOOPS, shapes(4)), ids=str)
def test_edges_of_a_section(loop, shape):
    """Another choice of the other options for each shape, so that each is seen; see below."""
    name, schedule = loop
    options = options_of(name, schedule)
    place = list(shapes(4)).index(shape)
    matrix, poison = shapes(4)[shape], POISONS[place % 2]
    result = multiply(
        name, matrix, machine_of("vs2003", 4), x_for(matrix), options[place % len(options)], poison
    )
    assert_right(matrix, result)


def test_there_are_enough_shapes_to_see_all_options():
    assert all(len(options_of(*loop)) <= len(shapes(4)) for loop in LOOPS)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=VARIANT_IDS)
def test_all_options_at_all_edges(name, options):
    """Half of the shapes for each choice of options."""
    first = VARIANTS.index((name, options)) % 2
    for place, (shape, matrix) in list(enumerate(shapes(4).items()))[first::2]:
        machine = machine_of(MACHINES[place % len(MACHINES)], 4)
        result = multiply(name, matrix, machine, x_for(matrix), options, POISONS[place % 2])
        assert result.relative_error <= ALLOWED[matrix.dtype], shape


@every_loop
def test_the_engines_agree_on_programs(name, schedule):
    assert_engines_agree(name, {"schedule": schedule})


@pytest.mark.ci
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=VARIANT_IDS)
def test_the_engines_agree_with_all_options(name, options):
    assert_engines_agree(name, options)


def assert_engines_agree(name, options):
    ragged = shapes(4)["every third row longer than a block"]
    for machine, matrix in product(MACHINES, (ragged, ragged[:4, :4])):  # three levels, and one
        described = machine_of(machine, 4)
        prepared = prepare(name, matrix, described, x_for(matrix), options)
        compiled, model = (
            run(prepared.program, prepared.loaded.memory, described, engine=engine)
            for engine in ("jit", "simpy")
        )
        assert (compiled.cycles, compiled.cycles_by_cause) == (model.cycles, model.cycles_by_cause)
        np.testing.assert_array_equal(compiled.state.memory, model.state.memory)


@pytest.mark.parametrize("s", [4, 64, *(pytest.param(s, marks=pytest.mark.ci) for s in (16, 256))])
def test_one_level_up_to_a_section(s):
    """Without a level 1 there is nothing that CHiSM does otherwise than HiSM."""
    for rows, columns in [(1, 1), (s - 1, s - 1), (s, s), (1, s), (s + 1, s), (s, s + 1), (s + 1, s + 1)]:
        density, rng = min(1, 60 / (rows * columns)), np.random.default_rng(s)
        matrix = scipy.sparse.random_array((rows, columns), density=density, rng=rng, format="csr")
        for options in ({"schedule": "plain"}, {"schedule": "pipelined", "accumulate": "yes"}):
            hism, chism = (
                multiply(name, matrix, machine_of("vs2003", s), x_for(matrix), options)
                for name in ("hism", "chism")
            )
            assert_right(matrix, hism)
            assert_right(matrix, chism)
            same = hism.run.cycles == chism.run.cycles
            assert same == (max(rows, columns) <= s), (rows, columns)


@pytest.mark.parametrize(("name", "shape"), one_combination_in(3, PROGRAMS, shapes(8)))
def test_edges_of_a_longer_section(name, shape):
    matrix = shapes(8)[shape].astype(np.float32)
    assert_right(matrix, multiply(name, matrix, machine_of("wide", 8), x_for(matrix)))


@pytest.mark.parametrize(
    ("name", "bits", "section_size"), one_combination_in(3, PROGRAMS, (32, 64), (64, 256))
)
def test_long_sections(name, bits, section_size):
    """More rows than a section, and at 64 three levels; positions of the last byte value, 255."""
    s = section_size
    rng = np.random.default_rng(s)
    rows = 70 if s == 256 else s * s + 2
    row, column = rng.integers(0, rows, 400), rng.integers(0, s + 40, 400)
    row[:2], column[:2] = (0, rows - 1), (s - 1, s)
    places = np.unique(np.stack([row, column], 1), axis=0)
    matrix = csr(rows, s + 40, *places.T, rng.standard_normal(len(places)).astype(f"f{bits // 8}"))
    assert_right(matrix, multiply(name, matrix, machine_of("vs2003", s), x_for(matrix)))


@pytest.mark.parametrize("name", ["bbcs", "hism"])
def test_positions_of_two_bytes_beyond_256(name):
    matrix = dense(2, 600).astype(np.float32)
    assert_right(matrix, multiply(name, matrix, machine_of("wide", 512), x_for(matrix)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_result_depends_on_timing(name):
    matrix = shapes(8)["band, three levels"]
    machine = machine_of("vs2003", 8)
    slow = {"chaining": False, "accesses_in_flight": 1, "unit_queue": 0, "issue_width": 1}
    results = [
        multiply(name, matrix, machine.model_copy(update=changes), x_for(matrix))
        for changes in ({}, slow, {"memory_ports": 3})
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].y, other.y)
    assert results[1].run.cycles > results[0].run.cycles
    assert results[2].run.cycles != results[0].run.cycles  # with several ports a program may take longer


def x_for(matrix):
    return multiplicand(matrix.shape[1], 3, matrix.dtype)
