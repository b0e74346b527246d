"""Matrices that are hard for one program or another, and a run with all that it leaves after checked."""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import scipy.sparse
from hypothesis import strategies as st

from programs.declaration import SCHEDULE
from programs.loading import STACK_BYTES
from programs.measurement import prepare, relative_error
from programs.registry import PROGRAMS
from vecsim.engines.result import Run
from vecsim.engines.running import run
from vecsim.machine import load_machine

ALLOWED = {np.dtype("f4"): 1e-5, np.dtype("f8"): 1e-13}
MACHINES = ("vs2003", "t0", "wide")


def _variants(program):
    """Every choice of the options that go together; of positions each value once, which any may have."""
    values = [
        [(option.name, value) for value in option.values]
        for option in program.options
        if option.name != "positions"
    ]
    for chosen in product(*values):
        if not any(together.items() <= dict(chosen).items() for together, _ in program.refused):
            yield dict(chosen)
    if len(values) < len(program.options):
        for schedule, positions in product(SCHEDULE.values, ("one", "two")):
            yield {"schedule": schedule, "positions": positions}


VARIANTS = [(program.name, options) for program in PROGRAMS.values() for options in _variants(program)]
"""Every program with the choices of its options; those not named are the default."""

VARIANT_IDS = ["-".join((name, *options.values())) for name, options in VARIANTS]

LOOPS = [(name, schedule) for name, program in PROGRAMS.items() for schedule in program.schedules]
"""Every assembly file: a program and its schedule."""


def options_of(name, schedule):
    """Every choice of the options of an assembly file."""
    return [options for program, options in VARIANTS if program == name and options["schedule"] == schedule]


@cache
def machine_of(name, section_size):
    return load_machine(name, [f"section_size={section_size}"])


@st.composite
def patterns(draw, s):
    """Rows, columns and the places of the entries, sized around the section size s."""
    small = st.integers(1, 3 * s + 1) if s <= 16 else st.integers(1, 80)
    kind = draw(st.sampled_from(["any", "clustered", "dense", "tall", "wide", "deep", "long rows", "edge"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, columns = draw(small), draw(small)
    entries = draw(st.integers(0, 120))
    if s > 8 and kind in ("tall", "wide", "deep"):
        kind = "any"
    if kind == "clustered":  # many empty rows and columns
        row, column = (rng.choice(rng.integers(0, n, 4), entries) for n in (rows, columns))
    elif kind == "dense":
        rows, columns = min(rows, 20), min(columns, 20)
        row, column = (axis.ravel() for axis in np.indices((rows, columns)))
    elif kind == "long rows":  # longer than a section, at s = 4 and 8 longer than s * s
        rows, columns = min(rows, 4), min(s * s, 64) + draw(st.integers(1, 70))
        row, column = np.nonzero(rng.random((rows, columns)) < 0.8)
    else:
        if kind == "tall":  # three levels of blocks
            rows = s * s + draw(st.integers(1, 2 * s * s))
        elif kind == "wide":
            columns = s * s + draw(st.integers(1, 2 * s * s))
        elif kind == "deep":  # four
            rows = columns = s**3 + draw(st.integers(1, 40))
        elif kind == "edge":  # exactly a section, a block, one more
            rows, columns = (draw(st.sampled_from([1, s - 1, s, s + 1])) for _ in range(2))
        row, column = rng.integers(0, rows, entries), rng.integers(0, columns, entries)
    return rows, columns, row, column


@st.composite
def matrices(draw, s, values=None):
    """A CSR matrix of float32 or float64; ``values`` is "integers" (zeros among them), "reals" or either."""
    rows, columns, row, column = draw(patterns(s))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    values = values or draw(st.sampled_from(["integers", "reals"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    places = np.unique(np.stack([row, column], 1).astype(np.int64).reshape(-1, 2), axis=0)
    if values == "integers":
        numbers = rng.integers(-3, 4, len(places)).astype(dtype)
    else:
        numbers = rng.standard_normal(len(places)) * 2.0 ** rng.integers(-20, 20, len(places))
    return csr(rows, columns, places[:, 0], places[:, 1], numbers.astype(dtype))


def csr(rows, columns, row, column, values):
    return scipy.sparse.coo_array((values, (row, column)), shape=(rows, columns)).tocsr()


@dataclass(frozen=True)
class Product:
    """A program that ran, with what it left in memory checked; y without what it was added to."""

    run: Run
    y: np.ndarray
    relative_error: float


def poisoned(loaded, value_bytes, poison):
    """Memory in which y, its padding, work space and stack hold NaN, or bytes of ones."""
    memory = loaded.memory.copy()
    at = loaded.symbols["Y"]
    pattern = np.full(1, np.nan, f"<f{value_bytes}").view(np.uint8) if poison == "nan" else np.uint8([255])
    memory[at:] = np.resize(pattern, len(memory) - at)
    return memory


def multiply(name, matrix, machine, x, options=None, poison="ones"):
    """Run a program, and again on the memory that it left; check what it wrote, and its cycles."""
    prepared = prepare(name, matrix, machine, x, options)
    loaded, width = prepared.loaded, matrix.dtype.itemsize
    before = poisoned(loaded, width, poison)
    at_y, at_work = loaded.symbols["Y"], loaded.symbols["WORK"]
    end_of_y = at_y + matrix.shape[0] * width
    adds = prepared.options["accumulate"] == "yes"
    if adds:  # small integers: exact with what is added in the tests of integers
        held = (np.arange(matrix.shape[0]) % 7 - 3).astype(matrix.dtype)
        before[at_y:end_of_y] = held.view(np.uint8)
    given = before.copy()
    done = run(prepared.program, before, machine, max_cycles=20_000_000)
    after = done.state.memory

    np.testing.assert_array_equal(given, before, "the engine works on a copy")
    np.testing.assert_array_equal(after[:at_y], before[:at_y], "matrix and x are only read")
    whole = machine.section_size ** {"hism": 1, "chism": 2}.get(name, 0) * width  # what is stored at once
    behind_y = at_y + -(-(end_of_y - at_y) // whole) * whole
    np.testing.assert_array_equal(after[behind_y:at_work], before[behind_y:at_work], "y ends with its rows")
    work = {"jd": matrix.shape[0], "crs": matrix.nnz if prepared.options.get("products") == "memory" else 0}
    end_of_work = at_work + work.get(name, 0) * width
    spare = slice(end_of_work, end_of_work + STACK_BYTES - 64)
    np.testing.assert_array_equal(after[spare], before[spare], "the stack keeps to what the loader reserved")
    assert sum(done.cycles_by_cause.values()) == done.cycles
    assert min(done.cycles_by_cause.values()) >= 0

    y = loaded.result(after)
    assert y.dtype == matrix.dtype
    again = run(prepared.program, after, machine, max_cycles=20_000_000)
    second = loaded.result(again.state.memory)
    assert again.cycles == done.cycles
    if not adds:
        np.testing.assert_array_equal(second, y)
        return Product(done, y, relative_error(matrix, x, y))
    assert relative_error(matrix, x, second, beta=1.0, y0=y) <= ALLOWED[y.dtype]
    return Product(done, y - held, relative_error(matrix, x, y, beta=1.0, y0=held))


def assert_right(matrix, result):
    assert result.y.shape == (matrix.shape[0],)
    assert result.relative_error <= ALLOWED[matrix.dtype]
    lengths = np.diff(matrix.indptr)
    assert not result.y[lengths == 0].any(), "y of an empty row is zero"
