"""Rows mean in compiled code what they mean in Python."""

import ctypes
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from vecsim.engines.state.row import NONE, Row, array, new_rows, objects, registers, store

MOST = 6


@dataclass(slots=True, eq=False)
class Example(Row):
    """A row with every kind of field."""

    single: int = 7
    several: list[int] = array(3, NONE)
    members: list[int] = registers(MOST)
    last: int = NONE


def exercise(a, b, c, n):
    """Read and write fields, go through lists, append, clear, copy and reset."""
    total = 0
    for v in a.members:
        total += v * n
        if v < 0:
            continue
        b.members.append(v)
    for k in range(len(b.members)):
        total -= b.members[k]
    a.single += total
    a.several[n] = b.several[0] + b.last
    b.last = len(b.members)
    c.copy_from(b)
    c.members.clear()
    for v in a.members:
        c.members.append(v + c.single)
    if n == 2:
        a.reset()
        a.members.append(total)
    return total


def example(most):
    numbers = st.integers(-(2**31), 2**31)
    return st.builds(
        Example, numbers, st.lists(numbers, min_size=3, max_size=3), st.lists(numbers, max_size=most), numbers
    )


@pytest.fixture(scope="module")
def compiled():
    """Return the function as compiled: it takes the addresses of rows."""
    from numba.core import types
    from numba.core.typing.templates import signature

    from vecsim.engines.jit.arrays.rows import RowType
    from vecsim.engines.jit.compiler.compilation import Exported, compile_object
    from vecsim.engines.jit.object_files.loading import loaded

    row = RowType(Example, checked=False)
    types_of_all = signature(types.int64, row, row, row, types.int64)
    engine = loaded(compile_object({"exercise": Exported(exercise, types_of_all)}))
    pointer = ctypes.c_void_p
    prototype = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, pointer, pointer, pointer, ctypes.c_int64)
    function = prototype(engine.get_function_address("exercise"))

    def call(a, b, c, n):
        result, exception = ctypes.c_int64(), ctypes.c_void_p()
        addresses = (rows.ctypes.data for rows in (a, b, c))
        assert function(ctypes.addressof(result), ctypes.addressof(exception), *addresses, n) == 0
        return result.value

    yield call
    del engine


@given(example(MOST // 2), example(MOST // 2), example(MOST), st.integers(0, 2))
@examples(100)
def test_compiled_code_does_the_same(compiled, a, b, c, n):
    tables = [new_rows(Example, (1,)) for _ in range(3)]
    for table, each in zip(tables, (a, b, c), strict=True):
        store(table, [each])
    assert compiled(*tables, n) == exercise(a, b, c, n)
    for table, each in zip(tables, (a, b, c), strict=True):
        (actual,) = objects(Example, table)
        for name in ("single", "several", "members", "last"):
            assert getattr(actual, name) == getattr(each, name)
