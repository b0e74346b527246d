"""Events of the Chrome Trace Event Format as lines of JSON; a cycle is a microsecond, the format's unit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

ISSUE, UNITS, FLIGHT, BANKS = range(1, 5)
"""Groups of tracks, processes in the format's words: issue; units and ports; vector instructions from issue
to retirement; banks."""


def quoted(value: Any) -> str:
    """Write plain data as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def begun(about: Mapping[str, Any]) -> str:
    """Begin a file that says this of its origin; events follow, with commas before all but the first."""
    return f'{{"displayTimeUnit":"ms","otherData":{quoted(about)},"traceEvents":[\n'


ENDED = "\n]}\n"


def slice_(name: str, group: int, track: int, begin: int, end: int, args: str) -> str:
    """Give what fills a track from ``begin`` to ``end`` (exclusive); name and args are JSON."""
    where = f'"pid":{group},"tid":{track},"ts":{begin},"dur":{end - begin}'
    return f'{{"ph":"X","name":{name},{where},"args":{args}}}'


def counter(name: str, group: int, cycle: int, value: int) -> str:
    """Give the value that a counter has from a cycle on."""
    return f'{{"ph":"C","name":{quoted(name)},"pid":{group},"tid":0,"ts":{cycle},"args":{{"banks":{value}}}}}'


def group_names(groups: Mapping[int, str]) -> list[str]:
    """Name groups of tracks, to be shown in this order."""
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
    return f'{{"ph":"M","name":"{what}","pid":{group},"tid":{track},"args":{quoted(args)}}}'
