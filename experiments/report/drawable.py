"""Charts of texts that Matplotlib can draw: names of files may have letters that its font lacks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar, cast

from matplotlib.font_manager import findfont, get_font

from vecsim.support.shown_text import printable

FONT = "DejaVu Sans"
LONGEST_WORD = 48
"""Letters of a word in a picture; a longer one would leave no room for anything else."""
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_BEGIN, _END = 28, 16

T = TypeVar("T")


def drawable(chart: T) -> T:
    r"""Return a chart with letters that `FONT` lacks written as ``\u6f22``, and with long words cut."""
    made: Any = chart
    if isinstance(chart, str):
        made = _LONG_WORD.sub(lambda word: f"{word[0][:_BEGIN]}...{word[0][-_END:]}", _with_font(chart))
    elif is_dataclass(chart) and not isinstance(chart, type):
        made = replace(chart, **{each.name: drawable(getattr(chart, each.name)) for each in fields(chart)})
    elif isinstance(chart, Mapping):
        made = {}
        for key, value in chart.items():
            _add(made, drawable(key), drawable(value))
    elif isinstance(chart, tuple | list):
        made = type(chart)(drawable(each) for each in chart)
    return cast("T", made)


def _add(made: dict[Any, Any], key: Any, value: Any) -> None:
    """Add what has a name; of names that are alike once they are cut each is told apart by a number."""
    name, number = key, 1
    while name in made:
        number += 1
        name = f"{key} ({number})"
    made[name] = value


def _with_font(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c == "\n" or _has(c) else ascii(c)[1:-1] for c in printable(text))


@cache
def _has(letter: str) -> bool:
    return letter.isprintable() and get_font(findfont(FONT)).get_char_index(ord(letter)) > 0
