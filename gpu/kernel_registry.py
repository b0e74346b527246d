"""The kernels of the GPU by name: the format that each multiplies, and what puts it on the device."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from gpu.choice import work_counts
from gpu.choice.structure import Structure, Work
from gpu.format_registry import FORMATS, format_of
from gpu.formats.bbcs.product import BBCSProduct
from gpu.formats.biell.container import BiELL
from gpu.formats.biell.product import BiELLProduct
from gpu.formats.coo.product import COOProduct
from gpu.formats.crs.adaptive import CRSAdaptiveProduct
from gpu.formats.crs.product import CRSProduct
from gpu.formats.hism.product import HiSMProduct
from gpu.formats.hyb.container import HYB
from gpu.formats.hyb.product import HYBProduct
from gpu.formats.jd.product import JDProduct
from gpu.formats.mixed_sliced.container import MixedSliced
from gpu.formats.mixed_sliced.product import MixedSlicedProduct
from gpu.formats.segmented import SegmentedProduct
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.ellpack_r import EllpackRProduct
from gpu.formats.sliced.product import SlicedProduct
from gpu.formats.sliced_deltas.product import DeltaProduct
from gpu.formats.sliced_diagonals.product import DiagonalProduct
from gpu.hbp.active_product import ActiveHBPProduct
from gpu.hbp.product import HBPProduct
from gpu.hisparse.container import HiSparse
from gpu.hisparse.device_hisparse import DeviceHiSparse
from gpu.hisparse.product import HiSparseProduct
from gpu.hisparse.traversal.product import HiSparseTraversal
from gpu.runtime.cuda import WARP
from gpu.vector_products import Product
from vecsim.formats import NamedFormat

ROW_CAP = 512
"""Entries of a piece, where long rows of CRS are cut."""
UNORDERED = "but sums are added to y in any order, so the last bits vary"
"""What the summaries of kernels that add by atomics say."""
QUEUED_TREE = "hisparse-queues"
"""What multiplies a `DeviceHiSparse`, without a layout that is made on the host."""
SLICED = "sliced"
"""What a matrix in an arrangement without a name is called."""


@dataclass(frozen=True)
class Kernel:
    """A product on the GPU.

    Attributes
    ----------
    name
        What `gpu.prepare` takes, and reports call it.
    format
        The format that it multiplies: of the same name, unless a format has several kernels.
    summary
        What it is, in a line.
    convert
        Makes the host format of a SciPy sparse matrix.
    product
        Puts the host format on the device, for blocks of this many threads.
    deterministic
        Whether results are equal to the last bit from run to run.
    historical
        Whether it comes from an earlier paper, as `NamedFormat.historical`.
    work
        What a product does, counted from the pattern of the matrix without converting it
        (`gpu.choice.work_counts`); it returns None where the format cannot hold the matrix. `auto` takes
        kernels that have it.
    """

    name: str
    format: NamedFormat
    summary: str
    convert: Callable[[Any], Any]
    product: Callable[[Any, int], Product]
    deterministic: bool = True
    historical: bool = False
    work: Callable[[Structure], Work | None] | None = None


def _kernel(
    name: str,
    product: Callable[[Any, int], Product],
    *,
    format: str = "",
    summary: str = "",
    work: Callable[[Structure], Work | None] | None = None,
    deterministic: bool = True,
    historical: bool = False,
    **options: Any,
) -> Kernel:
    """Make a row.

    Parameters
    ----------
    name, product, work
        See `Kernel`.
    format
        The name of the format, if it is another.
    summary
        What it is; without it, what the format is.
    deterministic
        See `Kernel`.
    historical
        Whether the kernel is, where the format is not.
    **options
        For the conversion, next to those of the format.
    """
    of = FORMATS[format or name]
    return Kernel(
        name,
        of,
        summary or of.summary,
        of.conversion(**options),
        product,
        deterministic=deterministic,
        historical=historical or of.historical,
        work=work,
    )


def _crs(name: str, product: Callable[[Any, int], Product], summary: str, **rest: Any) -> Kernel:
    # What goes to the device at once need not be copied before.
    return _kernel(name, product, format="crs", summary=summary, copy=False, **rest)


def _of_container(container: type) -> Iterable[NamedFormat]:
    return (each for each in FORMATS.values() if each.container is container)


def _sliced(format: NamedFormat) -> Kernel:
    slicing = format.options["slicing"]
    count = work_counts.sliced if slicing.block == 1 else work_counts.blocks
    product = EllpackRProduct if slicing.row_lengths else SlicedProduct
    return _kernel(format.name, product, work=partial(count, slicing=slicing))


def _mixed(format: NamedFormat) -> Kernel:
    work = partial(work_counts.mixed, slicing=format.options["slicing"])
    return _kernel(format.name, MixedSlicedProduct, work=work)


def _queued_leaves(matrix: HiSparse | DeviceHiSparse, threads_per_block: int) -> HiSparseTraversal:
    placed = DeviceHiSparse.from_hisparse(matrix) if isinstance(matrix, HiSparse) else matrix
    return HiSparseTraversal(placed, "filled")


_ALL = (
    _crs(
        "crs",
        CRSProduct,
        "CRS, several threads per row; their number depends on the mean row length",
        work=work_counts.crs,
    ),
    _crs(
        "crs-scalar",
        partial(CRSProduct, threads_per_row=1),
        "CRS, one thread per row",
        work=partial(work_counts.crs, threads_per_row=1),
    ),
    _crs(
        "crs-split",
        partial(CRSProduct, row_cap=ROW_CAP),
        f"CRS; rows of more than {ROW_CAP} entries are cut into pieces, whose sums are added in order",
        work=partial(work_counts.crs, row_cap=ROW_CAP),
    ),
    _crs(
        "crs-adaptive",
        CRSAdaptiveProduct,
        "CRS in groups of rows with about equally many entries; a thread block writes products to shared "
        "memory and adds them by row; a long row is one or more groups",
        work=work_counts.crs_adaptive,
    ),
    _crs(
        "crs-half-warp",
        partial(CRSProduct, threads_per_row=WARP // 2),
        "CRS, half a warp (16 threads) per row, whatever the row length, as in kernels for early GPUs",
        historical=True,
    ),
    _kernel(
        "coo",
        COOProduct,
        summary="the row, column and value of each entry; a warp adds 512 consecutive entries, from any "
        "number of rows, by a segmented scan",
        work=work_counts.coo,
        copy=False,
    ),
    *(_kernel(format.name, HYBProduct) for format in _of_container(HYB)),
    *(_kernel(format.name, BiELLProduct) for format in _of_container(BiELL)),
    *map(_sliced, _of_container(Sliced)),
    _kernel(
        "pellr-near",
        partial(EllpackRProduct, near=True),
        format="pellr",
        summary="as pellr, but slices are multiplied in the order of the numbers of their first rows, so "
        "that concurrent slices read nearby elements of x",
    ),
    _kernel("sliced-deltas", DeltaProduct, work=work_counts.sliced_deltas),
    _kernel("sliced-diagonals", DiagonalProduct, work=work_counts.sliced_diagonals),
    *map(_mixed, _of_container(MixedSliced)),
    _kernel("jd", JDProduct),
    _kernel("bbcs", BBCSProduct),
    _kernel("hism", HiSMProduct),
    _kernel("hisparse", HiSparseProduct),
    _kernel(
        QUEUED_TREE,
        _queued_leaves,
        format="hisparse",
        summary="as hisparse, but the tree is multiplied as it is, its leaves in queues by their size; for "
        f"matrices that are edited on the device, {UNORDERED}",
        deterministic=False,
    ),
    _kernel("hbp", HBPProduct),
    _kernel("hbp-active", ActiveHBPProduct),
    _kernel(
        "hbp-active-direct",
        partial(ActiveHBPProduct, direct=True),
        format="hbp-active",
        summary=f"as hbp-active, {UNORDERED}",
        deterministic=False,
    ),
    _kernel("sell-segments", SegmentedProduct, work=partial(work_counts.segmented, direct=False)),
    _kernel(
        "sell-segments-direct",
        partial(SegmentedProduct, direct=True),
        format="sell-segments",
        summary=f"as sell-segments, {UNORDERED}",
        work=partial(work_counts.segmented, direct=True),
        deterministic=False,
    ),
)

KERNELS: dict[str, Kernel] = {kernel.name: kernel for kernel in _ALL}
"""By the name that `gpu.prepare` takes."""

ALIASES: dict[str, str] = {
    alias + name.removeprefix(kernel.format.name): name
    for name, kernel in KERNELS.items()
    for alias in kernel.format.aliases
}
"""Other names of them, from those of their formats: ``csr-split`` for ``crs-split``."""


def work_counts_of(*, deterministic: bool = False) -> dict[str, Callable[[Structure], Work | None]]:
    """Return what counts the work of each kernel that `auto` may take.

    Parameters
    ----------
    deterministic
        Leave out kernels whose results may differ from run to run.
    """
    return {
        name: kernel.work
        for name, kernel in KERNELS.items()
        if kernel.work is not None and (kernel.deterministic or not deterministic)
    }


def kernels_of(container: type) -> list[str]:
    """Return the names of the kernels that multiply a class of `vecsim.formats`, the general one first."""
    return [name for name, kernel in KERNELS.items() if kernel.format.container is container]


def kernel_of(stored: object) -> tuple[str, str] | None:
    """Find what multiplies a matrix that is in a format already.

    Returns
    -------
    tuple of str, or None
        What the format is called (`SLICED`, if it is an arrangement without a name), and the kernel's name;
        None if it is no format that has one.
    """
    if isinstance(stored, DeviceHiSparse):
        return QUEUED_TREE, QUEUED_TREE
    result = kernels_of(type(stored))
    if not result:
        return None
    named = format_of(stored)
    return (SLICED, result[0]) if named is None else (named.name, named.name)
