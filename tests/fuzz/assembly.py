"""Assembly text, right and wrong: ``python -m tests.fuzz.assembly --count 10000``."""

from __future__ import annotations

import random
import re
from pathlib import Path

from isa import binary
from isa.assembler import assemble
from isa.directives import DIRECTIVES
from isa.instructions import BASE
from isa.program import Program
from isa.pseudo import PSEUDO_INSTRUCTIONS
from programs.registry import PROGRAMS
from tests.fuzz.campaign import Case, main
from tests.fuzz.commands import OUTPUT, CommandFuzzer, called
from tests.fuzz.damage import damaged
from tests.included_texts import whole_text

FILES = tuple(program.text(schedule).file for program in PROGRAMS.values() for schedule in program.schedules)
TEXTS = {path.read_text(encoding="utf-8"): whole_text(path) for path in FILES}
"""Texts as they are, with what they include."""
SYNTAXES = tuple(f"{row.mnemonic} {row.syntax}".strip() for row in BASE.instructions)
PSEUDO_SYNTAXES = tuple(row.syntax for row in PSEUDO_INSTRUCTIONS)
OPERAND = re.compile(r"\b(?:(value)|(target|label|t\d+)|([xfvs])[a-z0-9]+[=+*]*|[iu]\d+)(?![a-z0-9])")
SYMBOL = re.compile(r"\b[A-Z][A-Z_]*\b")
REGISTERS = {"x": ("x0", "x5", "x31", "zero"), "f": ("f0", "f31"), "v": ("v0", "v7", "v31"), "s": ("vl",)}
NAMES = ("a", "b", "start", "loop", "X", "ROWS", "VALUE_BYTES", "_", "a.b")
NUMBERS = ("0", "1", "2", "4", "8", "0x10", "0b11", "100", "-1", "4096", "8191", "65536")
STRANGE = (
    "x32", "v99", "f", "xx", "(x5)", "4(x5)", "a(x5)", "4(a)", "1.5", "1e5", "1e400", "nan", "-inf", "0x",
    "0b2", "9" * 19, "9" * 66, "9" * 400, "0x" + "f" * 16, "0x" + "f" * 17, "1/0", "1%0", "1<<63", "1<<64",
    "1>>-1", "%hi(a)", "%lo(1<<40)", "~0", "--1", "(" * 60 + "1" + ")" * 60, "(" * 3000 + "1" + ")" * 3000,
    "-" * 3000 + "1", "+".join(["1"] * 3000), "a+", "", ",", "1 2", "\u0664", "\u00e4", '"text"', "'c'",
    "x5, x5", "2147483647", "2147483648", "4294967295", "4294967296", "-2147483649", "1 << 62 << 1", "X",
    '"hism/walk.s"', '"case.s"', '"."',
    "ROWS * COLS", "undefined", "\x1b[1m", "a:", ".", ".data", "1" + " " * 3000, "a" * 900,
)  # fmt: skip
LINES = (
    "loop:",
    "start:",
    "a: b:",
    "",
    "# text",
    "// text",
    "; text",
    ".text",
    ".data",
    ".data 4096",
    "x5:",
    "1:",
)


def make(source: random.Random) -> Case:
    """Make up a text, of lines of a program and others, often with something wrong."""
    rightly = source.random() < 0.4
    if source.random() < 0.25:
        text = source.choice(list(TEXTS))
    else:
        text = "\n".join(_line(source, rightly) for _ in range(source.choice((1, 3, 6, 12)))) + "\n"
        if rightly:
            text = "start:\nloop:\n.equ X, 3\n.equ ROWS, 5\n" + text
    data = text.encode("utf-8", "surrogatepass")
    if not rightly and source.random() < 0.5:
        data = damaged(source, data, source.choice((1, 1, 2, 4)))
    return Case("case.s", data, _definitions(source, text, rightly))


def _definitions(source: random.Random, text: str, rightly: bool) -> tuple[str, ...]:
    """Return the symbols that the text of a program expects, and perhaps strange ones."""
    code = re.sub(r"#.*", "", TEXTS.get(text, ""))
    own = {"VALUE_BYTES", *re.findall(r"\.equ (\w+)", code)}
    given = [f"{name}={source.choice('1248')}" for name in sorted({*SYMBOL.findall(code)} - own)]
    if not rightly and source.random() < 0.2:
        given.append(f"{source.choice(NAMES)}={source.choice(STRANGE)}".replace("\0", ""))
    return tuple(word for one in given for word in ("--define", one))


def _line(source: random.Random, rightly: bool) -> str:
    kind = source.random()
    if kind < 0.15:
        return source.choice(LINES[3:7] if rightly else LINES)
    if kind < 0.3:
        return _directive(source, rightly)
    mnemonic, _, operands = source.choice(SYNTAXES if kind < 0.8 else PSEUDO_SYNTAXES).partition(" ")
    return f"    {mnemonic} {OPERAND.sub(lambda actual: _operand(source, actual, rightly), operands)}"


def _operand(source: random.Random, actual: re.Match[str], rightly: bool) -> str:
    if not rightly and source.random() < 0.1:
        return source.choice(STRANGE)
    if actual[2]:
        return source.choice(("loop", "start"))
    if actual[3]:
        return source.choice(REGISTERS[actual[3]][: 3 if rightly else 4])
    return source.choice(NUMBERS[:4]) if rightly else _expression(source, 2)


def _directive(source: random.Random, rightly: bool) -> str:
    if rightly:
        return source.choice(
            (".data\n.word 1, 2\n.text", ".data\n.align 8\n.double 1.5\n.space 12\n.text", "")
        )
    directive = source.choice(DIRECTIVES)
    first = (source.choice(NAMES),) if "NAME" in directive.arguments else ()
    more = (_expression(source, 2) for _ in range(source.choice((0, 1, 1, 2, 3))))
    before = ".data\n" if source.random() < 0.5 else ""
    return f"{before}{directive.name} {', '.join((*first, *more))}"


def _expression(source: random.Random, depth: int) -> str:
    if not depth or source.random() < 0.5:
        return source.choice((*NUMBERS, *NUMBERS, *NAMES, source.choice(STRANGE)))
    operator = source.choice(("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", " - "))
    return f"({_expression(source, depth - 1)}{operator}{_expression(source, depth - 1)})"


def arguments(case: Case, path: Path) -> list[str]:
    """Assemble it, and list it."""
    return ["asm", str(path), "--listing", "-o", str(path.with_name(f"{OUTPUT}.vsx")), *case.arguments]


def check(case: Case, path: Path, out: str) -> str:
    """What is written can be read, and disassembled to text that assembles to the same."""
    return difference(path.with_name(f"{OUTPUT}.vsx"))


def difference(file: Path) -> str:
    """Return how a program file differs from what its disassembly assembles to; empty if it does not."""
    program = binary.load(file.read_bytes())
    code, out, err = called(["disasm", str(file)])
    if code or err:
        return f"disasm ends with {code}: {err!r}"
    return "" if _parts(assemble(out)) == _parts(program) else f"disasm gives another program: {out!r}"


def _parts(program: Program) -> tuple[list[int], int, list[tuple[int, bytes]]]:
    data = [(segment.address, segment.content) for segment in program.data if segment.content]
    return program.words.tolist(), program.entry, data


FUZZER = CommandFuzzer("assembly", make, arguments, check, lines=3)

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
