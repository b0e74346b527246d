"""A plain reader of the Kanata log format, version 4, written from its description."""

import gzip
from dataclasses import dataclass, field


@dataclass
class Logged:
    """An instruction: its number in the simulator, labels, stages as (lane, name, begin, end), producers."""

    number: int
    begin: int
    left: str = ""
    hover: str = ""
    stages: list = field(default_factory=list)
    open: dict = field(default_factory=dict)
    producers: list = field(default_factory=list)
    end: int | None = None


def read(path):
    """Check every line and return the instructions in the order of their numbers in the file."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    assert text.endswith("\n")
    header, *lines = text[:-1].split("\n")
    assert header == "Kanata\t0004"
    cycle, actual = None, []
    for place, line in enumerate(lines):
        command, *rest = line.split("\t")
        if command == "C=":
            assert place == 0, "C= stands after the header"
            (cycle,) = map(int, rest)
            continue
        if command == "C":
            (passed,) = map(int, rest)
            assert passed >= 1
            cycle += passed
            continue
        if command == "I":
            number, own, thread = map(int, rest)
            assert number == len(actual), "numbers in the file are given one after the other"
            assert thread == 0
            actual.append(Logged(own, cycle))
            continue
        instruction = actual[int(rest[0])]
        assert instruction.end is None, "nothing comes after the retirement of an instruction"
        _command(command, rest, instruction, cycle, actual)
    assert all(each.end is not None for each in actual)
    return actual


def _command(command, rest, instruction, cycle, actual):
    if command == "L":
        _, kind, text = rest
        assert kind in ("0", "1")
        if kind == "0":
            instruction.left += text
        else:
            instruction.hover += text
    elif command == "S":
        _, lane, stage = rest
        assert stage and lane not in instruction.open
        instruction.open[lane] = (stage, cycle)
    elif command == "E":
        _, lane, stage = rest
        name, begin = instruction.open.pop(lane)
        assert name == stage
        instruction.stages.append((int(lane), stage, begin, cycle))
    elif command == "W":
        _, producer, kind = map(int, rest)
        assert kind == 0
        instruction.producers.append(actual[producer].number)
    else:
        assert command == "R"
        number, retired, kind = map(int, rest)
        assert kind == 0 and not instruction.open
        assert retired == number, "numbers of retirement are given one after the other"
        instruction.end = cycle
