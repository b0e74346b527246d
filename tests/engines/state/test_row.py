"""A row is declared once: its objects and its structured arrays hold the same."""

from dataclasses import dataclass, fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from vecsim.engines.interpreted_run import bounded_row
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.row import (
    COUNT,
    NONE,
    NUMBERS,
    Row,
    array,
    fields_of,
    layout,
    new_rows,
    objects,
    registers,
    store,
    words_of,
)
from vecsim.engines.state.run import RECORD


@dataclass(slots=True, eq=False)
class Example(Row):
    """A row with every kind of field."""

    single: int = 7
    several: list[int] = array(3, NONE)
    members: list[int] = registers(4)
    last: int = NONE


ROWS = sorted({part.row for part in RECORD.values() if part.row} | {Example, Instruction}, key=str)
INTEGERS = st.integers(-(2**63), 2**63 - 1)


def values_of(row):
    return {field.name: getattr(row, field.name) for field in fields(row)}


def rows_of(row, numbers):
    """Draw a row with any contents."""
    sampled = {}
    for field in fields_of(row):
        length = (
            {"max_size": field.most} if field.counted else {"min_size": field.most, "max_size": field.most}
        )
        sampled[field.name] = st.lists(numbers, **length) if field.most else numbers
    return st.builds(row, **sampled)


def test_a_layout_by_hand():
    assert words_of(Example) == 1 + 3 + (1 + 4) + 1
    assert {name: place for name, (_, place, *_) in layout(Example).fields.items()} == {
        "single": 0,
        "several": 8,
        "members": 32,
        "last": 72,
    }
    table = new_rows(Example, (2,))
    assert table.view(np.int64).tolist() == 2 * [7, -1, -1, -1, 0, -1, -1, -1, -1, -1]
    table["members"][COUNT][1], table["members"][NUMBERS][1, :2] = 2, [5, 6]
    assert [each.members for each in objects(Example, table)] == [[], [5, 6]]


@pytest.mark.parametrize("row", ROWS)
def test_a_layout_has_all_fields_in_order_without_gaps(row):
    built = layout(row)
    assert built.names == tuple(field.name for field in fields(row))
    assert built.itemsize == 8 * words_of(row)
    offsets = [8 * field.offset for field in fields_of(row)]
    assert [built.fields[name][1] for name in built.names] == offsets
    assert all(
        np.dtype(kind.base if kind.names is None else kind[COUNT]) == np.int64
        for kind, *_ in built.fields.values()
    )


@pytest.mark.parametrize("row", ROWS)
def test_a_new_row_is_a_new_object(row):
    (built,) = objects(row, new_rows(row, (1,)))
    assert values_of(built) == values_of(row())


@pytest.mark.parametrize("row", ROWS)
@given(st.data())
@examples(60)
def test_objects_are_stored_and_read_again(row, data):
    rows = data.draw(st.lists(rows_of(row, INTEGERS), max_size=3))
    table = new_rows(row, (len(rows),))
    store(table, rows)
    assert [values_of(each) for each in objects(row, table)] == [values_of(each) for each in rows]


@given(rows_of(Example, INTEGERS), rows_of(Example, INTEGERS))
@examples(60)
def test_a_copy_has_its_own_lists(one, other):
    before = values_of(other)
    one.copy_from(other)
    assert values_of(one) == before
    one.several[0], one.single = 1, 1
    one.members.clear()
    assert values_of(other) == before


@given(rows_of(Example, INTEGERS))
@examples(30)
def test_a_row_that_is_reset_is_a_new_one(row):
    row.reset()
    assert values_of(row) == values_of(Example())
    row.several[0] = 1
    assert Example().several == [NONE] * 3


def test_what_stood_after_the_end_of_a_list_is_forgotten():
    table = new_rows(Example, (1,))
    store(table, [Example(members=[1, 2, 3])])
    store(table, [Example(members=[4])])
    assert table["members"][NUMBERS].tolist() == [[4, NONE, NONE, NONE]]


def test_rows_of_user_defined_rules_take_integers_of_64_bits_alone():
    row = bounded_row(Example)()
    with pytest.raises(OverflowError, match="64 bits"):
        row.single = 2**63
    with pytest.raises(TypeError):
        row.single = 0.5
    with pytest.raises(IndexError, match="index 3 is not in 0 to 2"):
        row.several[3] = 0
    with pytest.raises(AttributeError):
        row.singel = 0
