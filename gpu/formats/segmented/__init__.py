"""The product of rows cut by segments of the columns: multiprocessors keep segments of x in shared memory."""

from gpu.formats.segmented.product import SegmentedProduct

__all__ = ["SegmentedProduct"]
