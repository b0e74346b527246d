"""Each timing rule names its section of docs/timing.md, and those that others are made of do as they say."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from vecsim.engines.rules import accounts, hazards, memory_order, sparse, vector_cache
from vecsim.engines.rules.numbers import NEVER
from vecsim.engines.state import causes
from vecsim.engines.state.control import Scratch
from vecsim.engines.state.flight import FOLLOWS_ELEMENT, FOLLOWS_SLICE, Slot
from vecsim.engines.state.machine import MachineNumbers

ROOT = Path(__file__).parents[3]
SECTIONS = set(re.findall(r"^## (.*)$", (ROOT / "docs/timing.md").read_text(encoding="utf-8"), re.MULTILINE))
MODULES = sorted((ROOT / "vecsim/engines/rules").glob("[a-z]*.py"))
TREES = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}
RULES = [
    (f"{module}.{node.name}", node)
    for module, tree in TREES.items()
    for node in ast.walk(tree)
    if isinstance(node, ast.FunctionDef)
]
"""All functions, those within others too."""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_names_sections_that_there_are(path):
    docstring = ast.get_docstring(TREES[path.stem])
    named = re.findall(r'"([^"]+)"', "".join(re.findall(r"\(docs/timing\.md, ([^)]*)\)", docstring)))
    assert set(named) <= SECTIONS
    assert named or path.stem == "numbers"


def test_rules_name_sections_that_there_are():
    for name, rule in RULES:
        text = " ".join((ast.get_docstring(rule) or "").split())
        named = re.findall(r'"([^"]+)"', " ".join(re.findall(r'\(("[^()]*")\)', text)))
        assert named or name.startswith("numbers."), name
        assert set(named) <= SECTIONS or name.startswith("numbers."), name


def test_rules_say_the_types_of_all_that_they_take_and_return():
    for name, rule in RULES:
        taken = rule.args
        parameters = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
        annotations = [each.annotation for each in parameters if each is not None] + [rule.returns]
        assert all(annotations), name
        assert not any("Any" in re.findall(r"\w+", ast.unparse(each)) for each in annotations), name


def test_rules_and_the_record_cover_the_sections():
    paths = [*MODULES, ROOT / "vecsim/engines/record.py"]
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
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
    rows, r = [5, 7, 5, -1, 9, 5], SimpleNamespace(machine=MachineNumbers(sparse_unit_p=5, sparse_unit_r=2))
    assert [sparse._is_full(r, rows, k, k) for k in range(6)] == [False, False, False, False, True, True]
    assert not sparse._is_full(r, rows, 4, 1)  # after row -1 alone


def in_flight(*instructions, s=8):
    """Return a run with instructions in flight, the youngest last: first element, elements, started."""
    count = len(instructions)
    return SimpleNamespace(
        machine=MachineNumbers(section_size=s, slots=count),
        scratch=Scratch(in_flight=count),
        order=list(range(count)),
        depends=[bytearray(count) for _ in range(count)],
        slots=[
            Slot(number=number, age=number, first=first, elements=elements, element=started)
            for number, (first, elements, started) in enumerate(instructions)
        ],
    )


def test_the_first_element_that_an_older_instruction_has_yet_to_start():
    r = in_flight((0, 8, 3), (0, 4, 4), (0, 8, 0))
    youngest = r.slots[2]
    assert hazards.first_blocked(r, youngest, 0) == NEVER  # it waits for nobody
    r.depends[2][0] = r.depends[2][1] = FOLLOWS_ELEMENT
    assert hazards.first_blocked(r, youngest, 0) == 3
    assert hazards.first_blocked(r, youngest, 5) == 5
    r.slots[0].elements = 5
    assert hazards.first_blocked(r, youngest, 5) == NEVER  # nobody touches element 5


def test_a_slice_is_blocked_until_its_last_element_has_passed():
    r = in_flight((0, 12, 7), (0, 8, 0))
    older, younger = r.slots
    older.cache_first = 4  # elements 4 to 15, of slices 0 and 1
    r.depends[1][0] = FOLLOWS_SLICE
    assert not vector_cache.slice_blocked(r, younger, 0)
    assert vector_cache.slice_blocked(r, younger, 1)
    assert not vector_cache.slice_blocked(r, younger, 2)
