"""Beams and plates of equal finite elements: of Lanczos, of the Oberwolfach benchmarks, of Wathen."""

from typing import Any

import numpy as np
import scipy.sparse

from vecsim.data.families.assembly import FloatArray, coupled
from vecsim.data.finite_elements.assembly import assemble


def clamped_beam(elements: int) -> Any:
    """Return the stiffness of a beam of length 10 with clamped ends.

    Three unknowns a node: axial, deflection, rotation; EA = 10^4, EI = 10^5. Source: H. Simon, NOS1 and
    NOS2 of the LANPRO set, Harwell-Boeing collection, 1982; the constants are read out of nos1. Compared
    with: nos1 (80 elements), every entry; nos2 (320), its pattern and the collection's index.
    """
    h = 10 / elements
    stiffness = _assembled(elements, (1e4 / h * _BAR, 1e5 / h**3 * _flexure(h)))
    return stiffness[3:-3, 3:-3]


def supported_beam(elements: int) -> Any:
    """Return the stiffness of the linear beam of length 0.1, supported at both ends, in flexure.

    Two unknowns a node: deflection, rotation; EI = 0.009818. Source: J. Lienemann, B. Salimbahrami,
    Linear 1D Beam, Oberwolfach Model Reduction Benchmark Collection, 2004; the constant is read out of
    LF10. Compared with: LF10 (9 elements), every entry; LF10000 (9999), the collection's index.
    """
    h = 0.1 / elements
    stiffness = _assembled(elements, (0.009818 / h**3 * _flexure(h),))
    free = np.setdiff1d(np.arange(stiffness.shape[0]), [0, stiffness.shape[0] - 2])
    return stiffness[free][:, free]


def supported_beam_with_torsion(elements: int) -> Any:
    """Return the stiffness of `supported_beam` with axial motion and torsion.

    Four unknowns a node: axial, torsion, deflection, rotation; EA = 157080, GJ = 0.009817 / 1.29. Compared
    with: LFAT5 (4 elements), every entry; LFAT5000 (4999), the collection's index.
    """
    h = 0.1 / elements
    parts = (157080 / h * _BAR, 0.009817 / 1.29 / h * _BAR, 0.009818 / h**3 * _flexure(h))
    stiffness = _assembled(elements, parts)
    last = stiffness.shape[0] - 4
    free = np.setdiff1d(np.arange(stiffness.shape[0]), [0, 1, 2, last, last + 1, last + 2])
    return stiffness[free][:, free]


_BAR = np.array([[1.0, -1.0], [-1.0, 1.0]])
"""Between the two ends of an element: stretching, or twisting, of unit stiffness."""


def _flexure(h: float) -> FloatArray:
    # Hermite cubic element of length h, times h^3 / EI: deflection and rotation of one end, then the other.
    return np.array(
        [
            [12, 6 * h, -12, 6 * h],
            [6 * h, 4 * h * h, -6 * h, 2 * h * h],
            [-12, -6 * h, 12, -6 * h],
            [6 * h, 2 * h * h, -6 * h, 4 * h * h],
        ]
    )


def _assembled(elements: int, parts: tuple[FloatArray, ...]) -> Any:
    # Of all nodes; the parts share no unknowns, so the blocks stand on the diagonal.
    def block(row: int, column: int) -> FloatArray:
        halves = [part.reshape(2, len(part) // 2, 2, len(part) // 2)[row, :, column] for part in parts]
        return np.asarray(scipy.sparse.block_diag(halves).toarray())

    def nodes(offset: int, first: int) -> Any:
        values = np.ones(elements + 1 - abs(offset))
        if not offset:
            values[first] = 0
        return scipy.sparse.diags_array(values, offsets=offset)

    return coupled(
        (nodes(0, -1), block(0, 0)),
        (nodes(0, 0), block(1, 1)),
        (nodes(1, 0), block(0, 1)),
        (nodes(-1, 0), block(1, 0)),
    )


def wathen(elements: int) -> Any:
    """Return the mass matrix of eight-node serendipity elements of unit density, `elements` a side.

    3 n^2 + 4 n + 1 nodes, corners and middles of edges, numbered row by row. Source: A. J. Wathen, IMA
    Journal of Numerical Analysis 7, 1987. Pattern and element are those of N. Higham's gallery, whose
    wathen100 has random densities; so that name is not claimed.
    """
    near = np.array([[6, -6, 2, -8], [-6, 32, -6, 20], [2, -6, 6, -6], [-8, 20, -6, 32]])
    across = np.array([[3, -8, 2, -6], [-8, 16, -8, 20], [2, -8, 3, -8], [-6, 20, -8, 16]])
    element = np.block([[near, across], [across.T, near]]) / 45.0
    row, column = (index.ravel() for index in np.indices((elements, elements)))
    # Between two rows of 2 n + 1 nodes lies one of n + 1.
    bottom = row * (3 * elements + 2) + 2 * column
    middle = row * (3 * elements + 2) + 2 * elements + 1 + column
    top = bottom + 3 * elements + 2
    nodes = np.stack([top + 2, top + 1, top, middle, bottom, bottom + 1, bottom + 2, middle + 1], axis=1)
    return assemble(nodes, element, 3 * elements**2 + 4 * elements + 1)
