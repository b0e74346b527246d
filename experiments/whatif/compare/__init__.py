"""Results that were written to files: read again, compared, run again."""

from experiments.whatif.compare.comparison import Comparison, compare
from experiments.whatif.compare.document import Document, Row, read_document
from experiments.whatif.compare.repetition import Repeated
from experiments.whatif.compare.rerun import Again, rerun

__all__ = ["Again", "Comparison", "Document", "Repeated", "Row", "compare", "read_document", "rerun"]
