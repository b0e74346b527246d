"""How much larger than CRS a format may make a matrix, and the error where it would be more."""

from vecsim.support.errors import UserError

MAX_GROWTH = 4
"""A matrix that padding makes larger than this many times CRS is refused, small ones apart."""
MAX_BLOCK_GROWTH = 1
"""Blocks that are not dense are refused sooner: they must not take more than CRS."""
ALWAYS_MADE_BYTES = 2**20


class NotRepresentableError(UserError):
    """A format cannot hold this matrix in reasonable space, or with indices this short.

    Attributes
    ----------
    reason
        Why, in a clause; the message says also what to use instead.
    """

    def __init__(self, reason: str, instead: str = "") -> None:
        super().__init__(f"{reason}: {instead}" if instead else reason)
        self.reason = reason


def too_large(what: str, result: int, crs: int, most: int, instead: str) -> NotRepresentableError:
    """Return the error of a matrix that a format would make too large.

    Parameters
    ----------
    what
        Makes it so.
    result, crs
        The bytes that it would take, and those that it takes in CRS.
    most
        How many times CRS are made, if that is over `ALWAYS_MADE_BYTES`.
    instead
        What to use instead.
    """
    growth = f"{result / crs:.1f} times CRS, over the limit of {most}"
    return NotRepresentableError(f"{what} would make {result:,} bytes, {growth}", instead)
