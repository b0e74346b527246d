"""What the paper prints: Figure 4 and Tables 1 and 2, decoded, and the numbers of its text.

The text of the paper has these tables cell by cell and out of order. Which cell belongs where follows from
the numbers themselves, and the tests check it: entries of inner nodes are the nodes below them, entries of
leaves the non-zeros of the matrix; ratios of Tables 1 and 2 are those of the text.
"""

from __future__ import annotations

from dataclasses import dataclass

NODE_SIZE = 128
"""d of all its measurements (section 7)."""


@dataclass(frozen=True)
class Nodes:
    """A printed line of nodes: sparse ones, dense ones, and their mean entries."""

    sparse: float
    dense: float
    mean: float

    @property
    def count(self) -> float:
        """Nodes of both kinds."""
        return self.sparse + self.dense


@dataclass(frozen=True)
class PrintedMatrix:
    """A matrix of Figure 4.

    Attributes
    ----------
    rows, nnz
        Rows, as many columns, and non-zeros.
    mean, sigma, longest
        Of the entries of a row.
    inner, leaves
        Its nodes. The mean of the leaves is that of the sparse ones.
    """

    rows: float
    nnz: float
    mean: float
    sigma: float
    longest: float
    inner: Nodes
    leaves: Nodes


FIGURE_4 = {
    "asia_osm": PrintedMatrix(12.0e6, 25.4e6, 2.1, 0.5, 9, Nodes(236.5e3, 3, 6.6), Nodes(1.6e6, 0, 15.2)),
    "ASIC_320k": PrintedMatrix(
        321.8e3, 2.6e6, 8.2, 503.0, 203.8e3, Nodes(387, 0, 363.1), Nodes(140.5e3, 0, 17.8)
    ),
    "bone010": PrintedMatrix(986.7e3, 71.7e6, 72.6, 15.8, 81, Nodes(182, 0, 496.0), Nodes(90.3e3, 0, 792.8)),
    "cage12": PrintedMatrix(130.2e3, 2.0e6, 15.6, 4.7, 33, Nodes(49, 0, 461.1), Nodes(22.6e3, 0, 89.0)),
    "dense": PrintedMatrix(5.0e3, 25.0e6, 5000, 0.0, 5.0e3, Nodes(1, 0, 16373.3), Nodes(79, 1521, 1010.9)),
    "in-2004": PrintedMatrix(
        1.4e6, 16.9e6, 12.2, 37.2, 7.8e3, Nodes(4.3e3, 0, 787.9), Nodes(143.3e3, 209, 96.7)
    ),
    "ldoor": PrintedMatrix(952.2e3, 46.5e6, 48.9, 11.9, 77, Nodes(2.1e3, 0, 130.8), Nodes(278.6e3, 0, 166.0)),
    "FullChip": PrintedMatrix(
        3.0e6, 26.6e6, 8.9, 1806.8, 2.3e6, Nodes(2.8e3, 0, 182.0), Nodes(510.8e3, 0, 51.1)
    ),
    "kkt_power": PrintedMatrix(2.1e6, 14.6e6, 7.1, 7.4, 96, Nodes(920, 0, 829.9), Nodes(763.5e3, 0, 18.1)),
    "mip1": PrintedMatrix(
        66.5e3, 10.4e6, 155.8, 350.7, 66.4e3, Nodes(20, 0, 15843.4), Nodes(6.0e3, 575, 425.5)
    ),
    "parabolic_fem": PrintedMatrix(525.8e3, 3.7e6, 7, 0.2, 7, Nodes(448, 0, 170.6), Nodes(76.4e3, 0, 47.1)),
    "poisson3Da": PrintedMatrix(
        13.5e3, 352.8e3, 26.1, 13.8, 110, Nodes(1, 0, 10793.0), Nodes(10.8e3, 0, 31.7)
    ),
    "special": PrintedMatrix(
        7.0e6, 52.3e6, 7.5, 125.3, 6.3e3, Nodes(183, 9, 4199.9), Nodes(806.4e3, 0, 63.8)
    ),
    "webbase": PrintedMatrix(1.0e6, 3.1e6, 3.1, 25.3, 4.7e3, Nodes(2.3e3, 0, 65.5), Nodes(151.5e3, 0, 19.5)),
}
"""By the paper's name."""
NO_TREE = ("dense", "in-2004", "mip1")
"""Whose printed mean entries of inner nodes are not the nodes below them: 1 inner node over 1,600 leaves is
said to have 16,373.3 entries. They are the three matrices with dense leaves."""
DENSE = "dense"
"""The one matrix of the paper that is the same here: it is full."""


