"""Each rule of time names its section of docs/timing.md, and those that others are made of do as they say."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from vecsim.engines.columns import causes, flight, parameter, work
from vecsim.engines.rules import accounts, hazards, memory_order, sparse, vector_cache
from vecsim.engines.rules.numbers import NEVER

ROOT = Path(__file__).parents[3]
SECTIONS = set(re.findall(r"^## (.*)$", (ROOT / "docs/timing.md").read_text(encoding="utf-8"), re.MULTILINE))
MODULES = sorted((ROOT / "vecsim/engines/rules").glob("[a-z]*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_names_sections_that_there_are(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    named = re.findall(r'"([^"]+)"', "".join(re.findall(r"\(docs/timing\.md, ([^)]*)\)", docstring)))
    assert set(named) <= SECTIONS
    assert named or path.stem == "numbers"


def test_rules_cover_the_sections():
    text = "".join(path.read_text(encoding="utf-8") for path in MODULES)
    assert {section for section in SECTIONS if f'"{section}"' not in text} == {
        "Where this goes beyond the sources"
    }


@pytest.mark.parametrize(
    ("store", "older_store", "end", "older_end", "follows"),
    [
        (0, 0, -1, -1, False),  # two loads
        (1, 0, 8, 16, True),  # bytes 4 to 8 and 0 to 16
        (1, 0, 8, 4, False),  # 4 to 8 and 0 to 4
        (0, 1, -1, 4, True),  # who is not contiguous may be anywhere
        (0, 1, 8, -1, True),
    ],
)
def test_which_access_must_follow_another(store, older_store, end, older_end, follows):
    assert memory_order.must_follow(store, 4, end, older_store, 0, older_end) is follows


def test_a_wait_for_issue_is_booked_to_what_ended_last_and_then_to_the_first_of_the_list():
    def cause(earliest=0, ready=0, operand=0, room=0, order=0, free=0, memory=False):
        return accounts.issue_cause(9, earliest, ready, operand, room, order, free, memory)

    assert cause(earliest=9, ready=9) == causes.ISSUE
    assert cause(ready=9, room=9) == causes.SCALAR_RAW_WAW
    assert cause(operand=9) == causes.VECTOR_RAW
    assert (cause(room=9), cause(room=9, memory=True)) == (causes.UNIT, causes.PORT)
    assert cause(ready=8, order=9) == causes.MEMORY_ORDER
    assert (cause(order=9, free=9), cause(free=9)) == (causes.MEMORY_ORDER, causes.FREE_REGISTER)


def test_rows_of_a_cycle_of_the_sparse_unit():
    r = SimpleNamespace(rows=[5, 7, 5, -1, 9, 5], machine=[0] * parameter.PLACES)
    r.machine[parameter.SPARSE_UNIT_P], r.machine[parameter.SPARSE_UNIT_R] = 5, 2
    assert [sparse._is_full(r, k, k) for k in range(6)] == [False, False, False, False, True, True]
    assert not sparse._is_full(r, 4, 1)  # after row -1 alone


def in_flight(*instructions, s=8):
    """Give arrays with instructions in flight, the youngest last: first element, elements, started."""
    slots = len(instructions)
    r = SimpleNamespace(machine=[0] * parameter.PLACES, work=[0] * work.PLACES, order=list(range(slots)))
    r.machine[parameter.SECTION_SIZE], r.machine[parameter.SLOTS] = s, slots
    r.work[work.FLYING] = slots
    r.slots, r.depends = [0] * (slots * flight.COLUMNS), [0] * slots**2
    for slot, (first, elements, started) in enumerate(instructions):
        at = slot * flight.COLUMNS
        r.slots[at + flight.FIRST], r.slots[at + flight.ELEMENTS] = first, elements
        r.slots[at + flight.ELEMENT], r.slots[at + flight.SLICE] = started, -1
    return r


def test_the_first_element_that_an_older_instruction_has_yet_to_start():
    r = in_flight((0, 8, 3), (0, 4, 4), (0, 8, 0))
    assert hazards.first_blocked(r, 2, 0) == NEVER  # it waits for nobody
    r.depends[2 * 3 + 0] = r.depends[2 * 3 + 1] = flight.FOLLOWS_ELEMENT
    assert hazards.first_blocked(r, 2, 0) == 3
    assert hazards.first_blocked(r, 2, 5) == 5
    r.slots[flight.ELEMENTS] = 5
    assert hazards.first_blocked(r, 2, 5) == NEVER  # nobody touches element 5


def test_a_slice_is_blocked_until_its_last_element_has_passed():
    r = in_flight((0, 12, 7), (0, 8, 0))
    r.slots[flight.CACHE_FIRST] = 4  # elements 4 to 15, of slices 0 and 1
    r.depends[1 * 2 + 0] = flight.FOLLOWS_SLICE
    assert not vector_cache.slice_blocked(r, 1, 0)
    assert vector_cache.slice_blocked(r, 1, 1)
    assert not vector_cache.slice_blocked(r, 1, 2)
