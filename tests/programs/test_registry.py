"""The registry: names, options and their messages, and that every option reaches the program."""

import numpy as np
import pytest
import scipy.sparse
from random_products import VARIANTS, machine_of

from gpu.format_registry import FORMATS
from programs.declaration import ACCUMULATE, SCHEDULE
from programs.measurement import measure, prepare
from programs.registry import PROGRAMS, find
from vecsim.support.errors import UserError


def test_the_programs_in_the_order_of_the_tables():
    assert list(PROGRAMS) == ["crs", "jd", "bbcs", "hism", "chism"]
    assert [program.format for program in PROGRAMS.values()] == ["crs", "jd", "bbcs", "hism", "hism"]
    # Schedule and accumulate are 4 choices, of BBCS 6. Of CHiSM's caches the cleared ones do not accumulate.
    # CRS with products in memory is pipelined, with its sums in a register.
    assert len(VARIANTS) == (4 * 2 + 2) + 4 * 2 + 6 + (4 + 4) + (2 * (2 * 5 + 2 * 3) + 4)
    for name, program in PROGRAMS.items():
        assert program is find(name)
        assert set(program.schedules) >= set(SCHEDULE.values)
        assert all(program.text(schedule).file.is_file() for schedule in program.schedules)
        assert program.options[-1] is ACCUMULATE
        assert FORMATS[program.format].has_image
        assert all(option.default in option.values for option in program.options)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("csr", "unknown program 'csr'; use one of crs, jd, bbcs, hism, chism; did you mean 'crs'?"),
        ("hismm", "unknown program 'hismm'; use one of crs, jd, bbcs, hism, chism; did you mean 'hism'?"),
        ("", "unknown program ''; use one of crs, jd, bbcs, hism, chism"),
        ("CRS", "unknown program 'CRS'; use one of crs, jd, bbcs, hism, chism; did you mean 'crs'?"),
    ],
)
def test_an_unknown_program(name, message):
    with pytest.raises(UserError) as caught:
        find(name)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "crs",
            {"y": "memory"},
            "program crs has no option 'y'; it has: sums, products, schedule, accumulate",
        ),
        ("jd", {"z": "memory"}, "program jd has no option 'z'; it has: y, schedule, accumulate"),
        ("jd", {"y": "disk"}, "program jd: option y = 'disk': it takes memory, register"),
        (
            "chism",
            {"transfers": "stream"},
            "program chism has no option 'transfers'; it has: positions, transfer, cache, schedule, "
            "accumulate; did you mean 'transfer'?",
        ),
        ("chism", {"transfer": "1"}, "program chism: option transfer = '1': it takes stream, slices"),
        ("hism", {"positions": "three"}, "program hism: option positions = 'three': it takes auto, one, two"),
        (
            "bbcs",
            {"schedule": "piplined"},
            "program bbcs: option schedule = 'piplined': it takes plain, pipelined, ahead",
        ),
        (
            "chism",
            {"accumulate": "yes", "cache": "cleared"},
            "program chism: cache=cleared and accumulate=yes cannot be combined: y must be loaded; "
            "use cache=whole, store_rows or rows",
        ),
        (
            "chism",
            {"accumulate": "yes", "cache": "cleared_rows"},
            "program chism: cache=cleared_rows and accumulate=yes cannot be combined: y must be loaded; "
            "use cache=whole, store_rows or rows",
        ),
    ],
)
def test_an_option_that_is_not_there(name, options, message):
    with pytest.raises(UserError) as caught:
        prepare(name, scipy.sparse.eye_array(3, format="csr"), machine_of("vs2003", 4), np.ones(3), options)
    assert str(caught.value) == message


def test_what_is_not_given_has_its_default():
    chism = find("chism")
    both = {"schedule": "pipelined", "accumulate": "no"}
    assert chism.choose({}) == {"positions": "auto", "transfer": "stream", "cache": "whole", **both}
    chosen = chism.choose({"transfer": "slices"})
    assert chosen == {"positions": "auto", "transfer": "slices", "cache": "whole", **both}
    assert chism.symbols(chosen) == {
        "POSITION_BYTES": 0, "ONE_STREAM": 0, "CACHE": 0, "ACCUMULATE": 0
    }  # fmt: skip


def test_one_byte_is_too_narrow_for_positions_beyond_256():
    matrix = scipy.sparse.eye_array(3, format="csr")
    wide = machine_of("wide", 512)
    with pytest.raises(UserError, match="positions of 1 byte reach to section size 256"):
        measure("hism", matrix, wide, options={"positions": "one"})
    assert measure("hism", matrix, wide, options={"positions": "auto"}).relative_error == 0


@pytest.fixture(scope="module")
def banded():
    """200 rows of one to three entries: more than s * s = 64 rows, not all of one length."""
    diagonals = scipy.sparse.diags_array([1.0, 2.0, 3.0], offsets=[-70, 0, 9], shape=(200, 200))
    return diagonals.tocsr().astype(np.float32)


def measured(banded, name, **options):
    return measure(name, banded, machine_of("vs2003", 8), options=options)


@pytest.mark.parametrize("name", PROGRAMS)
def test_pipelined_is_the_faster_schedule_and_moves_no_more(banded, name):
    plain, pipelined = (measured(banded, name, schedule=value) for value in ("plain", "pipelined"))
    assert measured(banded, name).cycles == pipelined.cycles < plain.cycles
    assert pipelined.run.vector_bytes <= plain.run.vector_bytes


