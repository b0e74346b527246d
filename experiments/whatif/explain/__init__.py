"""What a sweep shows: its table as pictures, each with its numbers."""

from experiments.whatif.explain.cells import Cells, read_cells
from experiments.whatif.explain.report import report

__all__ = ["Cells", "read_cells", "report"]
