"""Tiny results: four matrices, times that follow from a few factors."""

from dataclasses import replace

from experiments.papers.hisparse.methods import BEST, CSR, DTYPES, NAIVE, OWN, PRODUCTS, PUBLISHED
from experiments.papers.hisparse.results import Level, MatrixRecord, Results, Tree
from experiments.papers.kit.results import Record


def tree(node_size=128, dtype="float32", nbytes=6_200, leaves=(9, 1), entries=(900, 100), inner=1):
    return Tree(
        node_size, dtype, nbytes, (Level(*leaves, *entries), Level(inner, 0, sum(leaves) + inner - 1, 0))
    )


TREES = (tree(), tree(256, "float32", 6_100), tree(256, "float64", 10_200))


def matrix(name, group="large_structured", stands_for="", **changes):
    built = MatrixRecord(
        name, group, stands_for, "", 100, 100, 1000, 10.0, 2.0, 40, sha256=64 * "a", trees=TREES
    )
    return replace(built, **changes)


MATRICES = (
    matrix("blocks", stands_for="bone010"),
    matrix("local", "other", "special"),
    matrix("spread", "skewed", trees=(tree(nbytes=20_000),)),
    matrix("full", "other", "dense", rows=10, columns=100, trees=(tree(nbytes=4_010, entries=(0, 1000)),)),
    MatrixRecord("lost", "small", missing="no file"),
)
FACTORS = {PUBLISHED: 2.0, CSR: 8.0, BEST: 1.0, NAIVE: 16.0}
"""Times as a multiple of those of HiSparse laid out flat."""


def records(operations=PRODUCTS, factors=FACTORS, **special):
    """Return the records of all methods; `special` has factors by matrix, operation and method."""
    actual = []
    for each in MATRICES:
        if each.missing:
            continue
        for operation in operations:
            for method in (OWN, *factors):
                for dtype, time in zip(DTYPES, (100.0, 60.0), strict=True):
                    factor = special.get(f"{each.name} {operation} {method}", factors.get(method, 1.0))
                    actual.append(
                        Record(
                            each.name,
                            method,
                            dtype,
                            operation,
                            chosen="sell_32" if method == BEST else "",
                            median_us=time * factor,
                            spread=0.01,
                            nbytes=6_300,
                            error=1e-16,
                            same_bits=True if method == OWN else None,
                        )
                    )
    return tuple(actual)


def results(**changes):
    base = Results(
        "vecsim reproduce hisparse",
        "2026-11-23T01:00:00+00:00",
        "abc",
        "a GPU",
        {"driver": "1"},
        {"all": 60.0},
        MATRICES,
        records(),
    )
    return replace(base, **changes)
