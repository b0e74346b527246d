"""Inserting an element into a stored matrix, and the steps that a program needs for it.

The steps are those of section 3.2 of the HiSM paper, counted rather than modelled. The same rules hold
for every format:

- **A comparison** is a stored position (a column, a row number, a position in a block, a run of empty
  rows) compared with that of the new element. Searches run from the first entry on, as the paper's do.
  The end of a row or an array is known from pointers and lengths, or flags, and costs nothing.
- **A displacement** is a stored item that is moved: an entry with its position, a pointer with its
  position and length, or a row number of a permutation. It counts once, however far it moves.
- **An update** is a stored pointer, length, flag or count that changes in place.
- Writing what is new is not counted.
- **An array that is found by an address and its own length** (a block array of HiSM, a block column
  of BBCS) has room after it, and its neighbours stay where they are. Rows of CRS and diagonals of JD end
  where the next one begins: all that lies after makes room. Those displacements are counted apart.
"""

from vecsim.formats.insertion.record import Insertion, Steps

__all__ = ["Insertion", "Steps"]
