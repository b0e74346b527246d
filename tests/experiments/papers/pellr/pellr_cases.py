"""Tiny results: four matrices, times that follow from a few factors."""

from dataclasses import replace

from experiments.papers.kit.results import Record
from experiments.papers.pellr.methods import FILLED_METHODS, METHODS
from experiments.papers.pellr.results import MatrixRecord, Results

FACTS = {"multiprocessors": "10", "threads_per_multiprocessor": "1000", "driver_version": "1.2"}


def matrix(name, sigma, **changes):
    base = MatrixRecord(
        name,
        "ours",
        of=name,
        rows=6000,
        columns=6000,
        nnz=60_000,
        mean=10.0,
        sigma=sigma,
        shortest=1,
        longest=40,
        histogram=(0, 100, 200, 4000, 1600, 90, 10),
        diagonal_share=0.2,
        upper_share=0.3,
        left_share=0.4,
        longest_warp={"ellr": 40, "pellr": 40, "biell": 9, "bijad": 9},
        iterations={"ellr": 3000, "pellr": 1000, "biell": 1200, "bijad": 900},
        counted={"ellr": 3000, "pellr": 1000},
        work=114_000,
    )
    return replace(base, **changes)


MATRICES = (
    matrix(
        "memplus",
        22.04,
        group="file",
        stands_for="memplus",
        longest=574,
        printed={"sigma": 22, "mean": 7.1, "range": 572},
    ),
    matrix("lnsp_131", 3.5, group="stand-in", stands_for="lnsp3937", note="coarser"),
    matrix("even", 0.5),
    MatrixRecord("lost", "stand-in", "dw2048", missing="no file"),
    matrix("memplus x 4", 22.04, group="filled", stands_for="memplus", of="memplus", copies=4, rows=24_000),
    matrix("made", 12.0, group="generated", rows=10**6),
)
FACTORS = {
    **dict.fromkeys(("pellr-warps", "pellr-sliced", "pellr-near"), 1.0),
    "ellr": 1.5,
    "ellr-sliced": 1.5,
    "hyb-third": 2.0,
    "biell": 0.5,
    "bijad": 1.1,
}
"""Times as a multiple of PELLR's; 3 where nothing is said."""


ROWS = 6016
"""Of the matrices as they are, in whole warps."""
BYTES = {"ell": 90_000, "pellr": 90_000 + 8 * ROWS, "pellr-warps": 90_000 + 4 * ROWS + 4 * ROWS // 32}


def records(matrices=MATRICES, factors=FACTORS, **special):
    """Return the records of all methods; `special` has factors by matrix and method, ``memplus_ellr=1.1``."""
    actual = []
    for each in matrices:
        if each.missing:
            continue
        for method in FILLED_METHODS if each.group == "filled" else METHODS:
            usual = factors.get(method, 1.0 if method == "pellr" else 3.0)
            for dtype, time in (("float64", 100.0), ("float32", 60.0)):
                taken = round(time * special.get(f"{each.name}_{method}", usual), 6)
                more = {"nbytes": BYTES.get(method, 1000), "error": 1e-16}
                if method == "hyb-third":
                    more["parts"] = {"ell_launches": time * 0.9}
                actual.append(Record(each.name, method, dtype, median_us=taken, spread=0.01, **more))
    return tuple(actual)


def results(**changes):
    base = Results(
        "vecsim reproduce pellr",
        "2026-11-21 22:00 UTC",
        "abc",
        "a GPU",
        FACTS,
        {"all": 60.0},
        MATRICES,
        records(),
    )
    return replace(base, **changes)


def refused(actual, matrix_name, method):
    """Let a method be not representable on a matrix."""
    return tuple(
        Record(each.matrix, each.method, each.dtype, status="not_representable", reason="too large")
        if (each.matrix, each.method) == (matrix_name, method)
        else each
        for each in actual
    )
