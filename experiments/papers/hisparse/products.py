"""Figure 5 and Table 1: both products, of HiSparse as published and flat, and of cuSPARSE."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from experiments.papers.hisparse.methods import (
    BEST,
    CSR,
    METHODS,
    NAIVE,
    OWN,
    PRODUCT_METHODS,
    PRODUCTS,
    PUBLISHED,
)
from experiments.papers.hisparse.printed import TABLE_1
from experiments.papers.hisparse.results import Results
from experiments.papers.hisparse.speed_items import (
    faster_by_means,
    gflops_chart,
    gflops_rows,
    pairs_of,
    table_rows,
    times_chart,
)
from experiments.papers.hisparse.texts import notes_of
from experiments.papers.kit.numbers import geometric_mean, spread
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict

LIBRARIES = {operation: {"cuSparse": CSR, "Naive": NAIVE} for operation in PRODUCTS}
"""Our method for each library of the paper; of the others there is none here."""
BARELY = 0.1
"""Times that differ by less hardly differ."""
TIMES_FULL_CHIP = "50"
"""How many times slower than HiSparse cuSPARSE is on FullChip and circuit5M: "up to about" (section 7)."""
FIGURE_5 = (
    "Performance of y = A x and y = Aᵀ x as the paper gives it, 3 nnz / T: two multiplications, one with "
    "the scaling factor, and an addition an entry. HiSparse is executed as published, in three schedules, "
    "and flat, as `gpu.prepare(A, 'hisparse')` does. cuSPARSE is today's: its CSR, as in the paper, and "
    "the best of its formats; transposed, as an operation on the matrix as it is stored. The paper prints "
    "bars without numbers."
)
TABLE_1_SUMMARY = (
    "Mean and standard deviation of the milliseconds of a product, and how many times HiSparse is faster, "
    "as published and flat, each with the range that it takes if one matrix is left out. Printed numbers "
    "count for the published execution. The paper averages over its collection on a GTX 1080, here over "
    "the matrices that stand in for nine of it."
)
NOT_HERE = (
    "cusp, bhSparse, clSpMV and yaSpMV are not measured.",
    "Kernels that a controller starts by dynamic parallelism: Numba has none. The controller here gives "
    "parts of queues to blocks of threads that stand by.",
)


def figure5(results: Results) -> Item:
    """Make Figure 5."""
    return results.item(
        "hisparse-fig5",
        "Figure 5: GFLOPS of the product, direct and transposed",
        FIGURE_5,
        (*_full_chip(results), *gflops_rows(results, PRODUCTS, PRODUCT_METHODS)),
        chart=gflops_chart(results, "Products", PRODUCTS, PRODUCT_METHODS),
        verdicts=_figure_verdicts(results),
        notes=notes_of(results),
        gaps=NOT_HERE,
    )


def table1(results: Results) -> Item:
    """Make Table 1."""
    rows = tuple(table_rows(results, TABLE_1, LIBRARIES, PUBLISHED, (OWN,)))
    return results.item(
        "hisparse-table1",
        "Table 1: mean times of both products",
        TABLE_1_SUMMARY,
        rows,
        chart=times_chart(rows),
        verdicts=_table_verdicts(results),
        notes=notes_of(results),
        gaps=NOT_HERE,
    )


def _full_chip(results: Results) -> list[Comparison]:
    """Return how many times slower than HiSparse cuSPARSE is on the stand-in for FullChip."""
    chosen = [each for each in results.measured if each.stands_for == "FullChip"]
    return [
        Comparison(
            f"{METHODS[own].label} over cuSPARSE CSR on FullChip",
            "times f64",
            TIMES_FULL_CHIP,
            max(results.ratios(chosen, CSR, "float64", own, "spmv").values(), default=None),
            f"the paper: up to about, on FullChip and circuit5M; here {', '.join(m.name for m in chosen)}",
            NOT_MEASURED,
            implied=own != PUBLISHED,
        )
        for own in (PUBLISHED, OWN)
    ]


Holds = Callable[[dict[str, float]], bool]


def _judged(results: Results, claim: str, operation: str, method: str, holds: Holds) -> Verdict:
    """Judge a claim about the published execution on the stand-ins, in float64 as the figure."""
    there = {
        own: results.ratios(results.of_the_paper, method, "float64", own, operation)
        for own in (PUBLISHED, OWN)
    }
    if not there[PUBLISHED]:
        return Verdict(claim, None, NOT_MEASURED)
    detail = "; ".join(
        f"{METHODS[own].label} over {METHODS[method].label}: {spread(ratios)}"
        for own, ratios in there.items()
    )
    return Verdict(claim, holds(there[PUBLISHED]), detail)


def _mostly_slower(ratios: dict[str, float]) -> bool:
    return 2 * sum(ratio > 1 for ratio in ratios.values()) <= len(ratios)


def _half_as_fast(ratios: dict[str, float]) -> bool:
    return (geometric_mean(ratios.values()) or 0) >= 0.5


def _always_faster(ratios: dict[str, float]) -> bool:
    return min(ratios.values()) > 1


CLAIMS: tuple[tuple[str, str, str, Holds], ...] = (
    (
        "Direct, HiSparse in general does not outperform the other libraries (here the best of cuSPARSE)",
        "spmv",
        BEST,
        _mostly_slower,
    ),
    (
        "Direct, it is competitive with standard libraries (here: half as fast as cuSPARSE CSR at least)",
        "spmv",
        CSR,
        _half_as_fast,
    ),
    ("Transposed, it outperforms cuSPARSE CSR on all matrices", "spmv_t", CSR, _always_faster),
    ("Transposed, it outperforms the naive product with atomic additions", "spmv_t", NAIVE, _always_faster),
)
"""What the paper says of both products, by what HiSparse is compared with."""
UNTESTED = {
    "Direct, formats made for SpMV (bhSparse, clSpMV, yaSpMV) are on average up to 3 times faster": (
        "these libraries are not measured"
    ),
    "Transposed, it outperforms cusp on all matrices": "cusp is not measured",
    "A megakernel of blocks that stand by can hurt performance significantly (section 4.1)": (
        "Numba starts no kernels from a kernel, which it would be compared with"
    ),
    "The core of the product, transposed and with four types of nodes, has about 600 lines": (
        "of the authors' CUDA C++, which is not published"
    ),
}


def _figure_verdicts(results: Results) -> list[Verdict]:
    special = [each for each in results.measured if each.stands_for == "special"]
    claim = "Direct, on special HiSparse delivers the best result (here over the best of cuSPARSE)"
    ratios = results.ratios(special, BEST, "float64", PUBLISHED, "spmv")
    flat = results.ratios(special, BEST, "float64", OWN, "spmv")
    detail = f"as published {spread(ratios)}; flat {spread(flat)}"
    return [
        *(_judged(results, *each) for each in CLAIMS),
        Verdict(claim, _always_faster(ratios), detail) if ratios else Verdict(claim, None, NOT_MEASURED),
        _hardly_changes(results),
        *(Verdict(text, None, why) for text, why in UNTESTED.items()),
    ]


def _hardly_changes(results: Results) -> Verdict:
    """Judge whether both products of HiSparse take equally long on all matrices but the dense one."""
    claim = "HiSparse hardly changes from SpMV to SpMVᵀ; the only real difference is the dense matrix (f64)"
    ratios = {
        own: {
            each.name: is_transposed / direct
            for each in results.of_the_paper
            if (is_transposed := results.time(each, own, "float64", "spmv_t"))
            and (direct := results.time(each, own, "float64", "spmv"))
        }
        for own in (PUBLISHED, OWN)
    }
    if not ratios[PUBLISHED]:
        return Verdict(claim, None, NOT_MEASURED)
    dense = {each.name for each in results.of_the_paper if each.stands_for == "dense"}
    changed = {name for name, ratio in ratios[PUBLISHED].items() if abs(ratio - 1) > BARELY}
    detail = "; ".join(f"{METHODS[own].label}: {spread(each)}" for own, each in ratios.items() if each)
    over = ", ".join(sorted(changed)) or "none"
    return Verdict(claim, changed <= dense, f"transposed over direct, {detail}; over {BARELY:.0%} on {over}")


def _table_verdicts(results: Results) -> list[Verdict]:
    direct = faster_by_means(results, "spmv", PUBLISHED, CSR)
    flat = faster_by_means(results, "spmv", OWN, CSR)
    claim = "Direct, the average performance of cuSPARSE is below that of HiSparse"
    by_means = f"mean time of cuSPARSE over that of HiSparse as published {direct}; flat {flat}"
    return [
        Verdict(claim, direct.value > 1 if direct else None, by_means if direct else NOT_MEASURED),
        *(_steadier(results, operation) for operation in PRODUCTS),
    ]


def _steadier(results: Results, operation: str) -> Verdict:
    """Judge whether the time of HiSparse has a lower standard deviation than that of cuSPARSE's CSR."""
    word = "Direct" if operation == "spmv" else "Transposed"
    claim = f"{word}, HiSparse performs consistently: a lower standard deviation than cuSPARSE (f64)"
    pairs = list(pairs_of(results, operation, PUBLISHED, CSR, "float64").values())
    flat = list(pairs_of(results, operation, OWN, CSR, "float64").values())
    if not pairs:
        return Verdict(claim, None, NOT_MEASURED)
    ours, library = (float(np.std([each[place] for each in pairs])) / 1000 for place in range(2))
    own = float(np.std([each[0] for each in flat])) / 1000
    return Verdict(claim, ours < library, f"{ours:.3f} ms, flat {own:.3f} ms, cuSPARSE CSR {library:.3f} ms")
