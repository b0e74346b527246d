"""Logarithmic axes with numbers that can be read: 0.5, 1, 2 and not powers of ten as exponents."""

from __future__ import annotations

from matplotlib.axis import Axis
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

DECADES_ALONE = 1000
"""How far an axis must reach, as a factor, for powers of ten to be numbers enough."""


def number_logarithmic(axis: Axis, reach: float) -> None:
    """Put numbers at 1, 2 and 5 of each decade of a logarithmic axis, or at powers of ten alone.

    Parameters
    ----------
    axis
        Its scale is logarithmic already.
    reach
        The highest number on it over the lowest.
    """
    axis.set_major_locator(LogLocator(base=10, subs=(1.0,) if reach > DECADES_ALONE else (1, 2, 5)))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())
