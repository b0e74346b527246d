"""HiSparse on the GPU: both products of one stored copy.

`dealing` puts the entries of a leaf into segments, `segments` lays them out, `kernels` multiplies them, and
`product` deals them to blocks of threads and launches. `traversal` is the same product by queues of nodes, as
the paper schedules it.
"""

from gpu.hisparse.product.product import HiSparseProduct
from gpu.hisparse.product.traversal import HiSparseTraversal

__all__ = ["HiSparseProduct", "HiSparseTraversal"]
