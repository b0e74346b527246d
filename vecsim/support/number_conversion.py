"""Numbers of arrays and matrices in another type: what is refused, and what is lost with a warning.

=================================================  ===========================================
what the new type does to a number                 what happens
=================================================  ===========================================
no number (text, dates, objects), a complex one    refused
a finite number would become infinite              refused
a whole number does not fit a type of integers     refused; it would wrap around
a number is too small, and loses digits or is 0    one warning: how many, and the first
a whole number of more digits is rounded           one warning: how many, and the first
a number with a fraction is rounded to nearest     nothing: that is what floating point is
=================================================  ===========================================

A number of a floating-point type counts as a whole number where all finite numbers of the array are whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from vecsim.support.errors import UserError
from vecsim.support.suggestions import amount

Values = npt.NDArray[Any]
Place = Callable[[int], str]
"""A function that returns where an element is, for messages: ``in row 2, column 5``."""

KINDS = "biuf"
"""NumPy's kinds of real numbers."""
SAMPLE = 4096
"""Numbers that are tried first for being whole: those of most arrays are not."""


def require_real(dtype: np.dtype[Any], what: str) -> None:
    """Refuse types without real numbers.

    Parameters
    ----------
    dtype
        The type of the values.
    what
        What has them, for the message.
    """
    if dtype.kind not in KINDS:
        raise UserError(f"{what} has values of type {dtype}: real numbers are needed")


def to_floats(
    values: Values, dtype: npt.DTypeLike, place: Place, advice: str = ""
) -> tuple[Values, list[str]]:
    """Return real numbers as float32 or float64, and a line for each kind of loss.

    Parameters
    ----------
    values
        (n,) of any real type; not changed.
    dtype
        float32 or float64.
    place
        Where the element of a number is.
    advice
        Ends each message about what 32 bits cannot hold.

    Raises
    ------
    UserError
        A finite number would become infinite.
    """
    wanted = np.dtype(dtype)
    if values.dtype == wanted:
        return values, []
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        result = values.astype(wanted)
    message = _Told(wanted, place, advice if wanted.itemsize == 4 else "")
    if values.dtype.kind in "iu":
        return result, message.rounded(values, _inexact_integers(values, wanted))
    if values.dtype.kind == "b" or values.dtype.itemsize <= wanted.itemsize or not result.size:
        return result, []
    largest = max(np.fmax.reduce(result), -np.fmin.reduce(result))
    if np.isinf(largest):
        message.refuse_overflow(values, np.flatnonzero(np.isinf(result) & np.isfinite(values)))
    small = np.flatnonzero(np.abs(result) < np.finfo(wanted).tiny)
    small = small[result[small] != values[small]]
    notes = message.too_small(values, result, small)
    if largest >= 2.0 ** (np.finfo(wanted).nmant + 1) and _are_whole(values):
        notes += message.rounded(values, np.flatnonzero((result != values) & np.isfinite(values)))
    return result, notes


def to_integers(values: Values, bits: int, place: Place) -> Values:
    """Return whole numbers as integers of 8 or 32 bits, read as signed or unsigned.

    Parameters
    ----------
    values
        (n,) of integers or booleans.
    bits
        Of the result.
    place
        Where the element of a number is.

    Returns
    -------
    numpy.ndarray
        Unsigned, with the same bits.

    Raises
    ------
    UserError
        A number is below -2^(bits - 1), or 2^bits or more.
    """
    low, high = -(1 << bits - 1), (1 << bits) - 1
    # Compared in the type that they have: in another one they would wrap before they are seen.
    limits = np.iinfo(values.dtype if values.dtype.kind in "iu" else np.uint8)
    outside = np.zeros(values.shape, bool)
    if limits.min < low:
        outside |= values < low
    if limits.max > high:
        outside |= values > high
    at = np.flatnonzero(outside)
    if at.size:
        raise UserError(
            f"the number {values[at[0]]!s} {place(int(at[0]))} does not fit {bits} bits "
            f"({amount(at.size, 'such number')}): use {low} to {high}"
        )
    return values.astype(np.dtype(f"u{bits // 8}"))


def _inexact_integers(values: Values, dtype: np.dtype[Any]) -> npt.NDArray[np.intp]:
    """Return the places of integers that a floating-point type rounds."""
    digits = np.finfo(dtype).nmant + 1
    if not values.size or max(int(values.max()), -int(values.min())) <= 1 << digits:
        return np.zeros(0, np.intp)
    # The size of the least of 64 bits is right when it is read as unsigned.
    sizes = (np.abs(values.astype(np.int64)) if values.dtype.kind == "i" else values).astype(np.uint64)
    lowest_bit = sizes & (~sizes + np.uint64(1))
    return np.flatnonzero(((sizes >> np.uint64(digits)) >= lowest_bit) & (sizes != 0))


def _are_whole(values: Values) -> bool:
    """Return whether all finite numbers are whole."""
    return all(((np.rint(part) == part) | ~np.isfinite(part)).all() for part in (values[:SAMPLE], values))


class _Told:
    """The messages about one conversion."""

    def __init__(self, dtype: np.dtype[Any], place: Place, advice: str) -> None:
        self._bits, self._digits = 8 * dtype.itemsize, np.finfo(dtype).nmant + 1
        self._place, self._end = place, f"; {advice}" if advice else ""

    def refuse_overflow(self, values: Values, at: npt.NDArray[np.intp]) -> None:
        if at.size:
            raise UserError(
                f"the value {values[at[0]]!s} {self._place(int(at[0]))} is too large for {self._bits} bits "
                f"({amount(at.size, 'such value')}){self._end}"
            )

    def too_small(self, values: Values, result: Values, at: npt.NDArray[np.intp]) -> list[str]:
        if not at.size:
            return []
        zeros = np.count_nonzero(result[at] == 0)
        return [
            f"{amount(at.size, 'value')} too small for {self._bits} bits, the first {values[at[0]]!s} "
            f"{self._place(int(at[0]))}: {zeros} became zero, the others lost digits{self._end}"
        ]

    def rounded(self, values: Values, at: npt.NDArray[np.intp]) -> list[str]:
        if not at.size:
            return []
        return [
            f"{amount(at.size, 'whole number')} rounded, the first {values[at[0]]!s} "
            f"{self._place(int(at[0]))}: {self._bits} bits hold all up to 2^{self._digits}{self._end}"
        ]
