"""A plain reader of the Chrome Trace Event Format, written from what the format's description demands."""

import gzip
import json

METADATA = {
    "process_name": ("name", str),
    "process_sort_index": ("sort_index", int),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}


def events_of(path):
    """Read the JSON Object Format and check every event; return the events."""
    content = path.read_bytes()
    document = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    assert document["displayTimeUnit"] in ("ms", "ns")
    assert isinstance(document["otherData"], dict)
    events = document["traceEvents"]
    for event in events:
        check(event)
    check_nesting(events)
    return events


def check(event):
    assert isinstance(event["name"], str) and event["name"]
    assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
    assert isinstance(event["args"], dict)
    if event["ph"] == "M":
        key, kind = METADATA[event["name"]]
        assert isinstance(event["args"][key], kind)
        return
    assert event["ph"] in ("X", "C")
    assert event["ts"] >= 0
    if event["ph"] == "X":
        assert event["dur"] >= 0
    else:
        assert event["args"] and all(isinstance(value, int | float) for value in event["args"].values())


def check_nesting(events):
    """Slices of a track lie in each other or next to each other."""
    tracks = {}
    for event in events:
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append((event["ts"], -event["dur"]))
    for track, slices in tracks.items():
        open_ends = []
        for begin, negative in sorted(slices):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            assert not open_ends or begin - negative <= open_ends[-1], (track, begin)
            open_ends.append(begin - negative)


def names(events, what):
    """Return the names of processes, by number, or of threads, by process and number."""
    actual = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == what}
    return {pid: name for (pid, _), name in actual.items()} if what == "process_name" else actual


def slices(events, group, track=None):
    """Return the slices of a group of tracks, or of one of them, by their names."""
    groups, tracks = names(events, "process_name"), names(events, "thread_name")
    return [
        event
        for event in events
        if event["ph"] == "X"
        and groups[event["pid"]] == group
        and (track is None or tracks[event["pid"], event["tid"]] == track)
    ]
