"""The blocks of code in a page of the documentation: files to write, commands with what they print.

A page is executed from its text. A block ``{code-block} LANGUAGE`` with ``:caption: NAME`` is a file that its
reader writes. A block ``console`` has commands after ``$``, and below each what it prints, where ``...``
stands for anything. A block with ``:class: gpu`` or ``:class: network`` needs what the builder lacks: its
output was recorded, and the build lists it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NEEDS = ("gpu", "network")
_FENCE = re.compile(r"^(?P<fence>```+)(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.M | re.S)
_OPTION = re.compile(r":(?P<name>\w+): *(?P<value>.*)\n")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its options, its text, and the line of the page where it begins."""

    language: str
    options: dict[str, str]
    text: str
    line: int

    @property
    def needs(self) -> str:
        """Return what it needs that the builder lacks, ``gpu`` or ``network``; empty if nothing."""
        return next((need for need in NEEDS if need in self.options.get("class", "").split()), "")


@dataclass(frozen=True)
class Command:
    """A command of a console block, and what it prints."""

    command: str
    printed: str


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page, in its order."""
    results = []
    for match in _FENCE.finditer(page):
        info, body, options = match["info"].strip(), match["body"], {}
        if info.startswith("{code-block}"):
            info = info.removeprefix("{code-block}").strip()
            while option := _OPTION.match(body):
                options[option["name"]] = option["value"].strip()
                body = body[option.end() :]
            body = body.lstrip("\n") if options else body
        results.append(Block(info, options, body, page.count("\n", 0, match.start()) + 1))
    return results


def recorded_blocks(page: str) -> list[Block]:
    """Return the blocks of a page whose output was recorded elsewhere."""
    return [block for block in blocks(page) if block.needs]


def commands(block: Block) -> list[Command]:
    """Return the commands of a console block; a line that ends with a backslash goes on in the next."""
    results: list[Command] = []
    for part in re.split(r"^\$ ", block.text.replace("\\\n", ""), flags=re.M)[1:]:
        command, _, printed = part.partition("\n")
        results.append(Command(command, printed))
    return results


def matches(printed: str, shown: str) -> bool:
    """Return whether a command printed what the page shows; spaces at ends of lines do not count."""
    pieces = [re.escape(piece) for piece in _trimmed(shown).split("...")]
    return re.fullmatch(".*".join(pieces), _trimmed(printed), re.S) is not None


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
