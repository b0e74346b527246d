"""Editing a matrix in HiSparse: single entries and batches of them, without making it again."""

from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.hisparse import path_edits
from gpu.hisparse.tree import Tree
from vecsim.formats.array_types import FloatArray, IntArray, Shape
from vecsim.formats.canonical_csr import MAX_COUNT
from vecsim.formats.insertion.record import checked_positions
from vecsim.support.errors import UserError

if TYPE_CHECKING:
    from gpu.hisparse.container import HiSparse


class Editor:
    """A matrix that is being edited; it begins as a given one, whose nodes it shares.

    An edit touches only the nodes on the path from the root to the entry. Those that something else refers
    to, such as the matrix that was given, are copied first, once; all others stay shared. So a matrix never
    changes, and `matrix` costs nothing but the copies that later edits then need. Nodes that are no longer
    needed are freed, and used again for others.

    Everything in a pool is for one thread at a time: this editor, the matrix that was given, and all that
    either shares nodes with. For another thread, convert the matrix again or pickle it.

    After every edit the tree is the one that a conversion of the edited matrix would give, node by node.

    Parameters
    ----------
    matrix
        What to begin with. Positions are those of the matrix as it is, transposed or not.

    Raises
    ------
    UserError
        If the matrix is scaled: most values could not be stored so that they are what was asked for.
    """

    def __init__(self, matrix: "HiSparse") -> None:
        if matrix.scale != 1:
            raise UserError(
                f"a matrix with the scale {matrix.scale:g} cannot be edited: "
                "use HiSparse.from_scipy(matrix.to_scipy())"
            )
        self._kind = type(matrix)
        self._pool = matrix.content.pool
        self._levels = matrix.levels
        self._content_shape = matrix.content.shape
        self._transposed = matrix.transposed
        self._nnz = matrix.nnz
        self._pool.share(matrix.content.root)
        # A list, which outlives the editor until its root is released.
        self._root = [matrix.content.root]
        finalize(self, _release, self._pool.released, self._root, self._levels).atexit = False

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refuse `copy` and `pickle`: a copy would change nodes that this editor takes to be its own.

        Raises
        ------
        UserError
            Always.
        """
        raise UserError(
            "an editor cannot be copied or pickled: use its matrix, `editor.matrix()`, "
            "or begin another with `editor.matrix().editor()`"
        )

    @property
    def nnz(self) -> int:
        """Entries that are stored now."""
        return self._nnz

    @property
    def shape(self) -> Shape:
        """Rows M and columns N."""
        rows, columns = self._content_shape
        return (columns, rows) if self._transposed else (rows, columns)

    def matrix(self) -> "HiSparse":
        """Return the matrix as it is now; it shares all nodes with the editor until these are edited."""
        self._pool.share(self._root[0])
        tree = Tree(self._pool, self._root[0], self._content_shape, self._levels, self._nnz)
        return self._kind(tree, transposed=self._transposed)

    def insert(self, rows: ArrayLike, columns: ArrayLike, values: ArrayLike) -> int:
        """Store entries one after the other, in one compiled call; one that is stored gets the new value.

        Parameters
        ----------
        rows, columns
            Positions, counted from 0: integers, or vectors of them, equally long.
        values
            Real numbers, one a position or one for all; they are rounded to the type of the matrix.

        Returns
        -------
        int
            How many entries there are more.

        Raises
        ------
        UserError
            If a position lies outside the matrix, a value is no finite real number of that type, or there
            would be more entries than 32 bits can count: nothing is stored then. If the pool is full, the
            entries before are stored.
        """
        places = self._places(rows, columns)
        typed = self._typed(values, len(places[0]))
        if self._nnz + len(typed) > MAX_COUNT:
            raise UserError(
                f"the matrix has {self._nnz} entries: {len(typed)} more do not fit 32 bits; insert fewer"
            )
        return self._edited(path_edits.store_all, *places, typed)

    def set(self, rows: ArrayLike, columns: ArrayLike, values: ArrayLike) -> None:
        """Change the values of entries that are stored; the pattern stays as it is.

        Parameters
        ----------
        rows, columns
            Positions, counted from 0: integers, or vectors of them, equally long.
        values
            Real numbers, one a position or one for all; they are rounded to the type of the matrix.

        Raises
        ------
        UserError
            If a position lies outside the matrix or is not stored, or a value is no finite real number of
            that type; nothing is changed then.
        """
        places = self._places(rows, columns)
        typed = self._typed(values, len(places[0]))
        self._require_stored(places)
        self._edited(path_edits.store_all, *places, typed)

    def delete(self, rows: ArrayLike, columns: ArrayLike) -> int:
        """Remove entries that are stored, and nodes that have none then.

        Parameters
        ----------
        rows, columns
            Positions, counted from 0: integers, or vectors of them, equally long; one may be named twice.

        Returns
        -------
        int
            How many entries there are less.

        Raises
        ------
        UserError
            If a position lies outside the matrix or is not stored; nothing is removed then.
        """
        places = self._places(rows, columns)
        self._require_stored(places)
        return -self._edited(path_edits.remove_all, *places)

    def values(self, rows: ArrayLike, columns: ArrayLike) -> FloatArray:
        """Return the values at some positions, 0 where no entry is stored; errors as those of `insert`."""
        places = self._places(rows, columns)
        result = self._found(places)
        values: FloatArray = self._pool.memory.values[np.maximum(result, 0)]
        values[result < 0] = 0
        return values

    @property
    def _geometry(self) -> Any:
        return self._pool.geometry(self._levels)

    def _edited(self, edit: Any, *arrays: Any) -> int:
        """Do compiled edits, as many at once as there is room for; return how many entries there are more."""
        before, begin = self._nnz, 0
        while begin < len(arrays[0]):
            self._pool.reserve(self._levels)
            room = self._pool.room(self._levels)
            edited = edit(self._pool.memory, self._root[0], self._geometry, *arrays, begin, room)
            self._root[0], begin, more = int(edited[0]), edited[1], edited[2]
            self._nnz += int(more)
        return self._nnz - before

    def _places(self, rows: ArrayLike, columns: ArrayLike) -> tuple[IntArray, IntArray]:
        """Return rows and columns of the content."""
        checked = checked_positions(self.shape, rows, columns)
        return (checked[1], checked[0]) if self._transposed else checked

    def _typed(self, values: ArrayLike, count: int) -> FloatArray:
        given = np.asarray(values)
        if given.dtype.kind not in "biuf" or given.shape not in ((), (count,)):
            raise UserError(
                f"values of shape {given.shape} and type {given.dtype} cannot be stored: "
                f"one real number is needed, or {count}"
            )
        with np.errstate(over="ignore"):
            typed = np.broadcast_to(given.astype(self._pool.dtype), (count,))
        wrong = np.flatnonzero(~np.isfinite(typed))
        if len(wrong):
            raise UserError(
                f"the value {np.broadcast_to(given, (count,))[wrong[0]]} cannot be stored: "
                f"a finite {self._pool.dtype} number is needed"
            )
        return np.ascontiguousarray(typed)

    def _found(self, places: tuple[IntArray, IntArray]) -> NDArray[np.int64]:
        result: NDArray[np.int64] = path_edits.look_up_all(
            self._pool.memory, self._root[0], self._geometry, *places
        )
        return result

    def _require_stored(self, places: tuple[IntArray, IntArray]) -> None:
        absent = np.flatnonzero(self._found(places) < 0)
        if len(absent):
            row, column = (int(each[absent[0]]) for each in (places[::-1] if self._transposed else places))
            raise UserError(f"no entry is stored at row {row}, column {column}: use `insert` to add one")


def _release(released: Any, root: list[int], levels: int) -> None:
    if root[0]:
        released.append((root[0], levels))
