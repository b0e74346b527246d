"""HiSparse on the GPU: both products of one stored copy.

`dealing` puts the entries of a leaf into segments, `segments` lays them out, `kernels` multiplies them, and
`product` deals them to blocks of threads and launches.
"""

from gpu.formats.hisparse.product import HiSparseProduct

__all__ = ["HiSparseProduct"]
