"""Harwell-Boeing files, right and wrong: ``python -m tests.fuzz.harwell_boeing --count 10000``."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise

from tests.data.plain_formats import NoFormat, fields
from tests.data.plain_readers import Plain, harwell_boeing
from tests.fuzz.campaign import Case, Fuzzer, main
from tests.fuzz.damage import damaged

KINDS = (
    "RUA",
    "RUA",
    "RSA",
    "RZA",
    "RRA",
    "PUA",
    "PSA",
    "CUA",
    "CSA",
    "CHA",
    "IUA",
    "ISA",
    "rua",
    "Rsa",
    "RUE",
    "XUA",
    "R",
)
TITLES = (
    "Title",
    "",
    "Ti\x85tle",
    "Ti\x0ctle",
    "Ti\x1ctle",
    "T\xa0\xff",
    "1" * 72,
    "a\tb",
    "\x0b",
    "x" * 200,
    "\r",
    "\0",
)
REALS = (
    "150", "-150", "1.5", "-1.5", ".5", "5.", "0", "1.5E2", "1.5E+02", "1.5D-3", "1.5+100", "1.5-100",
    "150E2", "15d1",
    "1.5E 02", "1.5E  +2", "+3", "00012", "1E-400", "9007199254740993", ".1000000000000000055511",
    "123456789012345678",
)  # fmt: skip
INTEGERS = ("1", "-7", "+3", "0", "007", "999999999999999999")
WRONG = (
    "", "x", "1.2.3", "1_0", "1 0", "- 1", "1.5E", "1.5E+", "E5", ".", "-", "nan", "inf", "0x10",
    "1,5", "1e5.5", "1.5F2",
    "*****", "1.5Q2", "1E400", "\t1", "1\t", "\x85", "\xb2", "1.0-", "--1", "9999999999999999999",
    "1E99999999999999",
)  # fmt: skip
FORMATS = (
    "(1{})",
    "(2{})",
    "(3{})",
    "({})",
    "(4{})",
    "(8{})",
    "(1P,2{})",
    "(1P2{})",
    "(-2P,3{})",
    "(2(1P{}))",
    "(2({}))",
    "(0P,3{})",
    "( 2 {} )",
    "(1P,2(2{}))",
    "(2X,{})",
    "({}/)",
    "(2({},1X))",
    "(2({},2X))",
    "({0},1P,{0})",
    "(T3,2{})",
    "({0},2({0}))",
    "(1X,2({}))",
    "(bn,sp,2{})",
    "(2{}:)",
    "({}//)",
    "({0},/,{0})",
    "(TR1,{},TL1)",
)
OF_INTEGERS = (
    "({}I{})", "({}I{})", "( {} i {} )", "({}I{}.1)", "(1X,{}I{})", "({}(1X,I{}))", "({}I{}/)",
    "(I{1},{0}(I{1}))",
    "({}(I{},2X))", "(T2,{}I{})", "(2({}I{}))", "(1x, {} i{})",
)  # fmt: skip
WRONG_FORMATS = (
    "",
    "({}",
    "{}",
    "(2X{})",
    "(2{},I3)",
    "(0{})",
    "({},)",
    "(BZ,{})",
    "(DC,{})",
    "({},2(1X))",
    "({},'a')",
    "(*({}))",
    "(1P,{},A)",
    "(A{})",
    "((2{}))x",
    "(99999{})",
    "(2({})",
    "(P{})",
)
DESCRIPTORS = ("F{}.{}", "E{}.{}", "D{}.{}", "G{}.{}", "ES{}.{}", "E{}.{}E3", "EN{}.{}", "f{}.{}")
WRONG_DESCRIPTORS = ("F{}", "E{}", "F0.{}", "Z{}.{}", "F{}.", "D", "E{}.{}E")


@dataclass
class Block:
    """Numbers to be written, and the format in which."""

    words: list[str]
    format: str

    def lines(self, source: random.Random) -> list[str]:
        if not self.words:
            return []
        try:
            edits, count = fields(self.format, len(self.words))
        except NoFormat:
            edits, count = fields("(2F20.2)", len(self.words))
        rows = [[] for _ in range(count)]
        for edit, word in zip(edits, self.words, strict=True):
            row = rows[edit.line]
            row += " " * (edit.column + edit.width - len(row))
            aligned = source.choice((word.rjust, word.rjust, word.rjust, word.ljust))(edit.width)
            row[edit.column : edit.column + edit.width] = aligned[: edit.width]
        results = ["".join(row) for row in rows]
        return [row.rstrip() if source.random() < 0.3 else row for row in results]


def make(source: random.Random) -> Case:
    """Make up a file: right in every way that comes to mind, then often with one thing wrong, or several."""
    kind = source.choice(KINDS)
    rightly = source.random() < 0.4
    columns = source.choice((1, 2, 3, 5))
    rows = source.choice((columns, columns, 1, 4)) if kind[1:2].upper() in "UR" else columns
    pointers, indices = _pattern(source, kind, rows, columns)
    count = len(indices) * (2 if kind[:1].upper() == "C" else 1)
    values = [] if kind[:1].upper() == "P" else [source.choice(REALS) for _ in range(count)]
    if kind.upper() == "CHA":
        _make_diagonal_real(source, pointers, indices, values)
    blocks = [
        _integers(source, [str(number) for number in pointers]),
        _integers(source, [str(number) for number in indices]),
        _reals(source, values, kind, rightly),
    ]
    if not rightly:
        for block in blocks:
            while block.words and source.random() < 0.15:
                number = source.choice((*WRONG, "0", str(rows + 1), str(source.choice(REALS))))
                block.words[source.randrange(len(block.words))] = number
    data = _text(source, kind, (rows, columns, len(indices)), blocks, rightly).encode("latin-1", "replace")
    if not rightly:
        data = damaged(source, data, source.choice((0, 0, 1, 1, 2, 4)))
    return Case(source.choice(("case.rua", "case.rb", "case.psa")), data)


def _pattern(source: random.Random, kind: str, rows: int, columns: int) -> tuple[list[int], list[int]]:
    """Return column pointers and row indices, from 1, as a symmetry allows them most of the time."""
    first = {"S": 0, "H": 0, "Z": 1}.get(kind[1:2].upper())
    pointers, indices = [1], []
    for column in range(columns):
        lowest = 0 if first is None or source.random() < 0.02 else column + first
        places = list(range(lowest, rows))
        indices += [source.choice(places) + 1 for _ in range(source.choice((0, 1, 1, 2))) if places]
        pointers.append(len(indices) + 1)
    return pointers, indices


def _make_diagonal_real(
    source: random.Random, pointers: list[int], indices: list[int], values: list[str]
) -> None:
    for column, (start, end) in enumerate(pairwise(pointers)):
        for place in range(start - 1, end - 1):
            if indices[place] == column + 1 and source.random() < 0.95:
                values[2 * place + 1] = "0"


def _integers(source: random.Random, words: list[str]) -> Block:
    repeat, width = source.choice((1, 2, 4, 10)), source.choice((2, 4, 8))
    return Block(words, source.choice(OF_INTEGERS).format(repeat, width))


def _reals(source: random.Random, words: list[str], kind: str, rightly: bool) -> Block:
    width, decimals = source.choice((20, 20, 25)), source.choice((0, 2, 5, 16))
    descriptor = source.choice(DESCRIPTORS if rightly or source.random() < 0.95 else WRONG_DESCRIPTORS)
    outer = source.choice(FORMATS if rightly or source.random() < 0.95 else WRONG_FORMATS)
    if kind[:1].upper() == "I" or source.random() < 0.05:
        words, descriptor = [source.choice(INTEGERS) for _ in words], "I{}"
    return Block(words, outer.format(descriptor.format(width, decimals)))


def _text(
    source: random.Random, kind: str, sizes: tuple[int, int, int], blocks: list[Block], rightly: bool
) -> str:
    bodies = [block.lines(source) for block in blocks]
    counts = [len(body) for body in bodies]
    right_hand_sides = source.choice((0, 0, 0, 1))
    announced = [sum(counts) + right_hand_sides, *counts, right_hand_sides]
    numbers = [*announced, *sizes, 0]
    if not rightly and source.random() < 0.15:
        numbers[source.randrange(len(numbers))] += source.choice((1, -1, 10**6, 10**12))
    cards = [str(number).rjust(14) for number in numbers]
    if not rightly and source.random() < 0.05:
        cards[source.randrange(len(cards))] = source.choice(WRONG).rjust(14)[:14]
    if source.random() < 0.2 and not right_hand_sides:
        cards[4] = ""
    lines = [
        source.choice(TITLES).ljust(72) + "KEY",
        "".join(cards[:5]),
        kind.ljust(14) + "".join(cards[5:]),
        f"{blocks[0].format:16}{blocks[1].format:16}{blocks[2].format:20}",
        *(["F".ljust(14) + "1".rjust(14)] if right_hand_sides else []),
        *(line for body in bodies for line in body),
        *(["1.0 2.0"] * right_hand_sides),
    ]
    end = source.choice(("\n", "\n", "\r\n"))
    return end.join(lines) + source.choice((end, end, "", end + end))


def judge(case: Case) -> Plain:
    """Read with the plain reader."""
    return harwell_boeing(case.data)


FUZZER = Fuzzer("harwell_boeing", make, judge)

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
