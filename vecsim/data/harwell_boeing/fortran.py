"""Numbers as a Fortran ``READ`` takes them, field by field (ISO/IEC 1539-1:2018, 13.7.2).

In a field without a point the last digits are decimals, as many as the format says; the scale factor P
divides a number without exponent. Stricter than Fortran in two points, where it would take damage for a
number: a blank field is no zero, and blanks are allowed only around a number and after the letter of its
exponent.
"""

import re
from dataclasses import dataclass

_INTEGER = re.compile(rb" *([+-]?)(\d+) *")
_REAL = re.compile(rb" *([+-]?)(\d*)(?:(\.)(\d*))?(?:[EeDd] *([+-]?\d+)|([+-]\d+))? *")
_EXPONENT_DIGITS = 7
"""No number that is finite and not zero has an exponent of more digits, however many decimals a field has."""
_LARGEST_DIGITS = 18


@dataclass(frozen=True)
class Edit:
    """A data edit descriptor of a format, such as ``F20.12``, with what holds where it stands.

    Attributes
    ----------
    letter
        I, F, E, D, G, EN or ES.
    width
        Characters of the field.
    decimals
        Digits after a point that is not written.
    scale
        Of a number without exponent: it is divided by ten to this power.
    """

    letter: str
    width: int
    decimals: int
    scale: int

    def integer(self, field: bytes) -> int:
        """Read an integer.

        Raises
        ------
        ValueError
            If it is none, or has more digits than a 64-bit integer.
        """
        match = _INTEGER.fullmatch(field)
        if match is None:
            raise ValueError("must be an integer")
        digits = match[2].lstrip(b"0")
        if len(digits) > _LARGEST_DIGITS:
            raise ValueError("is too large; 64 bits must hold it")
        return int(match[1] + (digits or b"0"))

    def real(self, field: bytes) -> float:
        """Read a real number; one beyond the range of 64 bits is infinite.

        Raises
        ------
        ValueError
            If it is none.
        """
        match = _REAL.fullmatch(field)
        if match is None:
            raise ValueError("must be a number")
        sign, whole, point, fraction, lettered, bare = match.groups()
        digits = whole + (fraction or b"")
        if not digits:
            raise ValueError("must be a number")
        exponent = _clamped(lettered or bare) if lettered or bare else -self.scale
        exponent -= len(fraction) if point else self.decimals
        return float(b"%b%be%d" % (sign, digits, exponent))

    def is_zero(self, field: bytes) -> bool:
        """Return whether the field of a number has no digit but zeros in front of its exponent."""
        match = _REAL.fullmatch(field)
        return match is not None and not (match[2] + (match[4] or b"")).strip(b"0")


def _clamped(exponent: bytes) -> int:
    sign, digits = exponent[:1] in b"-", exponent.lstrip(b"+-").lstrip(b"0")
    size = 10**_EXPONENT_DIGITS if len(digits) > _EXPONENT_DIGITS else int(digits or b"0")
    return -size if sign else size
