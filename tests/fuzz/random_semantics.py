"""Random semantics: trees of expressions and statements, their text in Python, and what they come to.

They are evaluated here with integers of Python that are checked at each step and with floats of NumPy, and
know nothing of how vecsim evaluates its copies of the text.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

SECTION, REGISTERS, MEMORY = 8, 8, 512
TABLE = (3, -1, 4, 1 << 62, -(1 << 63), 0)
"""What semantics find in a global of their file."""
LOST = "OverflowError: the result does not fit into 64 bits"
BY_ZERO = "ZeroDivisionError: division by zero"
NEGATIVE = "ValueError: negative shift count"
INTEGERS = (
    0,
    1,
    2,
    3,
    7,
    8,
    63,
    64,
    65,
    -1,
    -2,
    -8,
    1 << 31,
    -(1 << 31),
    (1 << 53) + 1,
    1 << 62,
    (1 << 63) - 1,
)
FLOATS = (0.0, 0.5, 1.0, -2.0, 3.0, 1e300, -1e30, 2.0**31, 2.0**63)


class WrongError(Exception):
    """Semantics end in an error, with these words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, 0


@dataclass(frozen=True)
class Node:
    """An expression.

    Attributes
    ----------
    kind
        Of its value: ``i`` an integer, ``s`` a float32, ``d`` a float64, ``b`` a truth value.
    text
        A template with a place for each part.
    parts
        Other expressions, evaluated from left to right.
    evaluate
        Returns the value by a state and the values of the parts; of the parts themselves if `lazy`.
    """

    kind: str
    text: str
    parts: tuple[Node, ...] = ()
    evaluate: Callable[..., Any] = field(default=lambda state: None, compare=False)
    lazy: bool = False

    def __str__(self) -> str:
        return self.text.format(*self.parts)

    def value(self, state: PlainState) -> Any:
        """Evaluate it on a state."""
        return self.evaluate(
            state, *(self.parts if self.lazy else [each.value(state) for each in self.parts])
        )


@dataclass
class PlainState:
    """What semantics read and write, with the values of names."""

    x: list[int]
    v: npt.NDArray[np.int64]
    memory: bytearray
    mask: list[int]
    names: dict[str, Any] = field(default_factory=dict)

    def array(self, name: str) -> Any:
        """Return an array by its name in the state."""
        kinds = {"vw": np.int32, "vs": np.float32, "vd": np.float64}
        return self.v.view(kinds[name]) if name in kinds else getattr(self, name)

    def element(self, name: str, index: int) -> Any:
        """Read an element."""
        value = self.array(name)[within(index, len(self.array(name)))]
        return value if name in ("vs", "vd") else int(value)

    def load(self, address: int, size: int) -> int:
        """Read bytes as an integer; eight bytes have a sign."""
        begin = within(address, len(self.memory) - size + 1)
        return int.from_bytes(self.memory[begin : begin + size], "little", signed=size == 8)


def within(index: int, length: int) -> int:
    """Check an index."""
    if not 0 <= index < length:
        raise WrongError(f"IndexError: index {index} is not in 0 to {length - 1}")
    return index


def fits(value: int, bits: int = 64) -> int:
    """Check an integer."""
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise WrongError(LOST if bits == 64 else f"OverflowError: the value does not fit into {bits} bits")
    return value