@dataclass(frozen=True)
class Printed:
    """Mean and standard deviation of times over all matrices of the paper, milliseconds, as printed."""

    mean: str
    deviation: str


TABLE_1 = {
    ("spmv", "float32"): {
        "HiSparse": Printed("3.45", "3.45"),
        "cuSparse": Printed("23.51", "67.27"),
        "cusp": Printed("4.28", "8.65"),
        "Naive": Printed("22.51", "57.80"),
        "bhSparse": Printed("1.52", "2.51"),
        "clSpMV": Printed("1.31", "1.34"),
        "yaSpMV": Printed("0.77", "0.76"),
    },
    ("spmv_t", "float32"): {
        "HiSparse": Printed("3.45", "3.88"),
        "cuSparse": Printed("24.16", "37.78"),
        "cusp": Printed("67.31", "64.85"),
        "Naive": Printed("18.11", "42.01"),
    },
    ("spmv", "float64"): {
        "HiSparse": Printed("4.68", "4.13"),
        "cuSparse": Printed("27.11", "76.00"),
        "cusp": Printed("5.29", "10.40"),
        "Naive": Printed("30.71", "74.65"),
        "bhSparse": Printed("2.16", "3.23"),
    },
    ("spmv_t", "float64"): {
        "HiSparse": Printed("4.47", "4.62"),
        "cuSparse": Printed("27.90", "42.76"),
        "cusp": Printed("61.01", "58.19"),
        "Naive": Printed("23.92", "51.92"),
    },
}
"""Times of products, by operation and type, then by library."""
TABLE_2 = {
    ("sum", "float32"): {
        "HiSparse": Printed("12.79", "12.99"),
        "cuSparse": Printed("52.08", "99.65"),
        "cusp": Printed("86.08", "86.06"),
    },
    ("sum_t", "float32"): {
        "HiSparse": Printed("26.42", "28.23"),
        "cuSparse": Printed("165.35", "175.95"),
        "cusp": Printed("144.29", "140.72"),
    },
    ("sum_t, converted", "float32"): {
        "HiSparse": Printed("26.43", "28.24"),
        "cuSparse": Printed("55.43", "100.78"),
        "cusp": Printed("79.54", "78.30"),
    },
    ("sum", "float64"): {
        "HiSparse": Printed("14.94", "15.06"),
        "cuSparse": Printed("59.73", "112.35"),
        "cusp": Printed("119.08", "101.63"),
    },
    ("sum_t", "float64"): {
        "HiSparse": Printed("27.91", "29.20"),
        "cuSparse": Printed("195.50", "206.95"),
        "cusp": Printed("208.03", "174.96"),
    },
    ("sum_t, converted", "float64"): {
        "HiSparse": Printed("27.91", "29.20"),
        "cuSparse": Printed("61.64", "112.43"),
        "cusp": Printed("126.07", "100.07"),
    },
}
"""Times of sums; ``converted``: the time of converting operands to their transposes is not counted."""

TIMES_FASTER = {
    ("spmv_t", "float32"): {"cuSparse": "7", "cusp": "19", "Naive": "5"},
    ("spmv_t", "float64"): {"cuSparse": "6", "cusp": "13", "Naive": "5"},
    ("sum", "float64"): {"cuSparse": "4", "cusp": "8"},
    ("sum_t", "float64"): {"cuSparse": "7"},
    ("sum_t, converted", "float64"): {"cuSparse": "2", "cusp": "4.5"},
}
"""How many times HiSparse is faster, as the text says (section 7)."""
SLOWER = ("cuSparse", "cusp")
"""Whose average performance in the direct product is below that of HiSparse, as the text says."""
LESS_THAN_CSR, LESS_THAN_COO = 20.0, 50.0
"""Per cent of memory that HiSparse saves on average, in single precision (section 3.3)."""
BARELY = 0.1
"""What differs by less "hardly" or "slightly" differs, and is no "significant" overhead."""
