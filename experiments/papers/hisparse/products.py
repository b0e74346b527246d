"""Figure 5 and Table 1: both products, of HiSparse as published and flat, and of cuSPARSE."""

from __future__ import annotations

from collections.abc import Callable

from experiments.papers.hisparse.methods import (
    BEST,
    BY_LEVELS,
    CSR,
    METHODS,
    NAIVE,
    OWN,
    PRODUCT_METHODS,
    PRODUCTS,
    PUBLISHED,
    QUEUED,
)
from experiments.papers.hisparse.printed import BARELY, DENSE, TABLE_1
from experiments.papers.hisparse.results import Results
from experiments.papers.hisparse.speed_items import (
    deviations,
    gflops_chart,
    gflops_rows,
    pairs_of,
    steadier,
    table_rows,
    times_chart,
)
from experiments.papers.hisparse.texts import notes_of
from experiments.papers.kit.numbers import geometric_mean, judged, spread
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict

LIBRARIES = {operation: {"cuSparse": CSR, "Naive": NAIVE} for operation in PRODUCTS}
"""Our method for each library of the paper; of the others there is none here."""
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
    "count for the published execution; of deviations the paper prints milliseconds, which do not. The paper "
    "averages over its collection on a GTX 1080, here over the matrices that stand in for nine of it."
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
            elsewhere=True,
        )
        for own in (PUBLISHED, OWN)
    ]


Holds = Callable[[list[float]], bool]


def _ratios(results: Results, operation: str, method: str) -> dict[str, dict[str, float]]:
    """Return how many times HiSparse is faster than a method on the stand-ins, float64 as the figure has it.

    They are of the published execution, of the same without any scheduling, and of the flat layout.
    """
    return {
        own: results.ratios(results.of_the_paper, method, "float64", own, operation)
        for own in (PUBLISHED, QUEUED, OWN)
    }


def _judged(results: Results, claim: str, operation: str, method: str, holds: Holds) -> Verdict:
    """Judge a claim about the published execution, unless a stand-in for the controller may decide it."""
    there = _ratios(results, operation, method)
    if not there[PUBLISHED]:
        return Verdict(claim, None, NOT_MEASURED)
    outcome, why = judged(there[PUBLISHED], holds)
    if outcome is not None and there[QUEUED] and holds(list(there[QUEUED].values())) != outcome:
        outcome, why = None, "; the other way with queues filled beforehand, so the controller decides it"
    detail = "; ".join(
        f"{METHODS[own].label} over {METHODS[method].label}, faster on {_faster(ratios)}: {spread(ratios)}"
        for own, ratios in there.items()
        if ratios
    )
    return Verdict(claim, outcome, detail + why)


def _faster(ratios: dict[str, float]) -> str:
    return f"{sum(ratio > 1 for ratio in ratios.values())} of {len(ratios)}"


def _mostly_faster(ratios: list[float]) -> bool:
    return 2 * sum(ratio > 1 for ratio in ratios) > len(ratios)


def _mostly_slower(ratios: list[float]) -> bool:
    return not _mostly_faster(ratios)


def _half_as_fast(ratios: list[float]) -> bool:
    return (geometric_mean(ratios) or 0) >= 0.5


CLAIMS: tuple[tuple[str, str, str, Holds], ...] = (
    (
        "Direct, HiSparse in general does not outperform the other libraries (here cuSPARSE CSR)",
        "spmv",
        CSR,
        _mostly_slower,
    ),
    (
        "Direct, it is competitive with standard libraries (here: half as fast as cuSPARSE CSR at least)",
        "spmv",
        CSR,
        _half_as_fast,
    ),
    ("Transposed, it outperforms cuSPARSE CSR (here: on most matrices)", "spmv_t", CSR, _mostly_faster),
    (
        "Transposed, it outperforms the naive product with atomic additions (here: on most matrices)",
        "spmv_t",
        NAIVE,
        _mostly_faster,
    ),
)
"""What the paper says of both products, by what HiSparse is compared with."""
NO_KERNELS = "Numba starts no kernels from a kernel, which it would be compared with"
NO_MEASURE = "the paper measures nothing of it, and names no measure"
UNTESTED = {
    "Direct, formats made for SpMV (bhSparse, clSpMV, yaSpMV) are on average up to 3 times faster": (
        "these libraries are not measured; the means of Table 1 say up to 4.5 times (yaSpMV)"
    ),
    "Transposed, it outperforms cusp": "cusp is not measured",
    "HiSparse performs well with d = 128 and nodes of types COO1, COO2 and COO4 (pretests)": (
        "other sizes and types of nodes are not measured as published"
    ),
    "A megakernel of blocks that stand by can hurt performance significantly (section 4.1)": NO_KERNELS,
    "Kernels for the children of one node alone have severe overheads (section 4.2)": NO_KERNELS,
    "A single warp is sufficient as controller (section 4.2)": "the controller here is a stand-in",
    "The scheduler keeps all threads of a block at work (section 4.2)": "what threads do is not measured",
    "The core of the product, transposed and with four types of nodes, has about 600 lines": (
        "of the authors' CUDA C++, which is not published"
    ),
    "A hierarchical format scales well for large matrices (section 1)": NO_MEASURE,
    "It gains more on several GPUs, in sequences of operations and in SpGEMM (section 8)": NO_MEASURE,
}


