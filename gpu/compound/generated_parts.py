"""The device functions of a product that depend on entry type and layouts, generated from their text.

Each is a few lines that know how many components there are and where they stand; `product_kernel` puts them
together. They do without `cuda`, so they run in the simulator, too.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.compound import expressions
from gpu.compound.component_layout import ComponentLayout
from gpu.compound.entry_type import EntryType
from gpu.kernel_parts.loads import EARLY_IF, LOADS_IF, STORES, STREAMED_IF, VECTOR_IF
from gpu.runtime.cuda import device_function

INDENT = "\n    "


@dataclass(frozen=True)
class Parts:
    """Device functions of one entry type, layout and real type.

    Attributes
    ----------
    entry_at, entry_early
        ``entry_at(values, marks, place, places, live)``: the components of an entry; 0 where not `live`. The
        second by loads that stay before what follows.
    element_at
        ``element_at(x, number, count, has)``: the components of an element of x.
    zero
        ``zero()``: the neutral element of the sum.
    add_product
        ``add_product(s, a, x, has)``: s + a x, or s where `has` does not hold.
    join
        ``join(s, t)``: s + t.
    store
        ``store(y, number, count, s)``: write an element of y.
    """

    entry_at: Any
    entry_early: Any
    element_at: Any
    zero: Any
    add_product: Any
    join: Any
    store: Any


def parts_of(entry: EntryType, inner: ComponentLayout, vector: ComponentLayout, real: Any) -> Parts:
    """Generate the functions.

    Parameters
    ----------
    entry
        What an entry is.
    inner, vector
        Layouts of the entries and of both vectors.
    real
        np.float32 or np.float64.
    """
    streamed = "streamed" if _is_streamed(entry, inner) else "read-only"
    early = "early" if streamed == "streamed" else "read-only"
    texts = {
        "zero": _function("zero()", [], [f"zero_{number}" for number in range(len(entry.zero))]),
        "add_product": _add_product(entry),
        "join": _function("join(s, t)", [], entry.sum),
    }
    built = {name: made_of_text(text, name, real, "plain", entry.zero) for name, text in texts.items()}
    built["entry_at"] = made_of_text(_entry_at("entry_at", entry, inner), "entry_at", real, streamed)
    built["entry_early"] = made_of_text(_entry_at("entry_early", entry, inner), "entry_early", real, early)
    element_at, store = vector_parts(vector, len(entry.vector), real)
    return Parts(element_at=element_at, store=store, **built)


def vector_parts(vector: ComponentLayout, components: int, real: Any) -> tuple[Any, Any]:
    """Generate `element_at` and `store` of `Parts` for vectors in a layout.

    Parameters
    ----------
    vector
        The layout.
    components
        Of an element.
    real
        np.float32 or np.float64.
    """
    text = _loads("element_at(x, number, count, has)", "x", vector, components, "has")
    element_at = made_of_text(text, "element_at", real, "vector")
    return element_at, made_of_text(_store(vector, components), "store", real, "stored")


_WIDE: dict[str, dict[int, Any]] = {
    "plain": {},
    "read-only": LOADS_IF,
    "streamed": STREAMED_IF,
    "early": EARLY_IF,
    "vector": VECTOR_IF,
    "stored": STORES,
}


@functools.cache
def made_of_text(text: str, name: str, real: Any, loads: str, zeros: tuple[float, ...] = ()) -> Any:
    """Make a device function of a text, one for all kernels of this process that have it.

    Parameters
    ----------
    text, name
        The definition, and the name of the function.
    real
        np.float32 or np.float64.
    loads
        Which loads or stores it has, by their name in `_WIDE`.
    zeros
        What ``zero_0``, ``zero_1`` and so on mean in it.
    """
    of_width = "store" if loads == "stored" else "load"
    names = {f"{of_width}_{width}": each for width, each in _WIDE[loads].items()}
    names |= {f"zero_{number}": real(value) for number, value in enumerate(zeros)}
    return device_function(expressions.of_scalars(text, name, real, {"uint64": np.uint64, **names}))


def _is_streamed(entry: EntryType, inner: ComponentLayout) -> bool:
    """Return whether entries need not stay in the L1 cache: no sector is read by several loads in turn."""
    reals = len(entry.reals)
    part = inner.parts(reals)[0][1] if reals else 1
    return inner.load_width(part) == part


def _function(head: str, lines: list[str], results: Any) -> str:
    body = INDENT.join([*lines, f"return ({', '.join(results)},)"])
    return f"def {head}:{INDENT}{body}\n"


def _entry_at(name: str, entry: EntryType, inner: ComponentLayout) -> str:
    """Load real components by the layout, and integers one by one, as real numbers."""
    lines, result = _loading("values", "place", "places", inner, len(entry.reals), "live")
    count = len(entry.integers)
    marks = [f"real(marks[uint64(place * {count} + {k} if live else 0)])" for k in range(count)]
    by_number = dict(zip(entry.reals, result, strict=True)) | dict(zip(entry.integers, marks, strict=True))
    results = [by_number[number] for number in range(len(entry.entry))]
    return _function(f"{name}(values, marks, place, places, live)", lines, results)


def _loads(head: str, array: str, layout: ComponentLayout, components: int, live: str) -> str:
    return _function(head, *_loading(array, "number", "count", layout, components, live))


def _loading(
    array: str, element: str, count: str, layout: ComponentLayout, components: int, live: str
) -> tuple[list[str], list[str]]:
    """Return the lines that load all components of an element, and the texts of these."""
    lines, results = [], []
    for part in layout.parts(components) if components else []:
        width = layout.load_width(part[1])
        address = layout.address(element, count, components, part)
        for number in range(part[1] // width):
            name = f"loaded_{part[0] + number * width}"
            lines.append(f"{name} = load_{width}({array}, {address} + {number * width}, {live})")
            results += [f"{name}[{k}]" for k in range(width)]
    return lines, results


def _add_product(entry: EntryType) -> str:
    count = range(len(entry.vector))
    lines = [f"t = ({', '.join(entry.product)},)", f"u = ({', '.join(entry.sum)},)"]
    return _function("add_product(s, a, x, has)", lines, [f"u[{k}] if has else s[{k}]" for k in count])


def _store(vector: ComponentLayout, components: int) -> str:
    lines = []
    for part in vector.parts(components):
        width = vector.load_width(part[1])
        address = vector.address("number", "count", components, part)
        for first in range(0, part[1], width):
            taken = ", ".join(f"s[{part[0] + first + k}]" for k in range(width))
            lines.append(f"store_{width}(y, {address} + {first}, ({taken},))")
    return f"def store(y, number, count, s):{INDENT}{INDENT.join(lines)}\n"
