"""How much larger than CRS a format may make a matrix, and the error where it would be more."""

from vecsim.errors import UserError

# A matrix that padding makes larger than this many times CRS is refused, small ones apart.
MAX_GROWTH = 4
# Blocks that are not dense are refused sooner: they must not take more than CRS.
MAX_BLOCK_GROWTH = 1
ALWAYS_MADE_BYTES = 2**20


class NotRepresentableError(UserError):
    """A format cannot hold this matrix in reasonable space, or with indices this short."""
