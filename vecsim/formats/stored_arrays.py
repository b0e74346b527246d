"""Formats without a memory image for the simulated machine: they take the bytes of their arrays."""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecsim.errors import UserError
from vecsim.formats.entries import Entries

UIntArray = NDArray[np.uint32]


class StoredArrays(Entries):
    """A frozen record of arrays, all of which a product reads."""

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        record: Any = self
        values = (getattr(self, field.name) for field in fields(record))
        return sum(value.nbytes for value in values if isinstance(value, np.ndarray))

    def storage(self, accounting: str) -> int:
        """Return the bytes the matrix takes: the ``image`` accounting, the sum of its arrays.

        Raises
        ------
        UserError
            If another accounting is asked for: the HiSM paper has no such format.
        """
        if accounting != "image":
            raise UserError(
                f"storage accounting {accounting!r} does not know {type(self).__name__}: use image"
            )
        return self.nbytes
