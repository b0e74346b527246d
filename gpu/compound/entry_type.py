"""What a compound entry is: its components, and how entries multiply and add up. Declared once."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from keyword import iskeyword
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compound import expressions
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

REAL = "real"
"""The type of components in float32 or float64, whichever a matrix has."""
INTEGERS = ("int8", "int16", "int32")
"""The other types; products take them as real numbers."""
FARTHEST = 1e30
"""A number with which zero is tried, too: nearly as large as any of float32."""
SAMPLES, TOLERANCE = 64, 1e-9
"""Random elements on which the laws of the sum are tried, and how far they may be off, relatively."""


@dataclass(frozen=True, init=False)
class EntryType:
    """The type of the entries of a matrix and of the elements of the vectors that it multiplies.

    Parameters
    ----------
    name
        What messages and tables call it.
    entry
        Components of an entry of the matrix: names, or types by name (``real``, ``int8``, ``int16``,
        ``int32``; integers of one entry have one type).
    vector
        Names of the components of an element of a vector, all real.
    product
        For each component of a vector its expression in the product of an entry ``a`` and an element ``x``,
        such as ``a.re * x.re - a.im * x.im``.
    sum
        For each component of a vector its expression in the sum of ``s`` and ``t``, associative and
        commutative; ``s.c + t.c`` for components c that it leaves out.
    zero
        For each component of a vector that of the neutral element of the sum; 0 where it is not given.

    Raises
    ------
    UserError
        If something is missing, unknown or given twice; an expression is none; the sum is not associative and
        commutative, or zero is not neutral.

    Examples
    --------
    >>> from gpu.compound import EntryType
    >>> EntryType(
    ...     "dual",
    ...     entry=("value", "slope"),
    ...     vector=("value", "slope"),
    ...     product={"value": "a.value * x.value", "slope": "a.value * x.slope + a.slope * x.value"},
    ... ).name
    'dual'
    """

    name: str
    entry: tuple[tuple[str, str], ...]
    vector: tuple[str, ...]
    product: tuple[str, ...] = field(repr=False)
    sum: tuple[str, ...] = field(repr=False)
    zero: tuple[float, ...] = field(repr=False)

    def __init__(
        self,
        name: str,
        *,
        entry: Iterable[str] | Mapping[str, str],
        vector: Iterable[str],
        product: Mapping[str, str],
        sum: Mapping[str, str] | None = None,
        zero: Mapping[str, float] | None = None,
    ) -> None:
        where = f"entry type {name!r}"
        types = list(entry.items()) if isinstance(entry, Mapping) else [(each, REAL) for each in entry]
        of_entry = tuple((str(component), kind) for component, kind in types)
        of_vector = tuple(vector)
        _check_names(f"{where}, entry", [component for component, _ in of_entry])
        _check_names(f"{where}, vector", of_vector)
        _check_types(where, of_entry)
        plus = {component: f"s.{component} + t.{component}" for component in of_vector}
        sums = plus | dict(sum or {})
        zeros = dict.fromkeys(of_vector, 0.0) | dict(zero or {})
        if not isinstance(product, Mapping):
            raise UserError(
                f"{where}: the product is missing: write an expression for each component of a vector"
            )
        for what, given in (("product", product), ("sum", sums), ("zero", zeros)):
            _check_complete(f"{where}, {what}", given, of_vector)
        factors = {"a": [component for component, _ in of_entry], "x": of_vector}
        terms = {"s": of_vector, "t": of_vector}
        set_ = object.__setattr__
        set_(self, "name", name)
        set_(self, "entry", of_entry)
        set_(self, "vector", of_vector)
        set_(self, "product", _expressions(f"{where}, product", product, of_vector, factors))
        set_(self, "sum", _expressions(f"{where}, sum", sums, of_vector, terms))
        set_(self, "zero", tuple(_number(f"{where}, zero", each, zeros[each]) for each in of_vector))
        _check_laws(where, self)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is declared: other processes, to which functions cannot be sent, make theirs of it."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def reals(self) -> tuple[int, ...]:
        """Numbers of the real components of an entry."""
        return tuple(number for number, (_, kind) in enumerate(self.entry) if kind == REAL)

    @cached_property
    def integers(self) -> tuple[int, ...]:
        """Numbers of the integer components of an entry."""
        return tuple(number for number, (_, kind) in enumerate(self.entry) if kind != REAL)

    @property
    def integer_type(self) -> np.dtype[Any]:
        """The type of the integer components; int8 where there are none."""
        return np.dtype(self.entry[self.integers[0]][1] if self.integers else INTEGERS[0])

    def entry_bytes(self, real: Any) -> int:
        """Return the bytes of an entry of the matrix whose real components are float32 or float64."""
        size = int(np.dtype(real).itemsize)
        return len(self.reals) * size + len(self.integers) * int(self.integer_type.itemsize)

    def vector_bytes(self, real: Any) -> int:
        """Return the bytes of an element of a vector."""
        return len(self.vector) * int(np.dtype(real).itemsize)

    def multiplied(self, a: Iterable[NDArray[Any]], x: Iterable[NDArray[Any]]) -> tuple[Any, ...]:
        """Multiply arrays of entries by arrays of elements, component by component.

        Parameters
        ----------
        a
            An array for each component of the entries.
        x
            An array for each component of the elements, of the same shape.
        """
        return tuple(self._of_arrays["product"](tuple(a), tuple(x)))

    def added(self, s: Iterable[Any], t: Iterable[Any]) -> tuple[Any, ...]:
        """Add arrays of elements, component by component; parameters as of `multiplied`.

        Parameters
        ----------
        s, t
            An array for each component of the elements.
        """
        return tuple(self._of_arrays["sum"](tuple(s), tuple(t)))

    @cached_property
    def _of_arrays(self) -> dict[str, Any]:
        product = f"def product(a, x):\n    return ({', '.join(self.product)},)\n"
        sum_ = f"def sum(s, t):\n    return ({', '.join(self.sum)},)\n"
        return {
            "product": expressions.of_arrays(product, "product"),
            "sum": expressions.of_arrays(sum_, "sum"),
        }


def _check_names(where: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not name.isidentifier() or iskeyword(name):
            raise UserError(
                f"{where}: {name!r} is not a name of a component: use letters, digits and _, and "
                "no Python keyword"
            )
        if name in seen:
            raise UserError(f"{where}: component {name!r} is there twice; remove one")
        seen.add(name)
    if not seen:
        raise UserError(f"{where}: at least one component is needed")


def _check_types(where: str, entry: Iterable[tuple[str, str]]) -> None:
    kinds = (REAL, *INTEGERS)
    results = []
    for component, kind in entry:
        if kind not in kinds:
            raise UserError(
                f"{where}, entry: component {component!r} has the unknown type {kind!r}; use one of "
                f"{', '.join(kinds)}{nearest(str(kind), kinds)}"
            )
        results += [kind] if kind != REAL else []
    if len(set(results)) > 1:
        raise UserError(
            f"{where}, entry: integer components of an entry must have one type, not {set(results)}"
        )


def _check_complete(where: str, given: Mapping[str, Any], components: tuple[str, ...]) -> None:
    for component in components:
        if component not in given:
            raise UserError(f"{where}: component {component!r} is missing; name every component")
    for component in given:
        if component not in components:
            raise UserError(
                f"{where}: a vector has no component {component!r}; use one of {', '.join(components)}"
                f"{nearest(component, components)}"
            )


def _expressions(
    where: str, given: Mapping[str, str], components: Iterable[str], operands: Mapping[str, Any]
) -> tuple[str, ...]:
    return tuple(expressions.indexed(f"{where}.{each}", given[each], operands) for each in components)


def _number(where: str, component: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise UserError(f"{where}.{component}: {value!r} is not a number; use an integer or a float")
    return number


def _check_laws(where: str, entry: EntryType) -> None:
    """Try on random elements whether the sum is one: threads that share a row add it in another order."""
    rng = np.random.default_rng(1)
    # Of all sizes: the neutral element of a minimum is above all numbers, not above some.
    sizes = 10 ** rng.uniform(-3, 4, (3, len(entry.vector), SAMPLES))
    r, s, t = rng.uniform(-2, 2, sizes.shape) * sizes
    far = [np.append(each, (FARTHEST, -FARTHEST)) for each in t]
    zero = [np.full(SAMPLES + 2, value) for value in entry.zero]
    with np.errstate(all="ignore"):
        if not _alike(entry.added(s, t), entry.added(t, s)):
            raise UserError(f"{where}, sum: s + t and t + s differ; the sum must be commutative")
        if not _alike(entry.added(entry.added(r, s), t), entry.added(r, entry.added(s, t))):
            raise UserError(f"{where}, sum: (r + s) + t and r + (s + t) differ; the sum must be associative")
        if not _alike(entry.added(zero, far), far):
            raise UserError(f"{where}, zero + t is not t; zero must be the neutral element of the sum")


def _alike(first: Iterable[Any], second: Iterable[Any]) -> bool:
    pairs = zip(first, second, strict=True)
    return all(np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE) for a, b in pairs)
