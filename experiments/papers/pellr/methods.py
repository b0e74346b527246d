"""The products that are compared, by the names that the paper gives them."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.formats.sliced.slicing import Slicing

BASELINE = ("csr_alg1", "csr_alg2")
"""Algorithms of cuSPARSE's CSR; the faster one counts."""
PUBLISHED_BYTES = 6 * 10**9
"""What an ELLPACK as published may take, padding included: memplus repeated for the largest GPU takes 5.4
GB. Kernels of ELLPACK-R and PELLR never read the padding."""


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
    near
        Whether slices are taken in the order of their first rows.
    by_warp
        Whether a length is stored for each warp, not for each row.
    """

    name: str
    label: str
    format: str | Slicing
    what: str
    near: bool = False
    by_warp: bool = False


_WHOLE = Slicing(slice_height=None, row_lengths=True)
_WHOLE_SORTED = Slicing(slice_height=None, row_lengths=True, sorting_window=None)
_CUT_SORTED = Slicing(row_lengths=True, sorting_window=None)

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("csrs", "CSRS", "crs-scalar", "CSR scalar: a thread a row"),
        Method("csrv", "CSRV", "crs-half-warp", "CSR vector: half a warp a row, as in the paper"),
        Method("jad", "JAD", "jd", "jagged diagonals; ours lets several warps share very long rows"),
        Method(
            "ell", "ELL", Slicing(slice_height=None), "every row as wide as the longest, one thread a row"
        ),
        Method("ellr", "ELLR", _WHOLE, "ELLPACK-R: the same, a thread stops at the end of its row"),
        Method("pellr", "PELLR", _WHOLE_SORTED, "as published: one ELLPACK-R of all rows, sorted by length"),
        Method(
            "pellr-warps",
            "PELLR, N_w lengths",
            _WHOLE_SORTED,
            "the same with the length of the longest row of each warp alone, as section 3 offers",
            by_warp=True,
        ),
        Method(
            "ellr-sliced",
            "ELLR, cut",
            Slicing(row_lengths=True),
            "ELLPACK-R cut into slices of a warp, which long rows do not make impossible",
        ),
        Method("pellr-sliced", "PELLR, cut", _CUT_SORTED, "PELLR cut into slices of a warp"),
        Method(
            "pellr-near",
            "PELLR, near",
            _CUT_SORTED,
            "the same arrays, slices taken in the order of their first rows, so that x stays in the cache",
            near=True,
        ),
        Method(
            "hyb-third",
            "HYB",
            "hyb-third",
            "stand-in for the HYB of cuSPARSE, which no longer has it: our kernels by its rule of a third",
        ),
        Method("hyb-mean", "HYB, mean", "hyb-mean", "HYB with the mean row length, the paper's other rule"),
        Method("hyb", "HYB, ours", "hyb", "HYB by our rule: the least bytes, weighed by kernel"),
        Method("biell", "BiELL", "biell", "our reading: rows sorted within a warp, six groups"),
        Method("bijad", "BiJAD", "bijad", "our reading: the same with all rows sorted"),
        Method("cucsr", "cuCSR", "", "CSR of cuSPARSE, the faster of its two algorithms"),
    )
}
"""By name, those of Figure 12 first to last."""

HYB_PARTS = ("hyb-third", "hyb-mean", "hyb")
"""Methods whose ELL part is timed alone, too: what they would take if their COO part cost nothing."""
FILLED_METHODS = (
    "ellr",
    "pellr",
    "pellr-warps",
    "ellr-sliced",
    "pellr-sliced",
    "pellr-near",
    "hyb-third",
    "biell",
    "bijad",
)
"""What is measured on matrices that are repeated to fill the GPU: what the paper compares with PELLR."""
NOT_GENERATED = ("csrs", "jad", "hyb-mean", "pellr-warps")
"""What is left out of the generated matrices: JAD takes NumPy seconds to convert, the others are variants."""
