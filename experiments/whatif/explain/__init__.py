"""What a sweep shows: its table as pictures, each with its numbers."""

from experiments.whatif.explain.cells import Cells, cells_of, read_cells
from experiments.whatif.explain.report import report

__all__ = ["Cells", "cells_of", "read_cells", "report"]
