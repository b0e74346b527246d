"""Places a matrix in memory for its programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from programs.loading import MatrixImage
from vecsim.formats import BBCS, Layout
from vecsim.machine import Machine


def load(matrix: Any, machine: Machine, layout: Layout, options: Mapping[str, int]) -> MatrixImage:
    """Return the image of a SciPy sparse matrix in BBCS with blocks as wide as a section.

    Parameters
    ----------
    matrix, machine, layout, options
        As every loader takes them; see `programs.registry.Loader`.
    """
    bbcs = BBCS.from_scipy(matrix, section_size=machine.section_size)
    return MatrixImage(bbcs.image(layout), bbcs.storage("image"))
