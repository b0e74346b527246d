"""Events of the Chrome Trace Event Format as lines of JSON; a cycle is a microsecond, the format's unit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from vecsim.support.shown_text import unicode_text

ISSUE, UNITS, FLIGHT, BANKS = GROUPS = range(1, 5)
"""Groups of tracks, processes in the format's words: issue; units and ports; vector instructions from issue
to retirement; banks."""

_TO_ESCAPE = re.compile("[\x7f-\uffff]")


def quoted(value: Any) -> str:
    """Write plain data as JSON on one line that every reader of the format takes.

    Perfetto's reader ends with an error at the character DEL and at the escape of a surrogate; in some of its
    versions at a letter that is neither ASCII nor escaped, too.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _TO_ESCAPE.sub(lambda letter: _escape(letter[0]), text)


def _escape(letter: str) -> str:
    shown = unicode_text(letter)
    return f"\\u{ord(letter):04x}" if shown == letter else f"\\{shown}"


def thread(group: int, track: int) -> int:
    """Return the thread of a track in the format's words: no thread or process has the number of another.

    Perfetto takes thread 0 for the thread with the number of its process, which is the process's own, and
    some of its versions find the thread of a name by its number alone.
    """
    return len(GROUPS) * (track + 1) + group


def begun(about: Mapping[str, Any]) -> str:
    """Begin a file that says this of its origin; events follow, with commas before all but the first."""
    return f'{{"displayTimeUnit":"ms","otherData":{quoted(about)},"traceEvents":[\n'


ENDED = "\n]}\n"


def slice_(name: str, group: int, track: int, begin: int, end: int, args: str) -> str:
    """Give what fills a track from ``begin`` to ``end`` (exclusive); name and args are JSON."""
    where = f'"pid":{group},"tid":{thread(group, track)},"ts":{begin},"dur":{end - begin}'
    return f'{{"ph":"X","name":{name},{where},"args":{args}}}'


def counter(name: str, group: int, cycle: int, value: int) -> str:
    """Give the value that a counter has from a cycle on."""
    where = f'"pid":{group},"tid":{thread(group, 0)},"ts":{cycle}'
    return f'{{"ph":"C","name":{quoted(name)},{where},"args":{{"banks":{value}}}}}'


def group_names(groups: Mapping[int, str]) -> list[str]:
    """Name groups of tracks, to be shown in this order; each has a track 0."""
    made = []
    for place, (group, name) in enumerate(groups.items()):
        made.append(_metadata("process_name", group, 0, {"name": name}))
        made.append(_metadata("process_sort_index", group, 0, {"sort_index": place}))
    return made


def track_name(group: int, track: int, name: str) -> list[str]:
    """Name a track; tracks of a group are shown by their numbers."""
    return [
        _metadata("thread_name", group, track, {"name": name}),
        _metadata("thread_sort_index", group, track, {"sort_index": track}),
    ]


def _metadata(what: str, group: int, track: int, args: Mapping[str, Any]) -> str:
    where = f'"pid":{group},"tid":{thread(group, track)}'
    return f'{{"ph":"M","name":"{what}",{where},"args":{quoted(args)}}}'
