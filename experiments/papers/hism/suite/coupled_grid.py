"""Several unknowns at each point of a grid: a stand-in for systems of flow equations."""

from typing import Any

import numpy as np
import scipy.sparse


def coupled_grid(rows: int, columns: int, unknowns: int) -> Any:
    """Return the five-point stencil on a grid with `unknowns` at each point, all coupled with all.

    Points are numbered row by row, the unknowns of a point lie side by side. Values: the stencil's, times
    1 on the diagonal of a block and 1/4 next to it.
    """
    line = [
        scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n)) for n in (rows, columns)
    ]
    eye = [scipy.sparse.eye_array(n) for n in (rows, columns)]
    points = scipy.sparse.kron(line[0], eye[1]) + scipy.sparse.kron(eye[0], line[1])
    block = 0.75 * np.eye(unknowns) + 0.25
    return scipy.sparse.csr_array(scipy.sparse.kron(points, block, format="csr"))
