"""Statements of RISC-V assembly text, in the syntax of the GNU assembler."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

from isa.text.syntax import LINES_KEPT, Argument, Name, Problem, parser_of

PARTS = ("hi", "lo", "pcrel_hi", "pcrel_lo")
"""Relocation operators."""
REST = "pcrel_rest"
"""A part that only expansions have: the low bits of a distance whose high bits the instruction before has."""
_TERMINALS = {
    "NAME.1": r"[A-Za-z_.$][\w.$]*|[0-9]+[fb](?![\w.])",
    "HALF": rf"%({'|'.join((*PARTS, REST))})(?=\()",
}
_LABEL = re.compile(r"\s*([A-Za-z_.$][\w.$]*|[0-9]+)\s*:")
_ASSIGNMENT = re.compile(r"\s*([A-Za-z_.$][\w.$]*)\s*=(?!=)")
_OPERATION = re.compile(r"\s*([\w.$]+)")
_PIECE = re.compile(r"""("(?:\\.|[^"\\])*")|('(?:\\.|[^'\\])')|(/\*)|(\#.*|//.*)|(;)""")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class Statement(NamedTuple):
    """The labels, the mnemonic or directive, and the text after it, blanks before it for its columns."""

    labels: tuple[Name, ...]
    operation: Name | None
    rest: str


def without_comments(text: str) -> str:
    """Return a text with blanks for ``/* */`` and numbers for characters; lines and columns stay."""
    pieces, at, length = [], 0, len(text)
    while at < length:
        match = _PIECE.search(text, at)
        if match is None:
            break
        pieces.append(text[at : match.start()])
        at = match.end()
        if match[3]:
            at = text.find("*/", at) + 2
            at = length if at < 2 else at
            pieces.append(re.sub(r"[^\n]", " ", text[match.start() : at]))
        elif match[2]:
            letter = match[2][1:-1]
            letter = _ESCAPES.get(letter[1], letter[1]) if len(letter) > 1 else letter
            pieces.append(str(ord(letter)).ljust(len(match[2])))
        else:
            pieces.append(match[0])
    return "".join([*pieces, text[at:]])


def statements(line: str) -> Iterator[Statement]:
    """Yield the statements of a line, which ``;`` separates."""
    begin = 0
    for match in _PIECE.finditer(line):
        if match[4] or match[5]:
            yield _statement(line[: match.start()], begin)
            begin = match.end()
            if match[4]:
                return
    yield _statement(line, begin)


def _statement(line: str, begin: int) -> Statement:
    labels = []
    while match := _LABEL.match(line, begin):
        labels.append(Name(match[1], match.start(1) + 1))
        begin = match.end()
    if match := _ASSIGNMENT.match(line, begin):
        name = Name(".set", match.start(1) + 1)
        return Statement(tuple(labels), name, f"{' ' * match.start(1)}{match[1]},{line[match.end() :]}")
    match = _OPERATION.match(line, begin)
    if match is None:
        if line[begin:].strip():
            column = len(line[:begin]) + len(line[begin:]) - len(line[begin:].lstrip()) + 1
            raise Problem(column, f"unexpected {line[begin:].lstrip()[0]!r}; expected an instruction")
        return Statement(tuple(labels), None, "")
    return Statement(
        tuple(labels), Name(match[1], match.start(1) + 1), " " * match.end() + line[match.end() :]
    )


@cache
def _parser() -> Callable[[str], Any]:
    return parser_of("arguments", octal=True, terminals=_TERMINALS)


@lru_cache(maxsize=LINES_KEPT)
def parsed_arguments(text: str) -> tuple[Argument, ...]:
    """Return what a text between commas means; Problem if it does not follow the grammar."""
    arguments: tuple[Argument, ...] = _parser()(text) if text.strip() else ()
    return arguments
