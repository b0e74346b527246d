"""Macros and repeated lines of RISC-V assembly text, as the GNU assembler has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from isa.text.places import Place, Source
from isa.text.syntax import Name, Problem

ENDS = {".macro": ".endm", ".rept": ".endr", ".irp": ".endr"}
"""Directives that begin a block of lines, with those that end it."""
DEEPEST = 20
"""How many macros may use each other, one the other."""
MOST_LINES = 1_000_000
"""Lines that macros and repetitions may make, in all."""
_WORD = re.compile(r"\s*(?:[\w.$]+\s*:\s*)*(\.\w+)")
_USE = re.compile(r"\\(@|\(\)|[A-Za-z_][\w$]*)")
_PARAMETER = re.compile(r"([A-Za-z_][\w$]*)(?::(req|vararg))?(?:\s*=\s*(.*))?")
_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|\([^()]*\)|(,)')


@dataclass
class Block:
    """Lines that are read later: the directive, the text after it, the line where it stands, the lines."""

    directive: Name
    header: str
    place: Place
    lines: list[Place] = field(default_factory=list)
    depth: int = 1

    def takes(self, place: Place) -> bool:
        """Add a line; return False if it ends the block."""
        match = _WORD.match(place.text)
        if match and match[1] in ENDS:
            self.depth += 1
        elif match and match[1] in ENDS.values():
            self.depth -= 1
        if self.depth:
            self.lines.append(place)
        return self.depth > 0

    def expanded(self, values: dict[str, str], use: Place) -> Iterator[Place]:
        """Yield the lines with the values of parameters, as lines that the line of the use includes."""
        source = Source(self.place.source.name, self.place.source.key, use)

        def value(match: re.Match[str]) -> str:
            return values.get(match[1], match[0])

        for line in self.lines:
            yield Place(line.number, _USE.sub(value, line.text), source)


class Macros:
    """The macros of a text."""

    def __init__(self) -> None:
        self._macros: dict[str, tuple[Block, list[re.Match[str]]]] = {}
        self._uses = 0
        self._lines = 0

    def define(self, block: Block) -> None:
        """Define a macro; Problem if its first line is not right."""
        name, *parameters = re.split(r"[\s,]+", block.header.strip(), maxsplit=1)
        matches = [_PARAMETER.fullmatch(each) for each in _split(parameters[0] if parameters else "")]
        if not name or None in matches:
            raise Problem(block.directive.column, "write .macro NAME parameter, parameter=default, ...")
        self._macros[name] = block, [match for match in matches if match]

    def __contains__(self, name: str) -> bool:
        """Return whether there is a macro of a name."""
        return name in self._macros

    def used(self, name: Name, rest: str, place: Place) -> list[Place]:
        """Return the lines that a macro stands for; Problem if the arguments are not right."""
        block, parameters = self._macros[name.text]
        if place.source.depth >= DEEPEST:
            raise Problem(
                name.column, f"macros use each other too deeply; at most {DEEPEST} levels are possible"
            )
        names = [match[1] for match in parameters]
        given = _split(rest)
        if len(given) == 1 < len(parameters):
            given = given[0].split()  # blanks may stand for commas
        values = {match[1]: match[3] or "" for match in parameters}
        keywords = {}
        positional = []
        for each in given:
            keyword = _PARAMETER.fullmatch(each)
            if keyword and keyword[3] is not None and keyword[1] in names:
                keywords[keyword[1]] = keyword[3]
            else:
                positional.append(each)
        if parameters and parameters[-1][2] == "vararg" and len(positional) >= len(names):
            positional[len(names) - 1 :] = [", ".join(positional[len(names) - 1 :])]
        if len(positional) > len(names):
            raise Problem(name.column, f"{name.text!r} takes {', '.join(names) or 'no arguments'}")
        values |= {key: value for key, value in zip(names, positional, strict=False) if value} | keywords
        for match in parameters:
            if match[2] == "req" and not values[match[1]]:
                raise Problem(name.column, f"{name.text!r} needs {match[1]}")
        return self.repeated(block, [{key: _bare(value) for key, value in values.items()}], name, place)

    def repeated(self, block: Block, values: list[dict[str, str]], where: Name, place: Place) -> list[Place]:
        """Return the lines of a block once for each of some values; Problem if they are too many.

        Parameters
        ----------
        block
            The lines.
        values
            What stands for each name, time by time.
        where, place
            What a mistake is about; where the directive is.
        """
        self._lines += len(block.lines) * len(values)
        if self._lines > MOST_LINES:
            raise Problem(where.column, f"macros make over {MOST_LINES:,} lines; repeat less")
        result: list[Place] = []
        for each in values:
            self._uses += 1
            result += block.expanded({"()": "", "@": str(self._uses), **each}, place)
        return result

    def repetition(self, block: Block, count: Callable[[str], int], place: Place) -> list[Place]:
        """Return the lines of ``.rept`` and ``.irp``; ``count`` evaluates a text."""
        if block.directive.text == ".rept":
            times = count(block.header)
            if not 0 <= times <= MOST_LINES:
                raise Problem(block.directive.column, f"{times} times; use 0 to {MOST_LINES:,}")
            return self.repeated(block, [{}] * times, block.directive, place)
        name, *values = _split(block.header) or [""]
        if not name.isidentifier():
            raise Problem(block.directive.column, "write .irp NAME, value, ...")
        each = [{name: _bare(value)} for value in values or [""]]
        return self.repeated(block, each, block.directive, place)


def _split(text: str) -> list[str]:
    """Return what commas separate, but for those in quotation marks and parentheses."""
    pieces, begin = [], 0
    for match in _COMMA.finditer(text):
        if match[1]:
            pieces.append(text[begin : match.start()].strip())
            begin = match.end()
    last = text[begin:].strip()
    return [*pieces, last] if pieces or last else []


def _bare(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