def _divided(plain: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def function(a: int, b: int) -> int:
        if b == 0:
            raise WrongError(BY_ZERO)
        return plain(a, b)

    return function


def _shifted(plain: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def function(a: int, count: int) -> int:
        if count < 0:
            raise WrongError(NEGATIVE)
        return plain(a, min(count, 64)) if a else 0

    return function


def _power(a: int, b: int) -> int:
    if b < 0:
        raise WrongError("ValueError: an integer to a negative power")
    return a ** min(b, 64 + b % 2)


def _ratio(a: int, b: int) -> np.float64:
    if b == 0:
        raise WrongError(BY_ZERO)
    if max(abs(a), abs(b)) > 1 << 53:
        raise WrongError("OverflowError: integers above 2^53 have no exact quotient")
    return np.float64(a / b)


def _whole(value: Any) -> int:
    if value != value:
        raise WrongError("ValueError: cannot convert float NaN to integer")
    if np.isinf(value):
        raise WrongError("OverflowError: cannot convert float infinity to integer")
    return fits(int(value))


def _item(index: int) -> int:
    if not -len(TABLE) <= index < len(TABLE):
        raise WrongError("IndexError: index out of range")
    return TABLE[index]


OF_TWO: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "//": _divided(operator.floordiv), "%": _divided(operator.mod),
    "<<": _shifted(operator.lshift), ">>": _shifted(operator.rshift), "**": _power,
}  # fmt: skip
OF_ONE = {"-{}": operator.neg, "~{}": operator.invert, "abs({})": abs}
OF_FLOATS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
COMPARED = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
FLOAT = {"s": np.float32, "d": np.float64}


class Expressions:
    """Makes expressions up.

    Parameters
    ----------
    source
        Of random numbers.
    names
        Integers that may be named.
    vectors
        Whether elements of vector registers may be read.
    """

    def __init__(self, source: random.Random, names: Sequence[str], vectors: bool) -> None:
        self._source, self.names, self.floats = source, list(names), list[str]()
        self._vectors = vectors

    def any(self, kind: str, depth: int) -> Node:
        """Return an expression of a kind."""
        return getattr(self, f"_{kind}")(depth)

    def _b(self, depth: int) -> Node:
        draw = self._source.random()
        if depth > 0 and draw < 0.2:
            word = self._source.choice(("and", "or"))
            stop = word == "or"
            parts = (self._b(depth - 1), self._b(depth - 1))
            value = lambda state, a, b: stop if bool(a.value(state)) == stop else bool(b.value(state))  # noqa: E731
            return Node("b", f"({{}} {word} {{}})", parts, value, lazy=True)
        if depth > 0 and draw < 0.25:
            return Node("b", "(not {})", (self._b(depth - 1),), lambda state, a: not a)
        kind = self._source.choice("iiisd")
        other = self._source.choice("i" + kind) if kind in FLOAT else kind
        word = self._source.choice(tuple(COMPARED))
        compare = COMPARED[word]
        parts = (self.any(kind, depth - 1), self.any(other, depth - 1))
        if kind in FLOAT:
            built = FLOAT[kind]
            return Node(
                "b", f"({{}} {word} {{}})", parts, lambda state, a, b: compare(built(a), built(_wide(b)))
            )
        return Node("b", f"({{}} {word} {{}})", parts, lambda state, a, b: compare(a, b))

    def _i(self, depth: int) -> Node:
        draw = self._source.random()
        if depth <= 0 or draw < 0.1:
            return self._simple_integer()
        if draw < 0.6:
            word = self._source.choice(("+", "-", "*", "//", "%", "<<", ">>", *OF_TWO))
            right = self._i(depth - 1 if word != "**" else 0)
            left = self._i(depth - 1)
            if self._is_constant(left) and self._is_constant(right):
                left = self._name(self._source.choice(self.names))
            function = OF_TWO[word]
            parts = (left, right)
            return Node("i", f"({{}} {word} {{}})", parts, lambda state, a, b: fits(function(a, b)))
        if draw < 0.68:
            word, plain = self._source.choice(list(OF_ONE.items()))
            part = self._i(depth - 1)
            if self._is_constant(part):
                part = self._name(self._source.choice(self.names))
            return Node("i", f"({word})", (part,), lambda state, a: fits(plain(a)))
        if draw < 0.72:
            word, choose = self._source.choice((("min", min), ("max", max)))
            parts = (self._i(depth - 1), self._i(depth - 1))
            return Node("i", f"{word}({{}}, {{}})", parts, lambda state, a, b: choose(a, b))
        if draw < 0.78:
            part = self.any(self._source.choice("bsd"), depth - 1)
            convert = int if part.kind == "b" else _whole
            return Node("i", "int({})", (part,), lambda state, a: convert(a))
        return self._choice("i", depth) if draw < 0.83 else self._read(depth)

    def _read(self, depth: int) -> Node:
        """Read an element of an array, a word of memory, or an item of the table."""
        draw = self._source.random()
        index = self._i(depth - 2) if self._source.random() < 0.4 else self._near(depth)
        if draw < 0.15:
            index = self._near(depth) if self._is_constant(index) else index
            return Node("i", "TABLE[{}]", (index,), lambda state, a: _item(a))
        if draw < 0.4:
            bits = self._source.choice((16, 32, 64))
            return Node("i", f"load{bits}(m, {{}})", (index,), lambda state, a: state.load(a, bits // 8))
        name = self._source.choice(("x", "mask", "v", "vw") if self._vectors else ("x",))
        if name in ("v", "vw"):
            index = self._element(name, depth)
        return Node("i", f"m.{name}[{{}}]", (index,), lambda state, a: state.element(name, a))

    def _near(self, depth: int) -> Node:
        """Return an integer that is often one of few."""
        few = self._source.choice((2, 6, 8, 16, 32, MEMORY - 3))
        parts = (self._i(depth - 2), self._constant(few))
        if self._is_constant(parts[0]):
            parts = (self._name(self._source.choice(self.names)), parts[1])
        return Node("i", "({} % {})", parts, lambda state, a, b: fits(OF_TWO["%"](a, b)))

    def _element(self, name: str, depth: int) -> Node:
        """Return an index into vector registers: of the element that is due, or of any other."""
        place = self._name("k") if "k" in self.names and self._source.random() < 0.8 else self._near(depth)
        text, width = ("({} * {} + {})", 1) if name in ("v", "vd") else ("(2 * ({} * {} + {}))", 2)
        parts = (self._name(self._source.choice("ab")), self._name("s"), place)
        value = lambda state, a, b, c: fits(width * fits(fits(a * b) + c))  # noqa: E731
        return Node("i", text, parts, value)

    def _simple_integer(self) -> Node:
        draw = self._source.random()
        if draw < 0.35:
            return self._constant(self._source.choice(INTEGERS))
        if draw < 0.6:
            name = self._source.choice("ab" if not self._vectors else "c")
            register = self._name(name)
            return Node("i", "m.x[{}]", (register,), lambda state, a: state.element("x", a))
        return self._name(self._source.choice(self.names))

    def _name(self, name: str, kind: str = "i") -> Node:
        return Node(kind, name, (), lambda state: state.names[name])

    def _constant(self, value: int) -> Node:
        return Node("i", f"({value})" if value < 0 else str(value), (), lambda state: value)

    def _is_constant(self, node: Node) -> bool:
        return not node.parts and node.text not in self.names

    def _s(self, depth: int) -> Node:
        return self._float("s", depth)

    def _d(self, depth: int) -> Node:
        return self._float("d", depth)

    def _float(self, kind: str, depth: int) -> Node:
        draw, built = self._source.random(), FLOAT[kind]
        if depth > 0 and draw < 0.5:
            word = self._source.choice(tuple(OF_FLOATS))
            function = OF_FLOATS[word]
            other = self._other(kind, depth)
            parts = [self._float(kind, depth - 1), other]
            self._source.shuffle(parts)
            return Node(
                kind,
                f"({{}} {word} {{}})",
                tuple(parts),
                lambda state, a, b: function(_as(built, a), _as(built, b)),
            )
        if depth > 0 and draw < 0.6:
            word, plain = self._source.choice(
                (("-{}", operator.neg), ("abs({})", abs), ("np.sqrt({})", np.sqrt))
            )
            return Node(kind, f"({word})", (self._float(kind, depth - 1),), lambda state, a: plain(a))
        if depth > 0 and draw < 0.65:
            return self._choice(kind, depth)
        if kind == "d" and self.floats and draw < 0.75:
            return self._name(self._source.choice(self.floats), "d")
        if depth > 0 and kind == "d" and draw < 0.7:
            parts = (self._i(depth - 1), self._i(depth - 1))
            if self._is_constant(parts[0]) and self._is_constant(parts[1]):
                parts = (self._name(self._source.choice(self.names)), parts[1])
            return Node("d", "({} / {})", parts, lambda state, a, b: _ratio(a, b))
        if self._vectors and draw < 0.9:
            name = f"v{kind}"
            return Node(
                kind,
                f"m.{name}[{{}}]",
                (self._element(name, depth),),
                lambda state, a: state.element(name, a),
            )
        if draw < 0.95:
            constant = self._source.choice(FLOATS)
            return Node(
                kind, f"np.float{32 if kind == 's' else 64}({constant!r})", (), lambda state: built(constant)
            )
        part = self._i(depth - 1)
        return Node(
            kind, "np.float32({})" if kind == "s" else "float({})", (part,), lambda state, a: built(_wide(a))
        )

    def _other(self, kind: str, depth: int) -> Node:
        """Return what meets a float in an operation: a float, an integer or a constant of Python."""
        draw = self._source.random()
        if draw < 0.2:
            return self._i(depth - 1)
        if draw < 0.4:
            constant = self._source.choice(FLOATS)
            return Node(kind, repr(constant), (), lambda state: constant)
        return self._float(kind, depth - 1)

    def _choice(self, kind: str, depth: int) -> Node:
        parts = (self.any(kind, depth - 1), self._b(depth - 1), self.any(kind, depth - 1))
        value = lambda state, a, c, b: a.value(state) if c.value(state) else b.value(state)  # noqa: E731
        return Node(kind, "({} if {} else {})", parts, value, lazy=True)


def _wide(value: Any) -> Any:
    """Return an integer as a float64, its intermediate on the way to a float32."""
    return np.float64(value) if isinstance(value, int) else value


def _as(built: Any, value: Any) -> Any:
    return built(_wide(value))
