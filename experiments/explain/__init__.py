"""What a sweep shows: its table as pictures, each with its numbers."""

from experiments.explain.cells import Cells, read_cells
from experiments.explain.report import report

__all__ = ["Cells", "read_cells", "report"]
