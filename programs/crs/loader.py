"""Places a matrix in memory for its programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from programs.loading import MatrixImage
from vecsim.formats import CRS, Layout
from vecsim.machine import Machine


def load(matrix: Any, machine: Machine, layout: Layout, options: Mapping[str, int]) -> MatrixImage:
    """Return the image of a SciPy sparse matrix in CRS.

    Parameters
    ----------
    matrix, machine, layout, options
        As every loader takes them; see `programs.registry.Loader`.
    """
    crs = CRS.from_scipy(matrix)
    products = crs.nnz if options.get("PRODUCTS_IN_MEMORY") else 0
    return MatrixImage(crs.image(layout), crs.storage("image"), work_elements=products)
