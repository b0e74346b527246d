"""The products that are compared, by the names that the paper gives them."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.formats.sliced.slicing import Slicing

BASELINE = ("csr_alg1", "csr_alg2")
"""Algorithms of cuSPARSE's CSR; the faster one counts."""


@dataclass(frozen=True)
class Method:
    """A format with its product.

    Attributes
    ----------
    name
        As it stands in files.
    label
        As the paper calls it, or as we do.
    format
        A name of `gpu.KERNELS`, or an arrangement of the sliced container; empty for cuSPARSE.
    what
        What it is here.
    """

    name: str
    label: str
    format: str | Slicing
    what: str


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("csrv", "CSRV", "crs-half-warp", "CSR vector: half a warp a row, as in the paper"),
        Method("jad", "JAD", "jd", "jagged diagonals; ours lets several warps share very long rows"),
        Method("ell", "ELL", "ell", "every row as wide as the longest, one thread a row"),
        Method("ellr", "ELLR", "ellpack-r", "ELLPACK-R: the same, a thread stops at the end of its row"),
        Method(
            "ellr-sliced",
            "ELLR, cut",
            Slicing(row_lengths=True),
            "ELLPACK-R cut into slices of a warp, which long rows do not make impossible",
        ),
        Method("pellr", "PELLR", "pellr", "ELLPACK-R with all rows sorted by length, cut into slices"),
        Method(
            "pellr-near",
            "PELLR, near",
            "pellr-near",
            "the same arrays, slices taken in the order of their first rows, so that x stays in the cache",
        ),
        Method("hyb-third", "HYB", "hyb-third", "HYB by the rule of a third, the default of cuSPARSE's"),
        Method("hyb-mean", "HYB, mean", "hyb-mean", "HYB with the mean row length, the paper's other rule"),
        Method("hyb", "HYB, ours", "hyb", "HYB by our rule: the least bytes, weighed by kernel"),
        Method("biell", "BiELL", "biell", "our reading: rows sorted within a warp, six groups"),
        Method("bijad", "BiJAD", "bijad", "our reading: the same with all rows sorted"),
        Method("cucsr", "cuCSR", "", "CSR of cuSPARSE, the faster of its two algorithms"),
    )
}
"""By name, those of Figure 12 first to last."""

FILLED_METHODS = ("ellr-sliced", "pellr", "pellr-near", "hyb-third", "biell", "bijad")
"""What is measured on matrices that are repeated to fill the GPU: what the paper compares with PELLR."""
NOT_GENERATED = ("jad", "hyb-mean")
"""What is left out of the generated matrices: JAD takes NumPy seconds to convert, HYB has two other rules."""
