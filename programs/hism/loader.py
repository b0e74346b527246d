"""Places a matrix in memory for its programs, and for those of CHiSM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from programs.loading import MatrixImage
from vecsim.formats import HiSM, Layout
from vecsim.formats.storage import hism_bytes
from vecsim.machine import Machine


def load(matrix: Any, machine: Machine, layout: Layout, options: Mapping[str, int]) -> MatrixImage:
    """Return the image of a SciPy sparse matrix in HiSM.

    Option POSITION_BYTES is the size of a column or row position, 0 for the smallest that s allows.

    Parameters
    ----------
    matrix, machine, layout, options
        As every loader takes them; see `programs.registry.Loader`.
    """
    hism = HiSM.from_scipy(matrix, section_size=machine.section_size)
    image = hism.image(layout, position_bytes=options["POSITION_BYTES"] or None)
    levels = image.symbols["LEVELS"]
    frame = 32 + 3 * 4 * machine.section_size
    storage = hism_bytes(
        "image",
        level_entries=hism.level_entries,
        position_bytes=image.symbols["POSITION_BYTES"],
        value_bytes=layout.value_bytes,
    )
    return MatrixImage(image, storage, stack_bytes=levels * frame)
