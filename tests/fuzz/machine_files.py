"""Machine files and ``--set``, right and wrong: ``python -m tests.fuzz.machine_files --count 10000``."""

from __future__ import annotations

import random
from pathlib import Path

from tests.fuzz.campaign import Case, main
from tests.fuzz.commands import OUTPUT, CommandFuzzer
from tests.fuzz.damage import damaged
from vecsim.machine import Machine, load_machine, presets, to_toml
from vecsim.machine.description import flat

PRESETS = tuple(presets())
NAMES = tuple(flat(Machine().numbers()))
RIGHT = tuple(to_toml(load_machine(name)).encode() for name in PRESETS)
STRANGE_NAMES = (
    "bank", "Banks", "latency", "latency.", ".add", "latency.add.add", "sparse_unit", "sparse_unit.p.p",
    "add", "name", "name", "based_on", '"banks"', "'latency'.add", "", " ", "=", "a b", "banks ", "__class__",
    "numbers", "model_config", "_origin", "latency.latency", "\u00e4", "\u202e", "-", "--set", "sha256",
    "x" * 900,
)  # fmt: skip
NUMBERS = ("1", "2", "3", "4", "8", "16", "32", "64", "0", "0", "5", "128", "+4", "0x10", "0b10", "1_6")
VALUES = (
    "-1", "-64", "1e3", "4.0", "4.5", "inf", "-inf", "nan", "true", "false", "True", "on", "off", "'8'",
    '"8"', "''", "8 9", "[8]", "[]", "{}", "{a = 1}", "{add = 3}", "{add = 3, add = 4}", "1979-05-27",
    "07:32:00", "1979-05-27T07:32:00Z", "9223372036854775807", "9223372036854775808", "1" * 400, "1" * 5000,
    "2147483648", "4294967296", "1_", "0x", "08", '"\\u0000"', '"\\u001b[1m"', '"\\n"', '"\\ud800"',
    '"""\na\n"""', "x", "", "[" * 300, "[" * 5000 + "]" * 5000, "{a=" * 200 + "1" + "}" * 200, "null",
    "None", "1 # more", "\u0664", "1\u00a0", '"t0"', '"vs2003"', '"mine"', '"' + "m" * 900 + '"', '"a/b"',
    '"../../etc"', '" "', '"\u202e"',
)  # fmt: skip
HEADERS = (
    "[latency]", "[latency]\nadd = 3", "[[latency]]", "[sparse_unit]\n[sparse_unit]", "[a]",
)  # fmt: skip


def make(source: random.Random) -> Case:
    """Make up a machine file and changes; most of the time one of them has something wrong."""
    rightly = source.random() < 0.35
    data = source.choice(RIGHT) if source.random() < 0.3 else _table(source, rightly)
    if not rightly and source.random() < 0.5:
        data = damaged(source, data, source.choice((1, 1, 2, 4)))
    changes = (_change(source, rightly) for _ in range(source.choice((0, 0, 1, 2))))
    return Case(source.choice(("case.toml", "case.toml", "vs2003.toml", "a b.toml")), data, tuple(changes))


def _table(source: random.Random, rightly: bool) -> bytes:
    lines = [f"based_on = '{source.choice(PRESETS)}'"] if source.random() < 0.6 else []
    names = source.sample(NAMES, source.choice((0, 1, 3, 6)))
    lines.extend(f"{name} = {_value(source, name, rightly)}" for name in names)
    if not rightly and source.random() < 0.5:
        lines.append(f"{source.choice((*STRANGE_NAMES, *NAMES))} = {source.choice((*VALUES, *NUMBERS))}")
    if not rightly and source.random() < 0.2:
        lines.insert(source.randrange(len(lines) + 1), source.choice(HEADERS))
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def _value(source: random.Random, name: str, rightly: bool) -> str:
    if rightly or source.random() < 0.6:
        return source.choice(("true", "false")) if name == "chaining" else source.choice(NUMBERS)
    return source.choice(VALUES)


def _change(source: random.Random, rightly: bool) -> str:
    name = source.choice(NAMES)
    if rightly:
        return f"{name}={_value(source, name, True)}"
    name = source.choice((name, name, source.choice(STRANGE_NAMES)))
    value = source.choice((_value(source, name, True), source.choice(VALUES)))
    text = f"{name}{source.choice(('=', '=', '=', ' = ', '==', '', ':', chr(10)))}{value}"
    return (
        damaged(source, text.encode(), source.choice((0, 0, 1))).decode("utf-8", "replace").replace("\0", "0")
    )


def arguments(case: Case, path: Path) -> list[str]:
    """Show the machine."""
    return ["machine", "show", str(path), *(word for change in case.arguments for word in ("--set", change))]


def check(case: Case, path: Path, out: str) -> str:
    """What is printed is a machine file of the same numbers."""
    shown = path.with_name(f"{OUTPUT}.toml")
    shown.write_text(out, encoding="utf-8")
    given, again = load_machine(str(path), case.arguments), load_machine(str(shown))
    return "" if again.numbers() == given.numbers() else f"what is shown is another machine: {out}"


FUZZER = CommandFuzzer("machine_files", make, arguments, check)

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
