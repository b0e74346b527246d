"""Places a matrix in memory for its programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from programs.loading import MatrixImage
from vecsim.formats import JD, Layout
from vecsim.machine import Machine


def load(matrix: Any, machine: Machine, layout: Layout, options: Mapping[str, int]) -> MatrixImage:
    """Return the image of a SciPy sparse matrix in jagged diagonals, with room for y'.

    Parameters
    ----------
    matrix, machine, layout, options
        As every loader takes them; see `programs.registry.Loader`.
    """
    jd = JD.from_scipy(matrix)
    return MatrixImage(jd.image(layout), jd.storage("image"), work_elements=jd.shape[0])
