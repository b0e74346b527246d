"""How the recording loop writes the event of an instruction; compiled into the loop.

Parameters
----------
hart
    The state, after the instruction.
nodes
    The columns of all nodes, :data:`vecsim.riscv.nodes.node.COLUMNS` of each.
numbers
    How far the record is: ``PLACE`` and what follows it.
words, patches
    The record, and where it has numbers of nodes.
node, row
    The number of the instruction's node, and of its row of ``Hart.code``.
"""

from __future__ import annotations

from typing import Any

from isa.riscv.state import ADDRESSES, BASE, BYTES, PC, RS1, TEXT, VL, VLEN, VTYPE
from vecsim.engines.recorded.events import ADDRESS, COUNT, ENDING_AT, ENDS, LIST, STRIDE, TAKEN, TARGET
from vecsim.engines.rules.addresses import LEVELS_AT, MISSING_MASK
from vecsim.riscv.nodes.node import (
    AFTER,
    ARITHMETIC,
    BRANCH,
    CALL,
    COLUMNS,
    COUNTED,
    ENDING,
    ENTRIES,
    FIELDS_EACH,
    FIXED_BYTES,
    GROUPS,
    INDIRECT,
    JUMP,
    KIND,
    LEFT,
    LISTED,
    ONE,
    PARTS,
    PASSING,
    PER_GROUP,
    PLAIN,
    SCALAR,
    SPAN,
    VALUE_BYTES,
    VILL,
    WHOLE,
)

PLACE, PATCHES, LAST_EVENT, LAST_NODE = range(4)
"""Numbers: words of the record; how many numbers of nodes it has; where the last event begins; the last
node."""
NOT_ACCESSED = 0xFFFFFFFF
SEVERAL = -1
"""In the column AFTER: several vtypes."""
MOST_PARTS = 64
WORDS_OF_PART = 6


def type_number(hart: Any) -> Any:
    """Return the number of the vtype."""
    vtype = hart.control[VTYPE]
    return VILL if vtype < 0 else vtype & 63


def node_number(hart: Any, row: Any) -> Any:
    """Return the number of the node of a row of the text under the present vtype."""
    return type_number(hart) * hart.code.shape[0] + row


def is_full(hart: Any, numbers: Any, words: Any, patches: Any) -> Any:
    """Return whether the record may have no room for the next event."""
    most = MOST_PARTS * WORDS_OF_PART + hart.control[VLEN]
    return numbers[PLACE] + most > words.shape[0] or numbers[PATCHES] == patches.shape[0]


def larger(a: Any, b: Any) -> Any:
    """Return the larger of two integers."""
    return a if a > b else b


def smaller(a: Any, b: Any) -> Any:
    """Return the smaller of two integers."""
    return a if a < b else b


def write_event(
    hart: Any,
    nodes: Any,
    numbers: Any,
    words: Any,
    patches: Any,
    node: Any,
    row: Any,
    target: Any,
    address: Any,
) -> None:
    """Write the event of an instruction that has executed.

    Parameters
    ----------
    target
        The address of the next instruction.
    address
        What the first register had before, and the immediate number: the address of a scalar access.
    """
    columns = node * COLUMNS
    kind = nodes[columns + KIND]
    if kind == PLAIN:
        before, after = nodes[columns + AFTER], 1 + type_number(hart)
        if before != after:
            nodes[columns + AFTER] = after if before == 0 else SEVERAL
        return
    control, place = hart.control, numbers[PLACE]
    numbers[LAST_EVENT] = place
    if kind == BRANCH:
        words[place] = TAKEN if target != control[PC] + hart.code[row, BYTES] else 0
        place += 1
    elif kind == JUMP:
        words[place] = TAKEN
        place += 1
    elif INDIRECT <= kind <= CALL:
        words[place] = TARGET | (TAKEN if kind == INDIRECT else 0)
        words[place + 1] = 0
        if kind == INDIRECT:
            offset = target - control[TEXT]
            inside = offset >= 0 and offset >> 1 < hart.code.shape[0]
            words[place + 1] = node_number(hart, offset >> 1) if inside else NOT_ACCESSED
            patches[numbers[PATCHES]] = place + 1
            numbers[PATCHES] += 1
        place += 2
    elif kind == SCALAR:
        words[place] = ADDRESS
        words[place + 1] = address - control[BASE]
        place += 2
    elif ARITHMETIC <= kind <= ONE:
        place = _write_counts(hart, nodes, words, columns, place)
    elif kind == SPAN:
        place = _write_spans(hart, nodes, words, columns, row, place)
    elif kind == LISTED:
        place = _write_lists(hart, nodes, words, columns, place, control[BASE])
    elif kind == ENTRIES:
        place = _write_lists(hart, nodes, words, columns, place, 0)
    numbers[PLACE] = place


