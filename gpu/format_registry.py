"""Every format by name: those of the simulated machine, and those that only GPUs use.

Nothing here imports CUDA, so that whoever asks which formats there are needs no GPU.
"""

from functools import partial
from typing import Any

from gpu.formats.biell.container import BiELL
from gpu.formats.coo.container import COO
from gpu.formats.hyb.container import HYB
from gpu.formats.mixed_sliced.container import MixedSliced
from gpu.formats.mixed_sliced.slicing import MixedSlicing
from gpu.formats.segmented.container import SegmentedSliced
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from gpu.formats.sliced_deltas.container import SlicedDeltas
from gpu.formats.sliced_diagonals.container import SlicedDiagonals
from gpu.hbp.active import ActiveHBP
from gpu.hbp.container import HBP
from gpu.hisparse.container import HiSparse
from vecsim.formats.registry import MACHINE_FORMATS, NamedFormat
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

BELL_GARLAND = "Bell and Garland 2009"
MONAKOV = "Monakov et al. 2010"
SELL_C_SIGMA = "Kreutzer et al. 2014"
BIELL = "Zheng, Gu, Gu, Liu, J. Parallel and Distributed Computing 74, 2014, as we read it"
PELLR = "Wang and Gu, J. Computer and Communications 8, 2020"
BLOCKS = "after blocked ELLPACK: Choi, Singh and Vuduc 2010"


_named = partial(NamedFormat, for_gpu=True)


def _sliced(name: str, summary: str, source: str, **slicing: Any) -> NamedFormat:
    """Name an arrangement of the sliced container."""
    return _named(name, summary, source, Sliced, {"slicing": Slicing(**slicing)})


def _small(rows: int, threads_per_row: int) -> NamedFormat:
    """Name slices that are a warp, for small matrices: with a thread a row most of the GPU would be idle."""
    return _sliced(
        f"sliced-ell-{threads_per_row}-threads",
        f"slices of {rows} row{'s' if rows > 1 else ''}, {threads_per_row} threads per row",
        f"after {MONAKOV}",
        slice_height=rows,
        threads_per_row=threads_per_row,
    )


def _blocks(block: int) -> NamedFormat:
    """Name slices of dense blocks, for matrices whose degrees of freedom come this many a node."""
    return _sliced(
        f"sell-c-sigma-blocks-{block}",
        f"dense {block} x {block} blocks; rows of blocks sorted in groups of 1024",
        BLOCKS,
        sorting_window=1024,
        index_bits=None,
        block=block,
    )


def _blocks_with_threads(block: int) -> NamedFormat:
    return _sliced(
        f"sliced-ell-blocks-{block}-threads",
        f"dense {block} x {block} blocks; 4 threads per row of blocks, up to 32 if the rows are few and long",
        BLOCKS,
        threads_per_row=None,
        index_bits=None,
        block=block,
    )


def _hyb(name: str, split: str, width: str, source: str) -> NamedFormat:
    return _named(
        name,
        f"ELL for the first entries of each row, COO for the rest; {width}",
        source,
        HYB,
        {"split": split},
        historical=True,
    )


def _biell(name: str, summary: str, *, sorted_globally: bool) -> NamedFormat:
    options = {"sorted_globally": sorted_globally}
    return _named(name, summary, BIELL, BiELL, options, historical=True)


def _mixed(name: str, summary: str, **slicing: Any) -> NamedFormat:
    return _named(
        name,
        summary,
        f"vecsim, after SELL-C-sigma: {SELL_C_SIGMA}",
        MixedSliced,
        {"slicing": MixedSlicing(**slicing)},
    )


