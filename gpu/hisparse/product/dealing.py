"""Dealing the entries of a leaf to segments, so that the lanes of a warp add side by side.

A warp takes a segment of up to 128 entries at once, four entries a lane; the 32 that its lanes take together
are a *group*. Products go into sums in shared memory: by rows in the product, by columns in the transposed
one. So the entries of a segment should all be of different rows and of different columns: then a warp reads,
adds and stores all four at once, in either direction. Where that does not go, those of each group should be:
then it does so group by group. In the end there are segments where two entries of a group are of one row:
there, lanes take turns.

Along a diagonal all rows and columns differ, and lie in different banks of the shared memory. So entries are
dealt diagonal by diagonal, each to the first segment that has no other of its row and column, and there to a
group where its banks are free. An entry that finds only groups that it collides in changes places with one
of another group, if both then fit.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

SEGMENT = 128
"""The most entries of a segment."""
GROUPS = 4
"""Groups of a segment."""
LENGTH_UNIT = 8
"""Segments of a leaf but the last have a multiple of this many entries: they begin where a load may."""
SLACK, MOST_TIMES_SEGMENTS = 115, 3
"""Groups of a leaf, in percent of the entries of its fullest row; at most this many times the least."""
DISTINCT, BY_GROUPS, COLLIDING = 1, 2, 3
"""Kinds of segments, in one direction: all entries of different rows; those of each group; neither."""
WINDOW = 8
"""Segments with room that an entry is tried in."""
MOST_EXCHANGES = 256
"""Entries that a colliding one is tried to change places with."""
_OTHER = 8
"""In the lines of a group or segment: 8 words of rows, then 8 of columns."""


class Dealing(NamedTuple):
    """What is known of the segments and groups of a leaf while its entries are dealt.

    Attributes
    ----------
    room, base
        int64: free places of each group, and the next one of these.
    banks
        uint32 of 2 a group: banks of rows and of columns that are taken.
    groups, segments
        uint32 of 16 each: rows and columns that are in a group, and in a segment.
    """

    room: Any
    base: Any
    banks: Any
    groups: Any
    segments: Any


@njit(nogil=True, cache=True)
def new_dealing(segments: Any) -> Any:
    """Make room for this many segments."""
    groups = segments * GROUPS
    return Dealing(
        np.empty(groups, np.int64),
        np.empty(groups, np.int64),
        np.empty((groups, 2), np.uint32),
        np.empty((groups, 2 * _OTHER), np.uint32),
        np.empty((segments, 2 * _OTHER), np.uint32),
    )


@njit(nogil=True, cache=True)
def segment_length(halves: Any, count: Any, degrees: Any) -> Any:
    """Return how long the segments of a leaf are to be, all but the last: up to 128, a multiple of 8.

    All entries of the fullest row or column need their own group; if there are fewer groups, segments
    are made shorter, but not more than three times as many.

    Parameters
    ----------
    halves, count
        uint16: 256 row + column of each entry, and how many there are.
    degrees
        int64 of 512 to count in.
    """
    degrees[:] = 0
    for entry in range(count):
        half = np.int64(halves[entry])
        degrees[half >> 8] += 1
        degrees[256 + (half & 255)] += 1
    least = -(-count // SEGMENT)
    needed = -(-degrees.max() * SLACK // (100 * GROUPS))
    segments = max(least, min(needed, MOST_TIMES_SEGMENTS * least))
    return -(-count // (segments * LENGTH_UNIT)) * LENGTH_UNIT


@njit(nogil=True, cache=True)
def _in_segment(of_segment: Any, lane: Any, wide: Any, length: Any) -> Any:
    """Return where in a segment of this many entries a lane has that of one of its groups."""
    if wide == GROUPS:
        return lane * GROUPS + of_segment
    # Two pairs a lane: the second ones begin in the middle, at an even place.
    return of_segment // 2 * (-(-length // GROUPS) * 2) + lane * 2 + of_segment % 2


@njit(nogil=True, cache=True)
def group_of(place: Any, wide: Any, count: Any, length: Any) -> Any:
    """Return the group of a place of a leaf.

    Parameters
    ----------
    place
        Which.
    wide
        Neighbouring entries that a lane loads at once.
    count, length
        Entries of the leaf, and of its segments but the last.
    """
    segment, at = place // length, place % length
    if wide == GROUPS:
        return segment * GROUPS + at % GROUPS
    half = -(-min(length, count - segment * length) // GROUPS) * 2
    return segment * GROUPS + (at >= half) * 2 + (at % half) % 2


@njit(nogil=True, cache=True)
def _place_rooms(room: Any, base: Any, count: Any, wide: Any, length: Any) -> None:
    """Write the free places of each group, and where the first of each is."""
    for group in range(-(-count // length) * GROUPS):
        first, of_segment = group // GROUPS * length, group % GROUPS
        here = min(length, count - first)
        at = _in_segment(of_segment, 0, wide, here)
        end = here if wide == GROUPS or of_segment >= 2 else min(here, _in_segment(2, 0, wide, here))
        room[group] = max(0, -(-(end - at) // wide))
        base[group] = first + at


@njit(nogil=True, cache=True)
def _has(lines: Any, which: Any, row: Any, column: Any) -> Any:
    """Return whether a group or segment has an entry of a row or of a column."""
    in_row = lines[which, row >> 5] >> np.uint32(row & 31) & np.uint32(1)
    return in_row or lines[which, _OTHER + (column >> 5)] >> np.uint32(column & 31) & np.uint32(1)


@njit(nogil=True, cache=True)
def _add(lines: Any, which: Any, row: Any, column: Any) -> None:
    lines[which, row >> 5] |= np.uint32(1) << np.uint32(row & 31)
    lines[which, _OTHER + (column >> 5)] |= np.uint32(1) << np.uint32(column & 31)


@njit(nogil=True, cache=True)
def deal(
    halves: Any,
    count: Any,
    order: Any,
    wide: Any,
    length: Any,
    dealing: Any,
    position: Any,
    entry_at: Any,
) -> None:
    """Assign each entry of a leaf its place.

    Parameters
    ----------
    halves, count
        uint16: 256 row + column of each entry, and how many there are.
    order
        int64: the entries in the order in which they are dealt; it is used up.
    wide
        Neighbouring entries that a lane loads at once.
    length
        Entries of a segment.
    dealing
        Room for its segments.
    position, entry_at
        int64, what is written: the place of each entry, and the entry at each place.
    """
    segments = -(-count // length)
    _place_rooms(dealing.room, dealing.base, count, wide, length)
    dealing.banks[: segments * GROUPS] = 0
    dealing.groups[: segments * GROUPS] = 0
    dealing.segments[:segments] = 0
    low, colliding = 0, 0
    for index in range(count):
        entry = order[index]
        row, column = np.int64(halves[entry]) >> 8, np.int64(halves[entry]) & 255
        while not _has_room(dealing.room, low):
            low += 1
        group, collides = _choose(dealing, low, segments, row, column)
        place = dealing.base[group]
        dealing.base[group] += wide
        dealing.room[group] -= 1
        dealing.banks[group, 0] |= np.uint32(1) << np.uint32(row & 31)
        dealing.banks[group, 1] |= np.uint32(1) << np.uint32(column & 31)
        position[entry], entry_at[place] = place, entry
        if collides:
            # The order has been read so far.
            order[colliding] = entry
            colliding += 1
        else:
            _add(dealing.groups, group, row, column)
            _add(dealing.segments, group // GROUPS, row, column)
    for index in range(colliding):
        _exchange(order[index], halves, count, wide, length, dealing.groups, position, entry_at)


@njit(nogil=True, cache=True)
def _has_room(room: Any, segment: Any) -> Any:
    first = segment * GROUPS
    return room[first] or room[first + 1] or room[first + 2] or room[first + 3]


@njit(nogil=True, cache=True)
def _choose(dealing: Any, low: Any, segments: Any, row: Any, column: Any) -> Any:
    """Return the best group for an entry, and whether it collides there with another one."""
    row_bank, column_bank = np.uint32(row & 31), np.uint32(column & 31)
    best, grade, tried = -1, 0, 0
    for segment in range(low, segments):
        if not _has_room(dealing.room, segment):
            continue
        alone = not _has(dealing.segments, segment, row, column)
        for group in range(segment * GROUPS, (segment + 1) * GROUPS):
            if dealing.room[group] == 0:
                continue
            if not alone and _has(dealing.groups, group, row, column):
                this = 1
            else:
                taken = dealing.banks[group, 0] >> row_bank | dealing.banks[group, 1] >> column_bank
                this = 2 + 2 * alone + (taken & np.uint32(1) == 0)
            if this > grade:
                best, grade = group, this
        tried += 1
        if grade == 5 or tried == WINDOW:
            break
    return best, grade == 1


@njit(nogil=True, cache=True)
def _exchange(
    entry: Any,
    halves: Any,
    count: Any,
    wide: Any,
    length: Any,
    groups: Any,
    position: Any,
    entry_at: Any,
) -> None:
    """Let a colliding entry change places with one of another group, if both then collide with none."""
    row, column = np.int64(halves[entry]) >> 8, np.int64(halves[entry]) & 255
    group = group_of(position[entry], wide, count, length)
    if not _has(groups, group, row, column):
        # What it collided with has changed places.
        _add(groups, group, row, column)
        return
    for step in range(min(count, MOST_EXCHANGES)):
        place = (entry * 97 + step * 61) % count
        other, other_group = entry_at[place], group_of(place, wide, count, length)
        if other_group == group or _has(groups, other_group, row, column):
            continue
        other_row, other_column = np.int64(halves[other]) >> 8, np.int64(halves[other]) & 255
        if _has(groups, group, other_row, other_column):
            continue
        # One that collides itself leaves its lines after: they belong to others, too.
        _add(groups, group, other_row, other_column)
        _add(groups, other_group, row, column)
        position[other], entry_at[position[entry]] = position[entry], other
        position[entry], entry_at[place] = place, entry
        return


@njit(nogil=True, cache=True)
def judge(halves: Any, count: Any, wide: Any, length: Any, entry_at: Any, kinds: Any) -> None:
    """Write the kind of each segment of a leaf.

    Parameters
    ----------
    halves, count, wide, length, entry_at
        As of `deal`.
    kinds
        uint8 of 2 x segments, what is written: by rows (0) and by columns (1).
    """
    lines = np.zeros((GROUPS + 1, 2 * _OTHER), np.uint32)
    for segment in range(kinds.shape[1]):
        lines[:] = 0
        kinds[:, segment] = DISTINCT
        for place in range(segment * length, min(count, (segment + 1) * length)):
            half = np.int64(halves[entry_at[place]])
            group = group_of(place, wide, count, length) % GROUPS
            for way in range(2):
                line = half & 255 if way else half >> 8
                word, bit = way * _OTHER + (line >> 5), np.uint32(1) << np.uint32(line & 31)
                if lines[group, word] & bit:
                    kinds[way, segment] = COLLIDING
                elif lines[GROUPS, word] & bit and kinds[way, segment] == DISTINCT:
                    kinds[way, segment] = BY_GROUPS
                lines[group, word] |= bit
                lines[GROUPS, word] |= bit