def _figure_verdicts(results: Results) -> list[Verdict]:
    return [
        *(_judged(results, *each) for each in CLAIMS),
        _best_on_special(results),
        _hardly_changes(results),
        _launches_by_level(results),
        *(Verdict(text, None, why) for text, why in UNTESTED.items()),
    ]


def _best_on_special(results: Results) -> Verdict:
    """Judge by the libraries of the paper that are here; today's other formats of cuSPARSE are named."""
    claim = "Direct, on special HiSparse delivers the best result (here of it, cuSPARSE CSR and naive)"
    special = [each for each in results.measured if each.stands_for == "special"]
    times = {
        (own, method): ratio
        for own in (PUBLISHED, OWN)
        for method in (CSR, NAIVE, BEST)
        for ratio in results.ratios(special, method, "float64", own, "spmv").values()
    }
    if (PUBLISHED, CSR) not in times or (PUBLISHED, NAIVE) not in times:
        return Verdict(claim, None, NOT_MEASURED)
    detail = "; ".join(
        f"{METHODS[own].label} over {METHODS[method].label} {ratio:.2f}"
        for (own, method), ratio in times.items()
    )
    return Verdict(claim, min(times[PUBLISHED, CSR], times[PUBLISHED, NAIVE]) > 1, detail)


def _launches_by_level(results: Results) -> Verdict:
    """Return what launches by level take here: neither side of the comparison is the paper's."""
    claim = "Launches from the CPU for each level leave the GPU under-utilized (section 4.1)"
    ratios = results.ratios(results.of_the_paper, BY_LEVELS, "float64", PUBLISHED, "spmv")
    why = "launches here copy no fill levels of queues to the CPU, and the controller is a stand-in"
    return Verdict(claim, None, f"{why}; times by levels over those with it: {spread(ratios)}")


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
        for own in (PUBLISHED, QUEUED, OWN)
    }
    if not ratios[PUBLISHED]:
        return Verdict(claim, None, NOT_MEASURED)
    dense = {each.name for each in results.of_the_paper if each.stands_for == DENSE}
    changed = {
        own: {name for name, ratio in each.items() if abs(ratio - 1) > BARELY} for own, each in ratios.items()
    }
    detail = "; ".join(
        f"{METHODS[own].label}: {spread(each)}, by over {BARELY:.0%} on "
        f"{', '.join(sorted(changed[own])) or 'none'}"
        for own, each in ratios.items()
        if each
    )
    return Verdict(claim, changed[PUBLISHED] <= dense, f"transposed over direct, {detail}")


def _table_verdicts(results: Results) -> list[Verdict]:
    return [_steadier(results, operation) for operation in PRODUCTS]


def _steadier(results: Results, operation: str) -> Verdict:
    """Judge whether the time of HiSparse has a lower standard deviation than that of cuSPARSE's CSR."""
    word = "Direct" if operation == "spmv" else "Transposed"
    claim = f"{word}, HiSparse performs consistently: a lower standard deviation than cuSPARSE (f64)"
    pairs = pairs_of(results, operation, PUBLISHED, CSR, "float64")
    flat = list(pairs_of(results, operation, OWN, CSR, "float64").values())
    if not pairs:
        return Verdict(claim, None, NOT_MEASURED)
    ours, library = deviations(list(pairs.values()))
    outcome, why = judged(pairs, steadier)
    own = f"{deviations(flat)[0]:.3f} ms" if flat else NOT_MEASURED
    return Verdict(claim, outcome, f"{ours:.3f} ms, flat {own}, cuSPARSE CSR {library:.3f} ms{why}")