_ALL = (
    *MACHINE_FORMATS.values(),
    _named(
        "hisparse",
        "a tree of sparse or dense nodes of 256 x 256 entries; can be edited; matrices can share nodes",
        "Derler et al., ICS 2017, section 3",
        HiSparse,
    ),
    _named(
        "hbp",
        "blocks of 512 x 4096; a hash of the row lengths orders the rows of a block; 32 rows per warp",
        "Yan, Diao, Liu, An, Xu, section III",
        HBP,
        historical=True,
    ),
    _named(
        "hbp-active",
        "HBP for rows with 8 or more entries in a block, in slots of up to 64; CRS for all other entries",
        "vecsim, after Yan, Diao, Liu, An, Xu",
        ActiveHBP,
    ),
    _named(
        "sell-segments",
        "column segments whose part of x fits shared memory; slots sorted in groups of 4096; 16-bit columns",
        f"vecsim, after {SELL_C_SIGMA}, and Yan, Diao, Liu, An, Xu",
        SegmentedSliced,
    ),
    NamedFormat("coo", "the row, column and value of each entry, sorted by row", "in general use", COO),
    _hyb("hyb", "bytes", "the ELL width with the least estimated time", f"vecsim, after {BELL_GARLAND}"),
    _hyb("hyb-third", "third", "the largest ELL width that a third of the rows fill", BELL_GARLAND),
    _hyb("hyb-mean", "mean", "the mean row length as ELL width", f"{BELL_GARLAND}; this rule: {PELLR}"),
    _biell(
        "biell",
        "32 rows per warp, sorted by length; whenever the shorter half ends, the threads per row double",
        sorted_globally=False,
    ),
    _biell(
        "bijad",
        "as biell, but all rows of the matrix are sorted by length before they are cut into warps",
        sorted_globally=True,
    ),
    _sliced("ell", "all rows padded to the length of the longest row", BELL_GARLAND, slice_height=None),
    _sliced(
        "ellpack-r",
        "ELL with stored row lengths, so that a thread stops at the end of its row",
        "Vazquez et al. 2011",
        slice_height=None,
        row_lengths=True,
    ),
    _sliced("sliced-ell", "slices of 32 rows, padded to the longest row of the slice", MONAKOV),
    _sliced(
        "sell-c-sigma",
        "slices of 32 rows; rows sorted by length in groups of 1024",
        SELL_C_SIGMA,
        sorting_window=1024,
    ),
    # As published it is one slice as wide as the longest row, which one long row makes impossible.
    _sliced(
        "pellr",
        "slices of 32 rows; all rows sorted by length; row lengths stored, as in ellpack-r",
        f"{PELLR}, there in one slice",
        sorting_window=None,
        row_lengths=True,
    ),
    _sliced(
        "sliced-ell-short",
        "slices of 32 rows; 16-bit columns, one base per slice",
        f"after {MONAKOV}",
        index_bits=16,
    ),
    _sliced(
        "sliced-ell-wide",
        "slices of 32 rows; a thread loads two entries of its row at once",
        f"after {MONAKOV}",
        wide=2,
    ),
    _sliced(
        "sliced-ell-short-wide",
        "slices of 32 rows; 16-bit columns, one base per slice; a thread loads two entries at once",
        f"after {MONAKOV}",
        wide=2,
        index_bits=16,
    ),
    _sliced(
        "sell-c-sigma-short",
        "slices of 32 rows; rows sorted in groups of 1024; 16-bit columns, one base per step",
        f"after {SELL_C_SIGMA}",
        sorting_window=1024,
        index_bits=16,
        base_per_step=True,
    ),
    _small(16, 2),
    _small(8, 4),
    _small(4, 8),
    _small(1, 32),
    _blocks(2),
    _blocks(3),
    _blocks(4),
    _blocks_with_threads(3),
    _blocks_with_threads(4),
    _named(
        "sliced-deltas",
        "slices of 32 rows; a column is its distance from the previous entry of the row, in 4 to 16 bits",
        "after CoAdELL: Maggioni and Berger-Wolf, IPDPS 2014",
        SlicedDeltas,
    ),
    _named(
        "sliced-diagonals",
        "slices of 32 rows; an offset and a row mask per diagonal replace columns; equal slices share them",
        "after CRSD: Sun et al., ICPP 2011",
        SlicedDiagonals,
    ),
    _mixed(
        "sell-near",
        "rows sorted in groups of 512; more threads for long rows; 16-bit columns near a base, others 32-bit",
    ),
    _mixed("sell-near-wide", "as sell-near, but a thread loads two entries of its row at once", wide=2),
    _mixed(
        "sell-hubs",
        "all rows sorted by length; more threads for longer rows; 16-bit numbers for the 65,535 largest hubs",
        hubs=True,
        sorting_window=None,
        wide=2,
        thread_lengths=False,
    ),
)

FORMATS: dict[str, NamedFormat] = {each.name: each for each in _ALL}
"""Every format by name, in the order of the tables."""


def find(name: str) -> NamedFormat:
    """Return a format by its name or another name of it.

    Raises
    ------
    UserError
        If there is none.
    """
    for each in FORMATS.values():
        if name == each.name or name in each.aliases:
            return each
    known = [known for each in FORMATS.values() for known in (each.name, *each.aliases)]
    raise UserError(f"unknown format {name!r}; use one of {', '.join(FORMATS)}{nearest(name, known)}")


def format_of(stored: object) -> NamedFormat | None:
    """Return the named format that a matrix is in; None for an arrangement without a name."""
    for each in FORMATS.values():
        if type(stored) is each.container and all(
            getattr(stored, option, value) == value for option, value in each.options.items()
        ):
            return each
    return None
