"""What is timed: operations, and the methods that the paper compares, or what is the best today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu.hisparse.traversal.product import Schedule

OPERATIONS = {
    "spmv": "y = A x",
    "spmv_t": "y = Aᵀ x",
    "sum": "C = A + B",
    "sum_t": "C = Aᵀ + Bᵀ",
    "sum_bt": "C = A + Bᵀ",
    "edit": "entries inserted",
}
"""By the names in files."""
PRODUCTS, SUMS = ("spmv", "spmv_t"), ("sum", "sum_t", "sum_bt")
EDIT = "edit"
DTYPES = {"float64": "f64", "float32": "f32"}
"""The types, and how they are called in tables; the paper's figures are in the first."""
OWN = "hisparse"
PUBLISHED, BY_LEVELS, QUEUED = "hisparse-published", "hisparse-levels", "hisparse-queues"
CSR, BEST = "cusparse-csr", "cusparse-best"
NAIVE = "naive"
GEAM, CONVERTING_GEAM, CONVERTED_GEAM = "cusparse-geam", "cusparse-geam-converting", "cusparse-geam-converted"
CSR_SUM, TREE_SUM, DUAL_SUM = "csr-sum", "hisparse-sum", "hisparse-dual-sum"
TREE_EDIT, CSR_EDIT = "hisparse-edit", "csr-edit"
LIBRARY = ("csr_alg1", "csr_alg2", "coo_alg1", "coo_alg2", "sell_32", "bsr_3_column")
"""Formats and algorithms of cuSPARSE, the fastest is its best; those that pad too much are left out."""


@dataclass(frozen=True)
class Method:
    """A way to do an operation.

    Attributes
    ----------
    name
        As it stands in files.
    label
        As charts and tables call it.
    printed
        The library of the paper's tables that it is compared with; empty for none.
    what
        What it is here.
    """

    name: str
    label: str
    printed: str
    what: str


METHODS = {
    method.name: method
    for method in (
        Method(
            PUBLISHED,
            "HiSparse as published",
            "HiSparse",
            "the tree with d = 128, walked down in every product: queues by type and size, threads sized to "
            "a node, atomic additions to y. Stand-in: where the paper's controller starts kernels by dynamic "
            "parallelism, which Numba does not have, one gives parts of queues to blocks that stand by",
        ),
        Method(
            BY_LEVELS,
            "as published, by levels",
            "",
            "the same queues, with a launch for each level instead of a controller",
        ),
        Method(
            QUEUED,
            "as published, queues filled",
            "",
            "the same leaves, but the queues are filled beforehand: what is left without scheduling "
            "(`gpu.prepare` of a `gpu.DeviceHiSparse`)",
        ),
        Method(
            OWN,
            "HiSparse, flat",
            "HiSparse",
            "not as published: one stored copy for both products, nodes of 256 x 256, leaves laid out on the "
            "host in a fixed order, no atomic additions (`gpu.prepare(A, 'hisparse')`)",
        ),
        Method(
            CSR,
            "cuSPARSE CSR",
            "cuSparse",
            "CSR, the faster of its two algorithms; transposed: the operation on A as it is stored",
        ),
        Method(
            BEST,
            "cuSPARSE, best",
            "",
            "the fastest of CSR, COO, sliced ELLPACK and, where blocks are full, BSR; transposed: as an "
            "operation",
        ),
        Method(
            NAIVE,
            "naive",
            "Naive",
            "CSR, one thread a row; transposed: atomic addition of every product to y",
        ),
        Method(
            DUAL_SUM,
            "HiSparse as published",
            "HiSparse",
            "both trees with d = 128 walked down together: queues of pairs and of copies, memory from an "
            "atomic counter, transposed operands exchanged in each node. Stand-ins: a launch for each level "
            "instead of the controller, and a bitmap instead of sorting coordinates",
        ),
        Method(
            TREE_SUM,
            "gpu.add of HiSparse",
            "HiSparse",
            "not as published: the lists of leaves are merged, then counting and writing (`gpu.add`); of two "
            "transposed operands the sum is that of A and B, whose state is transposed",
        ),
        Method(
            CSR_SUM,
            "gpu.add of CSR",
            "",
            "our sum of CSR operands (`gpu.add`), counting and writing; a transposed operand is converted, "
            "of two their sum",
        ),
        Method(
            TREE_EDIT,
            "HiSparse, edited",
            "",
            "a batch inserted into a tree with d = 256, which shares the leaves that stay as they are "
            "(`gpu.DeviceHiSparse.insert`)",
        ),
        Method(
            CSR_EDIT,
            "CSR, edited",
            "",
            "the same batch added to CSR (`gpu.add`), which writes the whole matrix again",
        ),
        Method(
            GEAM,
            "cuSPARSE csrgeam2",
            "cuSparse",
            "csrgeam2 of CSR with reused buffers, symbolic and numeric; transposes are there already",
        ),
        Method(
            CONVERTING_GEAM,
            "csrgeam2 converting",
            "cuSparse",
            "the same after the conversion of each transposed operand by Csr2cscEx2",
        ),
        Method(
            CONVERTED_GEAM,
            "csrgeam2, then converted",
            "",
            "csrgeam2 of A and B, and the conversion of the sum: one conversion instead of two",
        ),
    )
}
"""By name."""
TRAVERSALS: dict[str, Schedule] = {PUBLISHED: "controller", BY_LEVELS: "levels", QUEUED: "filled"}
"""The products that walk down the tree, with their schedules (`gpu.hisparse.traversal.product`)."""
PRODUCT_METHODS = (PUBLISHED, BY_LEVELS, QUEUED, OWN, CSR, BEST, NAIVE)
SUM_METHODS = (DUAL_SUM, TREE_SUM, CSR_SUM, GEAM, CONVERTING_GEAM, CONVERTED_GEAM)

MOST_PADDING = 1.6
"""cuSPARSE's sliced ELLPACK is not tried where it has this many times the places of CSR."""
LEAST_BLOCK_FILL = 0.7
"""Nor its BSR where blocks are filled to less."""


def pays(name: str, csr: Any) -> bool:
    """Return whether a format of cuSPARSE is tried: not where it would store far more than CSR."""
    from experiments.baseline.cusparse_formats import block_fill, sell_places

    kind, _, rest = name.partition("_")
    if kind == "sell":
        return bool(sell_places(csr, int(rest)) <= MOST_PADDING * csr.nnz)
    return kind != "bsr" or block_fill(csr, int(rest.partition("_")[0])) >= LEAST_BLOCK_FILL
