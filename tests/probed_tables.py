"""What a full hash table with linear probing may look like."""

from __future__ import annotations

from typing import Any

import numpy as np


def could_be_probed(order: Any, hashes: Any) -> bool:
    """Return whether rows inserted one after the other, in some order, stand like this.

    Parameters
    ----------
    order
        Which row stands at each place; all places are taken.
    hashes
        The place where each row begins to look.
    """
    places = len(order)
    walks = (np.arange(places) - np.asarray(hashes)[order]) % places
    filled = np.zeros(places, bool)
    while not filled.all():
        # How many places before each are taken, without a gap; all around it where there is none.
        free = np.flatnonzero(~filled)
        last_free = free[np.searchsorted(free, np.arange(places)) - 1]
        taken = (np.arange(places) - last_free - 1) % places
        ready = ~filled & (walks <= taken)
        if not ready.any():
            return False
        filled |= ready
    return True
