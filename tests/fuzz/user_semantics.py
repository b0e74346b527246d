"""User-defined semantics on all engines: ``python -m tests.fuzz.user_semantics --count 10000``.

Random instructions of random expressions, whose indices, shifts and quotients are often out of range. Both
engines and plain Python must come to the same bits, or to the same error on the same line. Seeds in turn
share an extension, since it takes longer to compile than to run.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from isa.assembler import assemble
from isa.declaration import EXTENSION_OPCODES, Unit
from isa.semantics.numbers import load16, load32, load64, put_vd, put_vs, put_x, store32, store64
from tests.differential.cases import Case as EngineCase
from tests.differential.comparison import End, Outcome, difference
from tests.differential.comparison import outcome as run_on
from tests.fuzz.campaign import BATCH, Case, main
from tests.fuzz.random_semantics import (
    INTEGERS,
    MEMORY,
    REGISTERS,
    SECTION,
    TABLE,
    Expressions,
    Node,
    PlainState,
    WrongError,
    fits,
    within,
)
from vecsim.engines.jit.object_files import cache
from vecsim.machine import Extension, Machine, instruction_set_of, load_machine

NAME = "user_semantics"
ENGINES = ("simpy", "jit")
FUNCTIONS = len(EXTENSION_OPCODES)
DEPTH = 4
MAX_CYCLES = 3000
WORDS = {End.RUN: "value", End.FAULT: "error", End.CRASH: "traceback"}
NAN = {"s": (0x7FC00000,), "d": (0x7FF8000000000000,)}
PROGRAM = """
    li    x1, 8
    setvl x31, x1
    lv.d  v1, 0(x0)
    lv.d  v2, 64(x0)
    lv.d  v3, 128(x0)
    li    x4, {a}
    li    x5, {b}
    li    x1, {n}
    setvl x31, x1
    {instruction}
    halt