def _write_counts(hart: Any, nodes: Any, words: Any, columns: Any, place: Any) -> Any:
    """Write the groups of each part of an arithmetic instruction; return the next place."""
    vl, groups, passing = hart.control[VL], nodes[columns + GROUPS], nodes[columns + PASSING]
    if nodes[columns + COUNTED] != vl + 1:
        _count(nodes, columns, vl)
    left, ending = nodes[columns + LEFT], nodes[columns + ENDING]
    for _ in range(nodes[columns + PARTS]):
        words[place] = COUNT
        words[place + 1] = smaller(left, groups)
        if 0 < left <= groups:
            words[place + 1] |= ending << ENDING_AT
        left = larger(left - groups, 0)
        place += 2
    if passing > 0:
        rest = _timed_elements(nodes, columns, passing, 1)
        for part in range(passing):
            place = _write_groups(nodes, words, columns, place, rest, part)
    return place


def _count(nodes: Any, columns: Any, vl: Any) -> None:
    """Note how many groups an arithmetic instruction has with a vl, and how it ends."""
    count, each = _timed_elements(nodes, columns, nodes[columns + PARTS], vl), nodes[columns + PER_GROUP]
    if nodes[columns + FIXED_BYTES] > 0:
        count = nodes[columns + FIXED_BYTES]
    if nodes[columns + KIND] == ONE:
        count = 1
    left = (count + each - 1) // each
    nodes[columns + COUNTED], nodes[columns + LEFT] = vl + 1, left
    nodes[columns + ENDING] = _ending(count, left * each)


def _timed_elements(nodes: Any, columns: Any, parts: Any, count: Any) -> Any:
    """Return how many elements of ``parts`` registers take time if an instruction has ``count``."""
    if nodes[columns + WHOLE] > 0 and count > 0:
        return parts * nodes[columns + GROUPS] * nodes[columns + PER_GROUP]
    return count


def _write_groups(nodes: Any, words: Any, columns: Any, place: Any, count: Any, part: Any) -> Any:
    """Write how many groups of ``count`` elements a part has, and whether it ends; return the next place."""
    each, groups = nodes[columns + PER_GROUP], nodes[columns + GROUPS]
    all_groups = (count + each - 1) // each
    left = larger(all_groups - part * groups, 0)
    words[place] = COUNT
    words[place + 1] = smaller(left, groups)
    if 0 < left <= groups:
        words[place + 1] |= _ending(count, all_groups * each) << ENDING_AT
    return place + 2


def _ending(count: Any, room: Any) -> Any:
    """Return how an instruction of ``count`` elements ends whose groups have room for ``room``."""
    return ENDS | smaller(room - count, MISSING_MASK) << 1 | _levels(count) << LEVELS_AT


def _levels(count: Any) -> Any:
    """Return the levels of a tree over this many values."""
    levels = 0
    while count - 1 >> levels > 0:
        levels += 1
    return levels


def _write_spans(hart: Any, nodes: Any, words: Any, columns: Any, row: Any, place: Any) -> Any:
    """Write groups, address and bytes of each part of an access of bytes in a row; return the next place."""
    control, fields = hart.control, nodes[columns + FIELDS_EACH]
    address = hart.x[hart.code[row, RS1]] - control[BASE]
    count, parts = control[VL] * nodes[columns + VALUE_BYTES], nodes[columns + PARTS] // fields
    if nodes[columns + FIXED_BYTES] > 0:
        count = nodes[columns + FIXED_BYTES]
    elif nodes[columns + FIXED_BYTES] < 0:
        count = (control[VL] + 7) >> 3
    group = nodes[columns + PER_GROUP] * nodes[columns + VALUE_BYTES]
    register = group * nodes[columns + GROUPS]
    passing = _timed_elements(nodes, columns, parts, count // nodes[columns + VALUE_BYTES])
    for _ in range(fields):
        left = count
        for k in range(parts):
            if nodes[columns + PASSING] > 0:
                place = _write_groups(nodes, words, columns, place, passing, k)
            part = smaller(left, register)
            words[place] = COUNT | ADDRESS | STRIDE
            words[place + 1] = (part + group - 1) // group
            words[place + 2] = address
            words[place + 3] = part
            address += part
            left -= part
            place += 4
    return place


def _write_lists(hart: Any, nodes: Any, words: Any, columns: Any, place: Any, base: Any) -> Any:
    """Write groups and addresses of each part of a strided or indexed access; return the next place.

    Addresses count from ``base``. Of products they are the rows of entries.
    """
    control, fields = hart.control, nodes[columns + FIELDS_EACH]
    size, each = nodes[columns + VALUE_BYTES], nodes[columns + PER_GROUP]
    parts, count = nodes[columns + PARTS] // fields, control[ADDRESSES]
    of_part = each * nodes[columns + GROUPS]
    passing = _timed_elements(nodes, columns, parts, count)
    for field in range(fields):
        for part in range(parts):
            if nodes[columns + PASSING] > 0:
                place = _write_groups(nodes, words, columns, place, passing, part)
            begin = smaller(part * of_part, count)
            end = smaller(begin + of_part, count)
            words[place] = COUNT | LIST
            words[place + 1] = (end - begin + each - 1) // each
            words[place + 2] = end - begin
            place += 3
            for k in range(begin, end):
                address = hart.addresses[k]
                listed = address - base + field * size
                words[place] = NOT_ACCESSED if address == -1 else listed
                place += 1
    return place
