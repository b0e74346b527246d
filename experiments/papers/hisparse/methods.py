"""What is timed: operations, and the methods that the paper compares, or what is the best today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

OPERATIONS = {
    "spmv": "y = A x",
    "spmv_t": "y = Aᵀ x",
    "sum": "C = A + B",
    "sum_t": "C = Aᵀ + Bᵀ",
    "sum_bt": "C = A + Bᵀ",
}
"""By the names in files."""
PRODUCTS, SUMS = ("spmv", "spmv_t"), ("sum", "sum_t", "sum_bt")
DTYPES = {"float64": "f64", "float32": "f32"}
"""The types, and how they are called in tables; the paper's figures are in the first."""
OWN = "hisparse"
CSR, BEST = "cusparse-csr", "cusparse-best"
NAIVE = "naive"
GEAM, CONVERTING_GEAM, CONVERTED_GEAM = "cusparse-geam", "cusparse-geam-converting", "cusparse-geam-converted"
CSR_SUM, TREE_SUM = "csr-sum", "hisparse-sum"
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
            OWN,
            "HiSparse",
            "HiSparse",
            "one stored copy for both products, nodes of 256 x 256, its static schedule "
            "(`gpu.prepare(A, 'hisparse')`)",
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
            TREE_SUM,
            "gpu.add of HiSparse",
            "HiSparse",
            "our sum of HiSparse operands (`gpu.add`), counting and writing; of two transposed operands the "
            "sum is that of A and B, whose state is transposed",
        ),
        Method(
            CSR_SUM,
            "gpu.add of CSR",
            "",
            "our sum of CSR operands (`gpu.add`), counting and writing; a transposed operand is converted, "
            "of two their sum",
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
PRODUCT_METHODS = (OWN, CSR, BEST, NAIVE)
SUM_METHODS = (TREE_SUM, CSR_SUM, GEAM, CONVERTING_GEAM, CONVERTED_GEAM)

MOST_PADDING = 1.6
"""cuSPARSE's sliced ELLPACK is not tried where it has this many times the places of CSR."""
LEAST_BLOCK_FILL = 0.7
"""Nor its BSR where blocks are filled to less."""


def pays(name: str, csr: Any) -> bool:
    """Return whether a format of cuSPARSE is tried: not where it would store far more than CSR."""
    from gpu.baseline.cusparse_formats import block_fill, sell_places

    kind, _, rest = name.partition("_")
    if kind == "sell":
        return bool(sell_places(csr, int(rest)) <= MOST_PADDING * csr.nnz)
    return kind != "bsr" or block_fill(csr, int(rest.partition("_")[0])) >= LEAST_BLOCK_FILL
