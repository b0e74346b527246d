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
from gpu.formats.propagation.container import PropagationBlocks
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
        f"slices of {rows} row{'s' if rows > 1 else ''}, {threads_per_row} threads a row: for small matrices",
        f"after {MONAKOV}",
        slice_height=rows,
        threads_per_row=threads_per_row,
    )


def _blocks(block: int) -> NamedFormat:
    """Name slices of dense blocks, for matrices whose degrees of freedom come this many a node."""
    return _sliced(
        f"sell-c-sigma-blocks-{block}",
        f"dense blocks of {block} x {block} with one column each, rows of blocks sorted within 1024",
        BLOCKS,
        sorting_window=1024,
        index_bits=None,
        block=block,
    )


def _blocks_with_threads(block: int) -> NamedFormat:
    return _sliced(
        f"sliced-ell-blocks-{block}-threads",
        f"dense blocks of {block} x {block}, four threads a row and up to 32 where rows are few and long",
        BLOCKS,
        threads_per_row=None,
        index_bits=None,
        block=block,
    )


def _hyb(name: str, split: str, cut: str, source: str) -> NamedFormat:
    return _named(
        name,
        f"the first entries of each row in ELL, the rest as COO; cut {cut}",
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
        "a tree of nodes of 256 x 256 entries, sparse or dense, in one pool; can be shared and edited",
        "Derler et al., ICS 2017, section 3",
        HiSparse,
    ),
    _named(
        "hbp",
        "blocks of 512 x 4096, rows of a block in the order of a hash of their lengths, 32 a warp",
        "Yan, Diao, Liu, An, Xu, section III",
        HBP,
        historical=True,
    ),
    _named(
        "hbp-active",
        "rows with 8 entries or more in a block, in slots of up to 64, the rest as crs; 16-bit columns",
        "vecsim, after Yan, Diao, Liu, An, Xu",
        ActiveHBP,
        {"by_degree": False},
    ),
    _named(
        "hbp-by-degree",
        "as hbp-active, blocks of the columns in order of their entries, so that hubs stand together",
        "vecsim, after Yan, Diao, Liu, An, Xu",
        ActiveHBP,
        {"by_degree": True},
    ),
    _named(
        "propagation",
        "entries by parts of the columns, and the places of their products by bins of rows: two steps",
        "vecsim, after propagation blocking: Beamer, Asanovic and Patterson, IPDPS 2017",
        PropagationBlocks,
    ),
    _named(
        "sell-segments",
        "segments of columns as large as shared memory, slots in them sorted within 4096; 16-bit columns",
        f"vecsim, after {SELL_C_SIGMA}, and Yan, Diao, Liu, An, Xu",
        SegmentedSliced,
    ),
    NamedFormat("coo", "row, column and value of each entry, by row", "in general use", COO),
    _hyb("hyb", "bytes", "where the product should take the least time", f"vecsim, after {BELL_GARLAND}"),
    _hyb("hyb-third", "third", "at the width that a third of the rows fill", BELL_GARLAND),
    _hyb("hyb-mean", "mean", "at the mean length of the rows", f"{BELL_GARLAND}; this rule: {PELLR}"),
    _biell(
        "biell",
        "rows sorted by length in each warp, cut in groups of the 32, 16, 8, 4, 2 and 1 longest",
        sorted_globally=False,
    ),
    _biell(
        "bijad",
        "all rows sorted by length, each warp cut in groups of the 32, 16, 8, 4, 2 and 1 longest",
        sorted_globally=True,
    ),
    _sliced("ell", "one slice: every row as wide as the longest", BELL_GARLAND, slice_height=None),
    _sliced(
        "ellpack-r",
        "ELL with the lengths of the rows, so that a thread stops at the end of its row",
        "Vazquez et al. 2011",
        slice_height=None,
        row_lengths=True,
    ),
    _sliced("sliced-ell", "slices of 32 rows, each as wide as its longest row", MONAKOV),
    _sliced(
        "sell-c-sigma", "slices of 32 rows, sorted by length within 1024", SELL_C_SIGMA, sorting_window=1024
    ),
    # As published it is one slice as wide as the longest row, which one long row makes impossible.
    _sliced(
        "pellr",
        "all rows sorted by length, with their lengths; cut into slices of 32",
        f"{PELLR}, there in one slice",
        sorting_window=None,
        row_lengths=True,
    ),
    _sliced(
        "sliced-ell-short",
        "slices of 32 rows, 16-bit column offsets from a base of the slice",
        f"after {MONAKOV}",
        index_bits=16,
    ),
    _sliced(
        "sliced-ell-wide", "slices of 32 rows, two entries of a row side by side", f"after {MONAKOV}", wide=2
    ),
    _sliced(
        "sliced-ell-short-wide",
        "slices of 32 rows, 16-bit column offsets, two entries of a row side by side",
        f"after {MONAKOV}",
        wide=2,
        index_bits=16,
    ),
    _sliced(
        "sell-c-sigma-short",
        "slices of 32 rows, sorted within 1024, 16-bit column offsets from a base of each step",
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
        "slices of 32 rows; distances between the columns of a row, packed in 4 to 16 bits each",
        "after CoAdELL: Maggioni and Berger-Wolf, IPDPS 2014",
        SlicedDeltas,
    ),
    _named(
        "sliced-diagonals",
        "slices of 32 rows along their diagonals: a mask of rows each, no columns; equal slices share them",
        "after CRSD: Sun et al., ICPP 2011",
        SlicedDiagonals,
    ),
    _mixed(
        "sell-near",
        "rows sorted within 512, more threads for longer ones; 16-bit columns near a base, 32-bit ones far",
    ),
    _mixed("sell-near-wide", "the same as sell-near, two entries of a row side by side", wide=2),
    _mixed(
        "sell-hubs",
        "all rows sorted, more threads for longer ones; 16-bit numbers of the 65,535 fullest columns",
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
    raise UserError(f"unknown format {name!r}; formats are {', '.join(FORMATS)}{nearest(name, known)}")


def format_of(stored: object) -> NamedFormat | None:
    """Return the named format that a matrix is in; None for an arrangement without a name."""
    for each in FORMATS.values():
        if type(stored) is each.container and all(
            getattr(stored, option, value) == value for option, value in each.options.items()
        ):
            return each
    return None