@pytest.mark.parametrize("schedule", ["plain", "pipelined"])
def test_what_accumulating_moves(banded, schedule):
    """CRS and JD load y to add to it; the others need not clear it."""
    rows = banded.shape[0]
    more = {"crs": (rows, 0), "jd": (rows, 0), "bbcs": (0, -rows), "hism": (0, -rows), "chism": (0, -rows)}
    for name, expected in more.items():
        yes, no = (
            measured(banded, name, schedule=schedule, accumulate=v).run.counters for v in ("yes", "no")
        )
        actual = [yes[words] - no[words] for words in ("words_loaded", "words_stored")]
        if (name, schedule) == ("hism", "pipelined"):
            expected = (8, 8 - rows)  # the first segment is loaded, or begins with zeros in its register
        assert tuple(actual) == expected, name


def test_jd_keeps_y_in_a_register_or_in_memory(banded):
    """In memory y' is loaded and stored for every strip, not only scattered at the end; plain clears it."""
    words = {}
    for y in ("memory", "register"):
        for schedule in ("plain", "pipelined"):
            counters = measured(banded, "jd", y=y, schedule=schedule).run.counters
            words[y, schedule] = counters["words_loaded"], counters["words_stored"]
    assert measured(banded, "jd", y="register").cycles < measured(banded, "jd", y="memory").cycles
    nnz, rows = banded.nnz, banded.shape[0]
    assert words["register", "plain"] == words["register", "pipelined"] == (3 * nnz + rows, rows)
    assert words["memory", "plain"] == (4 * nnz + 2 * rows, nnz + 2 * rows)
    # The first diagonal, of all rows, has no y' to load.
    assert words["memory", "pipelined"] == (4 * nnz + rows, nnz + rows)


def test_chism_moves_the_cache_as_one_stream_or_by_slices(banded):
    stream, slices = (measured(banded, "chism", transfer=value) for value in ("stream", "slices"))
    assert measured(banded, "chism").cycles == stream.cycles
    assert stream.cycles < slices.cycles
    assert stream.run.vector_bytes == slices.run.vector_bytes
    assert stream.run.counters["vector_instructions"] < slices.run.counters["vector_instructions"]


@pytest.mark.parametrize("transfer", ["stream", "slices"])
def test_chism_moves_the_part_of_the_cache_that_is_asked_for(banded, transfer):
    """200 rows are three times s * s = 64 rows and 8 more: the last load and store has one slice of rows."""
    moved = {}
    for cache in ("whole", "store_rows", "rows", "cleared", "cleared_rows"):
        counters = measured(banded, "chism", transfer=transfer, cache=cache).run.counters
        moved[cache] = counters["words_loaded"], counters["words_stored"]
    loaded, stored = moved["whole"]
    beyond = 64 - 8  # rows of the last load and store that the matrix does not have
    assert moved["store_rows"] == (loaded, stored - beyond)
    assert moved["rows"] == (loaded - beyond, stored - beyond)
    assert moved["cleared"] == (loaded - 64, stored)
    assert moved["cleared_rows"] == (loaded - 64, stored - beyond)


def test_crs_stores_sums_one_by_one_or_by_sections(banded):
    scalar, register = (measured(banded, "crs", sums=value) for value in ("scalar", "register"))
    assert measured(banded, "crs").cycles == register.cycles
    assert scalar.run.counters["words_stored"] == 0
    assert register.run.counters["words_stored"] == 200
    assert register.cycles < scalar.cycles


@pytest.mark.parametrize("name", ["hism", "chism"])
def test_positions_of_two_bytes_are_more_to_load(banded, name):
    auto, one, two = (measured(banded, name, positions=value) for value in ("auto", "one", "two"))
    assert auto.cycles == one.cycles
    assert auto.storage_bytes == one.storage_bytes < two.storage_bytes
    assert one.bytes_moved < two.bytes_moved
    assert one.cycles != two.cycles


def test_options_are_reported(banded):
    both = {"schedule": "pipelined", "accumulate": "no"}
    assert measured(banded, "jd", y="register").options == {"y": "register", **both}
    assert measured(banded, "crs").options == {"sums": "register", "products": "row", **both}


def test_x_and_y_are_padded_with_zeros():
    matrix = scipy.sparse.csr_array(np.ones((2, 3)))
    loaded = prepare("hism", matrix, machine_of("vs2003", 8), np.array([1.0, 2.0, 4.0])).loaded
    x, y, work = (loaded.symbols[name] for name in ("X", "Y", "WORK"))
    np.testing.assert_array_equal(loaded.memory[x : x + 64].view("<f8"), [1, 2, 4, 0, 0, 0, 0, 0])
    assert y == x + 64
    assert work - y == 8 * 64


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_matrix_that_fits_is_refused_by_its_shape(name, dtype, monkeypatch):
    messages = []
    monkeypatch.setattr("programs.declaration.require_room", messages.append)
    for shape in ((1, 1), (1, 300), (300, 1), (70, 70)):
        for density in (0, 0.01, 1):
            matrix = scipy.sparse.random_array(shape, density=density, format="csr", dtype=dtype, rng=1)
            prepared = prepare(name, matrix, machine_of("vs2003", 4), np.ones(shape[1]))
            size = len(prepared.loaded.memory)
            assert messages[-1] <= size
            assert messages[-1] >= size / 2 - 2_000 or density == 1
