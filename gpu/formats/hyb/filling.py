"""The compiled, parallel loop that cuts rows in two."""

from typing import Any

from numba import njit, prange


@njit(parallel=True, cache=True)
def split(
    pointers: Any,
    indices: Any,
    data: Any,
    kept_ptr: Any,
    rest_ptr: Any,
    columns: Any,
    values: Any,
    rest_rows: Any,
    rest_columns: Any,
    rest_values: Any,
) -> None:
    """Copy the first entries of each row to one part and the others to the rest, as the pointers say.

    Parameters
    ----------
    pointers, indices, data
        The matrix, sorted CSR without duplicates.
    kept_ptr, rest_ptr
        (M + 1,) int64: where each row begins in the first part, and in the rest.
    columns, values
        What is written of the first part: int32 and floats, as many as it has entries.
    rest_rows, rest_columns, rest_values
        What is written of the rest: int32, int32 and floats.
    """
    for row in prange(len(pointers) - 1):
        at = pointers[row]
        for k in range(kept_ptr[row], kept_ptr[row + 1]):
            columns[k] = indices[at]
            values[k] = data[at]
            at += 1
        for k in range(rest_ptr[row], rest_ptr[row + 1]):
            rest_rows[k] = row
            rest_columns[k] = indices[at]
            rest_values[k] = data[at]
            at += 1
