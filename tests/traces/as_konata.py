"""Read the Kanata log format as Konata does, in plain Python: what it makes of a file is what it draws.

Written from onikiri_parser and konata_renderer of Konata, both those of its desktop and of its web version.
"""

import gzip
import re
from dataclasses import dataclass, field


@dataclass
class Shown:
    """An instruction in a line: labels; stages by lane as [name, begin, end], in turn; its arrows."""

    number: int
    thread: int
    begin: int
    left: str = ""
    hover: str = ""
    lanes: dict = field(default_factory=dict)
    producers: list = field(default_factory=list)
    end: int | None = None
    place: int | None = None
    produces: int | None = None
    """Where an arrow that leads to others begins: the cycle before the end of a stage with an X."""
    consumes: int | None = None
    """Where arrows that lead to it end: at the beginning of a stage with an X."""


def read_konata(content, name):
    """Return the instructions in the order of their lines; each line of a file is understood."""
    text = (gzip.decompress(content) if re.search(r"\.gz$", name, re.IGNORECASE) else content).decode("utf-8")
    header, *lines = text.removesuffix("\n").split("\n")
    assert header.startswith("Kanata")
    cycle, actual = 0, {}
    for line in lines:
        command, *rest = line.removesuffix("\r").split("\t")
        if command == "C=":
            continue  # both versions ignore it
        if command == "C":
            cycle += int(rest[0])
            continue
        assert command in ("I", "L", "S", "E", "R", "W"), f"unknown: {line}"
        assert len(rest) == 3, f"a column is cut off: {line}"
        number = int(rest[0])
        if command == "I":
            assert number not in actual, "it is defined again"
            actual[number] = Shown(int(rest[1]), int(rest[2]), cycle)
        else:
            assert actual[number].end is None, "it has retired"
            COMMANDS[command](actual[number], cycle, *rest[1:])
    return [checked(actual, number) for number in range(len(actual))]


def checked(actual, number):
    """Check an instruction as Konata shows it: it has retired, and its arrows have both ends."""
    each = actual[number]
    assert each.end is not None and each.begin < each.end
    # Flushed instructions may be hidden: then the lines are those of the numbers of retirement.
    assert each.place == number
    each.left, each.hover = (text.replace("\\n", "\n") for text in (each.left, each.hover))
    for stages in each.lanes.values():
        assert all(end is not None for _, _, end in stages)
    assert each.consumes is not None or not each.producers
    assert all(actual[producer].produces is not None for producer in each.producers)
    return each


def _label(each, cycle, kind, text):
    if kind == "0":
        each.left += text
    else:
        assert kind == "1"
        each.hover += text


def _start(each, cycle, lane, stage):
    stages = each.lanes.setdefault(lane, [])
    if stages and stages[-1][2] is None:
        _end(each, cycle, lane, stages[-1][0])
    stages.append([stage.strip(), cycle, None])
    if "X" in stage:
        each.consumes = cycle


def _end(each, cycle, lane, stage):
    """The last stage of the name ends; end 0 is none for Konata."""
    last = next((one for one in reversed(each.lanes[lane]) if one[0] == stage.strip()), None)
    if last is not None:
        last[2] = cycle or None
        if "X" in stage:
            each.produces = cycle - 1


def _retire(each, cycle, place, kind):
    assert kind == "0"
    each.place, each.end = int(place), cycle
    for stages in each.lanes.values():
        if stages and stages[-1][2] is None:
            stages[-1][2] = cycle
        if stages and "X" in stages[-1][0]:
            each.produces = cycle - 1


def _depend(each, cycle, producer, kind):
    assert kind == "0"
    each.producers.append(int(producer))


COMMANDS = {"L": _label, "S": _start, "E": _end, "R": _retire, "W": _depend}