"""
OPERANDS = {True: "v3, v1, v2, x4", False: "x6, x4, x5"}
FIELDS = {True: {"d": 3, "a": 1, "b": 2, "c": 4}, False: {"d": 6, "a": 4, "b": 5}}


@dataclass
class Statement:
    """A statement: what it does, on which values, with those within it, and its line."""

    how: str
    values: tuple[Node, ...] = ()
    blocks: tuple[list[Statement], ...] = ()
    name: str = ""
    line: int = 0


@dataclass
class Function:
    """The semantics of an instruction."""

    name: str
    is_vector: bool
    statements: list[Statement] = field(default_factory=list)


class _Statements:
    """Makes statements up."""

    def __init__(self, source: random.Random, is_vector: bool) -> None:
        self._source, self._is_vector = source, is_vector
        names = ("n", "s", "a", "b", "c", "d") if is_vector else ("s", "a", "b", "d")
        self._make = Expressions(source, names, is_vector)

    def all(self) -> list[Statement]:
        """Return the statements of a function."""
        actual = [self._let(number) for number in range(self._source.choice((0, 0, 1, 2)))]
        if self._is_vector or self._source.random() < 0.2:
            self._make.names.append("k")
            actual.append(Statement("for", blocks=(self._some(1),), name="n" if self._is_vector else "s"))
        else:
            actual += self._some(1)
        return actual

    def _let(self, number: int) -> Statement:
        kind = self._source.choice("id")
        statement = Statement("let", (self._make.any(kind, DEPTH - 1),), name=f"{kind}{number}")
        (self._make.names if kind == "i" else self._make.floats).append(statement.name)
        return statement

    def _some(self, depth: int) -> list[Statement]:
        return [self._one(depth) for _ in range(self._source.choice((1, 1, 2)))]

    def _one(self, depth: int) -> Statement:
        draw, make = self._source.random(), self._make
        if depth and draw < 0.3:
            return Statement("if", (make.any("b", 2),), (self._some(depth - 1), self._some(depth - 1)))
        changed = [name for name in (*make.names, *make.floats) if name[1:].isdigit()]
        if changed and draw < 0.45:
            name = self._source.choice(changed)
            return Statement("let", (make.any(name[0], DEPTH - 1),), name=name)
        if draw < 0.5:
            how = self._source.choice(("x", "mask", "store32", "store64"))
            return Statement(how, (make.any("i", 2), make.any("i", DEPTH)))
        if not self._is_vector:
            return Statement("put_x", (make.any("i", DEPTH),))
        how, kind = self._source.choice((("put_vs", "s"), ("put_vd", "d"), ("v", "i"), ("vw", "i")))
        return Statement(how, (self._target(how), make.any(kind, DEPTH)))

    def _target(self, how: str) -> Node:
        """Return the place of the element that is due; now and then any."""
        if self._source.random() < 0.1:
            return self._make.any("i", 2)
        width = 2 if how == "vw" else 1
        text = "(d * s + k)" if width == 1 else "(2 * (d * s + k))"
        return Node("i", text, (), lambda state: width * (state.names["d"] * SECTION + state.names["k"]))


TEXTS = {
    "let": "{name} = {0}",
    "put_x": "put_x(m, d, {0})",
    "put_vs": "put_vs(m, {0}, {1})",
    "put_vd": "put_vd(m, {0}, {1})",
    "store32": "store32(m, {0}, {1})",
    "store64": "store64(m, {0}, {1})",
    **{name: f"m.{name}[{{0}}] = {{1}}" for name in ("x", "mask", "v", "vw")},
}


def _lines(statements: Sequence[Statement], indent: str, begin: int) -> Iterator[str]:
    """Write statements, the first on a line of that number, and note their lines."""
    for statement in statements:
        statement.line = begin
        if statement.how in ("if", "for"):
            blocks = [list(_lines(statement.blocks[0], indent + "    ", begin + 1))]
            yield indent + (
                f"if {statement.values[0]}:"
                if statement.how == "if"
                else f"for k in range({statement.name}):"
            )
            yield from blocks[0]
            begin += 1 + len(blocks[0])
            for block in statement.blocks[1:]:
                yield f"{indent}else:"
                lines = list(_lines(block, indent + "    ", begin + 1))
                yield from lines
                begin += 1 + len(lines)
        else:
            yield indent + TEXTS[statement.how].format(*statement.values, name=statement.name)
            begin += 1


@dataclass(frozen=True)
class Group:
    """An extension that some seeds share: its functions, its text, and a machine with it."""

    functions: tuple[Function, ...]
    text: str
    file: str
    machine: Machine


@lru_cache(maxsize=2)
def group(number: int) -> Group:
    """Return the extension of a number, the same for ever."""
    source = random.Random(f"{NAME} of {number}")
    functions, lines = [], list[str]()
    for place in range(FUNCTIONS):
        is_vector = place % 2 == 1
        function = Function(f"f{place}", is_vector, _Statements(source, is_vector).all())
        lines += [f"def {function.name}(m, n, {', '.join(FIELDS[is_vector])}):", "    s = m.section"]
        lines += _lines(function.statements, "    ", len(lines) + 1)
        functions.append(function)
    text, file = "\n".join(lines) + "\n", f"own-{number}.py"
    space: dict[str, Any] = {"np": np, "TABLE": TABLE}
    space |= {
        each.__name__: each for each in (load16, load32, load64, put_vd, put_vs, put_x, store32, store64)
    }
    exec(compile(text, file, "exec"), space)
    own = Extension("own", "random instructions")
    for opcode, function in zip(EXTENSION_OPCODES, functions, strict=True):
        syntax = "vd=*, va*, vb*, xc" if function.is_vector else "xd=, xa, xb"
        unit = Unit.ADD if function.is_vector else Unit.SCALAR
        own.instruction(function.name, opcode, syntax, "", unit=unit)(space[function.name])
    machine = load_machine("vs2003", {"section_size": SECTION, "vector_registers": REGISTERS}, [own])
    return Group(tuple(functions), text, file, machine)


@dataclass(frozen=True)
class SemanticsFuzzer:
    """Makes instructions and states up, and compares what comes of them, as `tests.fuzz.campaign` runs it."""

    name: str = NAME

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever: an instruction of its group, and a state."""
        source = random.Random(f"{self.name} {seed}")
        document = {
            "group": seed // BATCH,
            "function": seed % FUNCTIONS,
            "a": _scalar(source),
            "b": _scalar(source),
            "n": source.choice((SECTION, source.randint(0, SECTION))),
            "memory": b"".join(_container(source) for _ in range(MEMORY // 8)).hex(),
        }
        return Case("case.json", json.dumps(document).encode())

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Run a case on the engines and in plain Python, and compare."""
        document: dict[str, Any] = json.loads(case.data)
        shared = group(document["group"])
        function = shared.functions[document["function"]]
        instruction = f"{function.name} {OPERANDS[function.is_vector]}"
        text = PROGRAM.format(instruction=instruction, **document)
        instruction_set = instruction_set_of(shared.machine.extensions)
        program = assemble(text, file="case.s", instruction_set=instruction_set)
        memory = np.frombuffer(bytes.fromhex(document["memory"]), np.uint8)
        built = EngineCase(program, memory.copy(), shared.machine, timeline=False, max_cycles=MAX_CYCLES)
        with _as_they_are():
            interpreted, compiled = (run_on(built, engine) for engine in ENGINES)
        differs = difference(program, interpreted, compiled, ENGINES)
        wrong = str(differs) if differs is not None else _unlike_plain(shared, function, document, compiled)
        return WORDS[compiled.end], f"{wrong}\n{_text_of(shared, function)}" if wrong else ""


@contextmanager
def _as_they_are() -> Iterator[None]:
    """Take instructions whatever they declare, and keep none of their compiled code: it displaces other."""
    write = cache.write

    def write_others(name: str, content: bytes) -> None:
        if not name.startswith("own-"):
            write(name, content)

    with (
        mock.patch("vecsim.engines.user_instructions.undeclared_effect", lambda row: ""),
        mock.patch("vecsim.engines.jit.object_files.cache.write", write_others),
    ):
        yield


def _unlike_plain(shared: Group, function: Function, document: dict[str, Any], actual: Outcome) -> str:
    """Return where engines and plain Python differ; empty if they do not."""
    state = PlainState(
        [0] * 32,
        np.zeros(SECTION * REGISTERS, np.int64),
        bytearray.fromhex(document["memory"]),
        [0] * SECTION,
        {"n": document["n"], "s": SECTION, **FIELDS[function.is_vector]},
    )
    state.v[SECTION : 4 * SECTION] = struct.unpack_from(f"<{3 * SECTION}q", state.memory)
    state.x[1], state.x[2], state.x[4], state.x[5] = document["n"], MEMORY, document["a"], document["b"]
    state.x[31] = document["n"]
    try:
        with np.errstate(all="ignore"):
            execute(function.statements, state)
    except WrongError as error:
        end = f"{function.name}: {shared.file}:{error.line}: {error.reason}"
        return "" if actual.message.endswith(end) else f"plain: {end}\nengines: {actual.message or 'a value'}"
    if actual.end != End.RUN:
        return f"plain: a value\nengines: {actual.message}"
    for name, values in (("x", state.x), ("v", state.v), ("memory", state.memory), ("mask", state.mask)):
        theirs = actual.facts[f"state {name}"]
        if not np.array_equal(np.asarray(list(values), theirs.dtype), theirs):
            return f"plain: {name} {list(values)}\nengines: {theirs.tolist()}"
    return ""


def execute(statements: Sequence[Statement], state: PlainState) -> None:
    """Execute statements on a state.

    Raises
    ------
    WrongError
        They end in an error.
    """
    for statement in statements:
        if statement.how == "for":
            for k in range(state.names[statement.name]):
                state.names["k"] = k
                execute(statement.blocks[0], state)
        elif statement.how == "if":
            execute(statement.blocks[0 if _values(statement, state)[0] else 1], state)
        else:
            _put(statement, state)


def _values(statement: Statement, state: PlainState) -> list[Any]:
    """Evaluate what a statement has; of an assignment what is assigned comes first."""
    try:
        if TEXTS.get(statement.how, "").startswith("m."):
            value = statement.values[1].value(state)
            return [statement.values[0].value(state), value]
        return [each.value(state) for each in statement.values]
    except WrongError as error:
        error.line = statement.line
        raise


def _put(statement: Statement, state: PlainState) -> None:
    values = _values(statement, state)
    try:
        _write(statement.how, statement.name, values, state)
    except WrongError as error:
        error.line = statement.line
        raise


def _write(how: str, name: str, values: list[Any], state: PlainState) -> None:
    if how == "let":
        state.names[name] = values[0]
    elif how == "put_x":
        state.x[state.names["d"]] = (values[0] + (1 << 31)) % (1 << 32) - (1 << 31)
    elif how.startswith("store"):
        size = int(how.removeprefix("store")) // 8
        begin = within(values[0], MEMORY - size + 1)
        state.memory[begin : begin + size] = (values[1] % (1 << 8 * size)).to_bytes(size, "little")
    else:
        _write_element(how, *values, state)


def _write_element(how: str, index: int, value: Any, state: PlainState) -> None:
    if how in ("put_vs", "put_vd"):
        kind = how[-1]
        place = within(index, len(state.v))
        container = struct.pack("<f4x" if kind == "s" else "<d", value) if value == value else None
        state.v[place] = NAN[kind][0] if container is None else struct.unpack("<q", container)[0]
        return
    place = within(index, len(state.array(how)))
    if how == "mask":
        if not 0 <= value < 256:
            raise WrongError("OverflowError: the value does not fit into 8 bits")
        if value > 1:
            raise WrongError("ValueError: an element of the mask is 0 or 1")
    elif how != "v":
        fits(value, 32)
    if how == "x" and place == 0 and value != 0:
        raise WrongError("ValueError: x0 is always 0")
    state.array(how)[place] = value


def _scalar(source: random.Random) -> int:
    value = source.choice((*INTEGERS, source.randrange(-20, 20), source.randrange(-(1 << 31), 1 << 31)))
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def _container(source: random.Random) -> bytes:
    """Return an element of a register: an integer, a float of either size, or any bits."""
    return source.choice(
        (
            struct.pack("<q", source.choice(INTEGERS)),
            struct.pack("<q", source.randrange(-9, 100)),
            struct.pack("<f4x", source.choice((0.0, -0.0, 1.5, source.gauss(0, 9), 3e38, float("inf")))),
            struct.pack("<d", source.choice((0.0, -1.0, source.gauss(0, 9), 1e308, float("nan")))),
            source.randbytes(8),
        )
    )


def _text_of(shared: Group, function: Function) -> str:
    lines = shared.text.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith(f"def {function.name}("))
    end = next(
        (number for number in range(begin + 1, len(lines)) if lines[number].startswith("def ")), len(lines)
    )
    return "\n".join(lines[begin:end])


FUZZER = SemanticsFuzzer()

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
