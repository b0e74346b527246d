"""Program files (.vsx), right and wrong: ``python -m tests.fuzz.program_files --count 10000``."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from isa import binary
from isa.assembler import assemble
from tests.fuzz.assembly import difference
from tests.fuzz.campaign import Case, main
from tests.fuzz.commands import CommandFuzzer
from tests.fuzz.damage import damaged

TEXT = """
.equ N, 4
start:  li x5, 100000
loop:   lw x6, 4(x5)
        addi x5, x5, N
        bnez x5, loop
        halt
        .data 4096
table:  .word 1, 2, 3
        .data 8192
        .double 1.5
"""
RIGHT = binary.dump(assemble(TEXT))
STRANGE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 5, 2**31, 2**32, 2**63, 2**64, 10**400, 1.5, float("nan"), float("inf"), "",
    "x", "00000000", "ffffffff", "0000000G", "\x1b[1m", "\n", "a\nb", "\ud800", "\u202e", [], [[]], {},
    [[0xE0, "twice", "xd=, xa", "mine"]], [[0xE0, "twice", "xd=, xa", 1]],
    {"a": 1}, [1, 2], [4096, "AAAA"], [0, "!"], [-1, ""], [2**31 - 1, "AAAA"], [True, ""], ["f", 1, "t"],
    ["f", 10**30, "t"], "x" * 900,
)  # fmt: skip
KEYS = (
    "start",
    "loop",
    "x5",
    "1",
    "a b",
    "",
    "VALUE_BYTES",
    "\x1b[1m",
    "a\nb",
    "\u00e4",
    ".data",
    "add",
    "main",
    "N",
)
WORDS = ("00000000", "ffffffff", "0b000000", "13000000", "01234567", "e0000000", "14001fff", "1400e000")


def make(source: random.Random) -> Case:
    """Change a program file: values of its entries, or its bytes."""
    fields = json.loads(RIGHT)
    for _ in range(source.choice((0, 0, 1, 1, 2))):
        _change(source, fields)
    text = json.dumps(fields, indent=source.choice((None, 1)), sort_keys=source.random() < 0.5)
    data = text.encode()
    if source.random() < 0.3:
        data = damaged(source, data, source.choice((1, 1, 2, 4)))
    if source.random() < 0.02:
        data = source.choice((b"[" * 100_000, b'{"words": ' * 5_000, b"1" * 5_000, b"\xff\xfe{", b"{}", b""))
    return Case("case.vsx", data)


def _change(source: random.Random, fields: dict[str, Any]) -> None:
    key = source.choice(
        ("words", "words", "symbols", "symbols", "source", "data", "entry", "version", "format", "own", "x")
    )
    value = fields.get(key)
    way = source.random()
    if key == "words" and isinstance(value, list) and way < 0.8:
        value[source.randrange(len(value))] = (
            source.choice(WORDS) if way < 0.6 else f"{source.getrandbits(32):08x}"
        )
    elif isinstance(value, list) and value and way < 0.6:
        value[source.randrange(len(value))] = source.choice(STRANGE)
    elif isinstance(value, list) and value and way < 0.8:
        del value[source.randrange(len(value))]
    elif isinstance(value, dict) and way < 0.9:
        value[source.choice(KEYS)] = source.choice((0, 1, 2, 4096, 10**9, -5, source.choice(STRANGE)))
    else:
        fields[key] = source.choice(STRANGE)


def arguments(case: Case, path: Path) -> list[str]:
    """Disassemble it."""
    return ["disasm", str(path)]


def check(case: Case, path: Path, out: str) -> str:
    """The text assembles to the same program."""
    return difference(path)


FUZZER = CommandFuzzer("program_files", make, arguments, check)

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
