"""Results that were written to files: read again, compared, run again."""

from experiments.results.comparison import Comparison, compare
from experiments.results.document import Document, Row, read_document
from experiments.results.rerun import Again, Repeated, rerun

__all__ = ["Again", "Comparison", "Document", "Repeated", "Row", "compare", "read_document", "rerun"]
