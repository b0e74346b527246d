"""HiSparse on the GPU: both products of one stored copy, laid out flat.

`dealing` puts the entries of a leaf into segments, `segments` lays them out, `kernels` multiplies them, and
`product` deals them to blocks of threads and launches. `gpu.hisparse.traversal` multiplies the tree as it is.
"""

from gpu.hisparse.product.product import HiSparseProduct

__all__ = ["HiSparseProduct"]
