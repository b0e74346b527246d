"""Tables of products: times, means over matrices, allocations, and what blocks hold."""

from __future__ import annotations

from collections.abc import Callable

from docs.tables.hbp_cells import NONE, mean, microseconds
from docs.tables.markdown import table
from experiments.papers.hbp import combining
from experiments.papers.hbp.printed import ON_THE_4090
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import id_of
from experiments.papers.hbp.texts import ALLOCATED, PRODUCTS
from experiments.papers.kit.measurement import DTYPES
from experiments.papers.kit.numbers import mean_ratio
from experiments.papers.kit.results import MatrixRecord
from gpu.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS

PUBLISHED = "hbp-probing"
FORMS = (PUBLISHED, "hbp", "hbp-classes", "hbp-active", "hbp-active-direct")
COUNTED = ("m3-device", "m10-device", "m4-kronecker-18")


def _means(results: Results) -> str:
    """Return how many times as fast forms are, over the paper's ten matrices and over all."""
    groups = {
        "the paper's ten": [each for each in results.matrices if id_of(each) in ON_THE_4090],
        f"all {len(results.matrices)}": results.matrices,
    }
    rows = [
        (
            PRODUCTS[ours],
            PRODUCTS[other],
            *(mean(mean_ratio(results.ratios(group, other, "float64", ours))) for group in groups.values()),
        )
        for ours in FORMS
        for other in ("crs-scalar", "own", "cusparse")
    ]
    return table(("times as fast, float64", "as", *groups), rows)


def _allocations(results: Results) -> str:
    rows = [
        (
            ALLOCATED[method],
            *(mean(mean_ratio(results.ratios(results.matrices, method, each, PUBLISHED))) for each in DTYPES),
        )
        for method in tuple(ALLOCATED)[1:]
    ]
    return table(("time over that of fixed by size", *DTYPES), rows)


def _blocks(results: Results) -> str:
    """Return what the device-like matrices and a Kronecker graph are in the published blocks."""
    named = {each.name: each for each in results.matrices}
    columns = [_of_blocks(results, named[name]) for name in COUNTED]
    rows = [(what, *(column[what] for column in columns)) for what in columns[0]]
    return table(("float64", *COUNTED), rows)


def _of_blocks(results: Results, matrix: MatrixRecord) -> dict[str, str]:
    counts = results.blocks_of(matrix.name)
    if counts is None:
        return dict.fromkeys(("blocks",), NONE)
    slots = counts.blocks * BLOCK_ROWS
    return {
        "million entries": f"{matrix.nnz / 1e6:.1f}",
        "blocks": f"{counts.blocks:,}",
        "blocks with 32 entries or fewer": f"{counts.few / counts.blocks:.0%}",
        "slots of no entry": f"{1 - counts.filled_rows / slots:.0%}",
        "MB of entries": _mega(16 * matrix.nnz),
        "MB of slots": _mega(8 * slots),
        "MB of sums, written and read": _mega(16 * slots),
        "MB of x, a segment each block": _mega(8 * BLOCK_COLUMNS * counts.blocks),
        "MB of CRS": _mega(12 * matrix.nnz + 4 * matrix.rows),
    }


def _mega(count: float) -> str:
    return f"{count / 1e6:,.0f}"


def _combining(results: Results) -> str:
    rows = []
    for matrix in results.matrices:
        if "kronecker" in matrix.name:
            parts = [
                combining.parts_of(results.record(matrix, each, "float64")) for each in (PUBLISHED, "own")
            ]
            rows.append((matrix.name, *(microseconds(time) for each in parts for time in each.values())))
    heads = (f"{PRODUCTS[form]}: {part}" for form in (PUBLISHED, "own") for part in ("blocks", "combine"))
    return table(("us, float64", *heads), rows)


def _products(results: Results) -> str:
    """Return the times of all products, float64 and float32."""
    rows = []
    for matrix in results.matrices:
        times = (
            ", ".join(microseconds(results.time(matrix, method, dtype)) for dtype in DTYPES)
            for method in PRODUCTS
        )
        sizes = ", ".join(_bytes_an_entry(results, matrix, form) for form in (PUBLISHED, "hbp-active"))
        rows.append((f"{matrix.name} ({matrix.stands_for}), {matrix.nnz / 1e6:.1f}", *times, sizes))
    heads = ("matrix (for), million entries", *PRODUCTS.values(), "bytes an entry: published, repaired")
    return table(heads, rows)


def _bytes_an_entry(results: Results, matrix: MatrixRecord, form: str) -> str:
    record = results.record(matrix, form, "float64")
    return NONE if record is None or not record.nbytes else f"{record.nbytes / matrix.nnz:.1f}"


def _device(results: Results) -> str:
    facts = results.facts
    return (
        f"An {results.gpu}, driver {facts.get('driver_version')}, cuSPARSE {facts.get('cusparse')}, one run\n"
        f"({results.made[:10]}, the file that comes with the package; commit {results.commit[:8]}), warm\n"
        "medians in us, float64 and float32, all products of a matrix and type in turn."
    )


TABLES: dict[str, Callable[[Results], str]] = {
    "means": _means,
    "allocations": _allocations,
    "blocks": _blocks,
    "combining": _combining,
    "products": _products,
    "device": _device,
}
"""By their names in `docs.tables.hbp`."""
