"""What the paper says in words, and whether it holds here.

A claim is judged by what the paper did: its layouts and schedules, its form of cuSPARSE. What all layouts and
schedules of ours give stands in the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from experiments.papers.kit.numbers import mean_ratio, spread
from experiments.papers.layouts import untested
from experiments.papers.layouts.forms import BASELINES
from experiments.papers.layouts.preferences import NOISE, Parts, chosen, in_words, schedules
from experiments.papers.layouts.results import PAPERS, REALS, MatrixRecord, Results
from experiments.papers.layouts.texts import ABSENT
from experiments.report.item import Verdict

ENTRIES = tuple(BASELINES)
MUCH = 1.5
"""Times the entries from which on padding takes much memory."""
SAME_MULTIPLICATIONS = (
    "by arithmetic: 16 multiplications for an entry, as a quaternion and as a real block of 4 x 4 times four "
    "numbers, which the paper compares with in section 5; 64 only if vectors were expanded, too"
)


def over_papers_baseline(results: Results, dtype: str, entries: Iterable[str]) -> dict[str, float]:
    """Return how many times what the paper tried is faster than its form of cuSPARSE, by matrix.

    Parameters
    ----------
    results
        What was measured.
    dtype
        float32 or float64.
    entries
        What the entries of the matrices are.
    """
    matches: dict[str, float] = {}
    for entry in entries:
        form = next(iter(BASELINES[entry].values()))
        matches |= results.speedups(entry, dtype, form, PAPERS.joint)
    return matches


def greatest(numbers: Mapping[str, float]) -> tuple[float | None, str, str]:
    """Return the greatest of some numbers, its matrix, and what stands in its place without any."""
    if not numbers:
        return None, "", ABSENT
    name = max(numbers, key=lambda name: numbers[name])
    return numbers[name], f"of {len(numbers)} matrices: {name}", ABSENT


def growth_of_values(results: Results, dtype: str) -> dict[str, float]:
    """Return how many times their bytes the values of quaternions take as real blocks of 4 x 4, by matrix."""
    of_quaternion = 4 * {"float32": 4, "float64": 8}[dtype]
    matches = {}
    for each in results.of("quaternion"):
        stored = results.best_of_library(each.name, dtype, "BSR 4 x 4")
        if stored is not None and stored.nbytes:
            pattern = 4 * (each.nnz + each.rows + 1)
            matches[each.name] = (stored.nbytes - pattern) / (each.nnz * of_quaternion)
    return matches


def saved_by_unit_quaternions(results: Results) -> tuple[float, str]:
    """Return what three numbers and a sign bit save of the values, in per cent, and of what CSR takes."""
    values = {dtype: 100 * (bits - 1) / (4 * bits) for dtype, bits in {"float32": 32, "float64": 64}.items()}
    whole = [
        100 * each.nnz * size / (each.nnz * (4 * size + 4) + 4 * (each.rows + 1))
        for size in (4, 8)
        for each in results.of("quaternion")
    ]
    shown = f"; of all that CSR loads {min(whole):.1f} to {max(whole):.1f} %" if whole else ""
    return min(values.values()), f"of the values, by arithmetic{shown}"


def over_cusparse(results: Results, dtype: str) -> Iterator[Verdict]:
    """Judge what the text says of Figures 1 and 5; claims on both stand at the first."""
    if dtype == "float32":
        yield _complex_are_slower(results)
        yield _blocks_are_faster(results)
        yield from _of_real_products(results)
        yield _layouts_too(results)
        yield _interleaved_is_slow(results)
        best = [*schedules([case for entry in ENTRIES for case in chosen(results, entry)])]
        yield Verdict(
            "Matrices and GPUs need different schedules (1)",
            None,
            f"times are recorded of the best schedule alone; it is one of {len(best)}: {', '.join(best)}",
        )
    yield from untested.of_figure(dtype)


def _papers_speedups(results: Results, entry: str) -> dict[str, float]:
    """Return `over_papers_baseline` of both types, by matrix and type."""
    return {
        f"{name}, {dtype}": ratio
        for dtype in REALS
        for name, ratio in over_papers_baseline(results, dtype, (entry,)).items()
    }


def _complex_are_slower(results: Results) -> Verdict:
    ratios = _papers_speedups(results, "complex")
    slower = sum(ratio < 1 for ratio in ratios.values())
    return Verdict(
        "Complex matrices are in most cases slower than with cuSPARSE (5.1)",
        2 * slower > len(ratios) if ratios else None,
        f"slower on {slower} of {len(ratios)}: {spread(ratios)}; the best of cuSPARSE's complex CSR and "
        "Sliced ELL counts, which is newer than the paper",
    )


def _blocks_are_faster(results: Results) -> Verdict:
    """Judge blocks against BSR; whether the smallest matrix is an exception, as in the paper, is untested."""
    blocks = _papers_speedups(results, "3 x 3 block")
    return Verdict(
        "Blocks are faster than with cuSPARSE's BSR, but for the smallest matrix (5.3; words are missing in "
        "our copy of the text)",
        min(blocks.values()) > 1 + NOISE if blocks else None,
        f"{spread(blocks)}; no matrix as small as the paper's exception was measured",
    )


def _of_real_products(results: Results) -> Iterator[Verdict]:
    """Judge what section 3.2 says of real matrices in the place of quaternions."""
    over_blocks = _papers_speedups(results, "quaternion")
    yield Verdict(
        "Quaternions expanded to real blocks are slow (1 and 3.2)",
        min(over_blocks.values()) > 1 + NOISE if over_blocks else None,
        f"times as long: {spread(over_blocks)}",
    )
    yield Verdict("Real blocks multiply four times as much (3.2)", False, SAME_MULTIPLICATIONS)
    times, sizes = {}, {}
    for dtype in REALS:
        for each in results.of("quaternion"):
            four = results.best_of_library(each.name, dtype, "Hamilton")
            blocks = results.best_of_library(each.name, dtype, "BSR 4 x 4")
            if four and blocks and four.median_us and blocks.median_us:
                times[f"{each.name}, {dtype}"] = four.median_us / blocks.median_us
                if four.nbytes and blocks.nbytes:
                    sizes[f"{each.name}, {dtype}"] = four.nbytes / blocks.nbytes
    yield Verdict(
        "Four real products avoid the memory of real blocks (3.2)",
        max(sizes.values()) < 1 if sizes else None,
        f"times the bytes of real blocks: {spread(sizes)}",
    )
    yield Verdict(
        "Four real products of small and medium matrices lose by latency and launches (3.2)",
        None,
        f"all quaternionic matrices measured are large; there they take {spread(times)} times as long as one "
        "product of real blocks",
    )


def _layouts_too(results: Results) -> Verdict:
    means = {}
    for entry in ENTRIES:
        for dtype in REALS:
            if (mean := mean_ratio(results.gains(entry, dtype, PAPERS))) is not None:
                means[f"{entry}, {dtype}"] = mean
    return Verdict(
        "Tuning layouts, too, is faster than tuning schedules alone (abstract)",
        min(mean.least for mean in means.values()) > 1 + NOISE if means else None,
        "; ".join(f"{name}: {mean}" for name, mean in means.items()) or ABSENT,
    )


def _interleaved_is_slow(results: Results) -> Verdict:
    cases = [case for entry in ENTRIES for case in chosen(results, entry)]
    interleaved = Parts(inner="AoS")
    slower = sum(not case.has_good(interleaved) for case in cases)
    return Verdict(
        "Interleaved components of entries are slow (1)",
        2 * slower > len(cases) if cases else None,
        f"AoS of entries, with the best of all else, {in_words(cases, interleaved)} of {len(cases)}",
    )


def of_row_lengths(results: Results) -> Iterator[Verdict]:
    """Judge what the text says of Figure 3."""
    ranges = {entry: _ranges(results.of(entry)) for entry in ("complex", "quaternion")}
    yield Verdict(
        "Rows of quaternionic matrices differ much less in length than those of complex ones, and need less "
        "padding (5.2)",
        None,
        "of the paper's matrices we have mhd1280b alone, and these are patterns of others; longest less "
        "shortest row over the median: "
        + "; ".join(f"{name} {ratio:.1f}" for each in ranges.values() for name, ratio in each.items()),
    )
    padding = {
        each.name: each.row_lengths[-1] * each.rows / each.nnz for each in results.matrices if each.nnz
    }
    much = sum(ratio >= MUCH for ratio in padding.values())
    yield Verdict(
        "Without slices the padding of ELLPACK-R can take much memory (6.1)",
        much > 0 if padding else None,
        f"half as many places again as entries, or more, on {much} of {len(padding)}: "
        + "; ".join(f"{name} {ratio:.2f}" for name, ratio in padding.items()),
    )


def _ranges(matrices: Sequence[MatrixRecord]) -> dict[str, float]:
    return {
        each.name: (each.row_lengths[-1] - each.row_lengths[0]) / each.row_lengths[2]
        for each in matrices
        if each.row_lengths[2]
    }
