"""Figures 8 and 10: products, next to the paper's on two devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from experiments.papers.hbp.means import mean_row
from experiments.papers.hbp.memory import storage_verdicts
from experiments.papers.hbp.printed import ON_THE_4090
from experiments.papers.hbp.printed import PRODUCTS as PRINTED
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import id_of, is_of_the_paper
from experiments.papers.hbp.texts import PRODUCTS
from experiments.papers.kit.charts import bars
from experiments.papers.kit.measurement import DTYPES
from experiments.papers.kit.numbers import mean_ratio
from experiments.papers.kit.results import NOT_MEASURED, MatrixRecord
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Verdict

FIGURES = {"Orin": 8, "4090": 10}
PUBLISHED = "hbp-probing"
"""What stands next to the paper's numbers: rows probed for their places, blocks allocated by size."""
OURS = (PUBLISHED, "hbp", "hbp-classes", "hbp-active", "hbp-active-direct")
DRAWN = tuple(method for method in PRODUCTS if method not in ("crs", "hbp-classes"))
"""As many as there are colours."""
AGAINST = ("crs-scalar", "own", "cusparse")
SCATTERED = ("m4", "m8")
"""Where the paper sees scattered accesses of x (section IV-C)."""
LIMITED = ("m3", "m10")
"""The device-like matrices; the paper calls m3 inherently limited."""
UNLIKE_THE_PAPERS = "another GPU, and generated matrices"


def speeds(results: Results, printed: str) -> Item:
    """Make figure 8 or 10.

    Parameters
    ----------
    results
        What was measured.
    printed
        The paper's device, a key of `experiments.papers.hbp.printed.PRODUCTS`.
    """
    matrices = [each for each in results.matrices if printed == "Orin" or id_of(each) in ON_THE_4090]
    groups = [(_papers(printed), matrices)]
    if len(matrices) < len(results.matrices):
        groups.append(("all matrices", list(results.matrices)))
    means = [
        row
        for name, group in groups
        for dtype in DTYPES
        for ours in OURS
        for other in AGAINST
        for row in _mean_rows(results, name, group, (ours, other, dtype), printed)
    ]
    verdicts = _on_orin if printed == "Orin" else _on_the_4090
    return results.item(
        f"hbp-fig{FIGURES[printed]}",
        f"Figure {FIGURES[printed]}: products, next to the paper's on {printed}",
        "GFLOPS, 2 nnz over the time of the product with its combine step, and how many times faster than "
        "CSR and the 2D partition HBP is, all products of a matrix in turn. HBP as published has rows where "
        "probing has put them; the hash counted is the repaired way. The paper prints means and maxima; its "
        "bars are a picture.",
        (*means, *(row for matrix in matrices for row in _speed_rows(results, matrix))),
        chart=_chart(results, matrices),
        verdicts=verdicts(results),
        notes=(
            "The 2D partition is the same product with rows in their own order; both have their blocks "
            "allocated by size.",
            f"The picture is without {PRODUCTS['crs']} and {PRODUCTS['hbp-classes']}, which stand in the "
            "table.",
        ),
    )


def _papers(printed: str) -> str:
    """Name the matrices that the paper has on a device."""
    return f"the paper's on {printed}"


def _mean_rows(
    results: Results,
    name: str,
    group: Sequence[MatrixRecord],
    compared: tuple[str, str, str],
    printed: str,
) -> Iterator[Comparison]:
    """Yield the mean ratio of two products over a group, and what the paper prints of it."""
    ours, other, dtype = compared
    ratios = results.ratios(group, other, dtype, ours)
    what = f"{PRODUCTS[ours]}: times faster than {PRODUCTS[other]}, {dtype}"
    yield mean_row(what, ratios, of=name)
    if ours == PUBLISHED and dtype == "float64" and name == _papers(printed) and other in PRINTED[printed]:
        yield from _printed_rows(what, ratios, printed, PRINTED[printed][other])


def _printed_rows(
    what: str, ratios: Mapping[str, float], printed: str, numbers: tuple[str, str]
) -> Iterator[Comparison]:
    """Yield the paper's mean and greatest ratio on a device, with ours, which cannot decide them."""
    greatest = max(ratios, key=lambda name: ratios[name], default="")
    texts = (str(mean_ratio(ratios)), f"{ratios[greatest]:.2f} of {greatest}") if ratios else ("", "")
    for quantity, number, ours in zip(("geometric mean", "greatest"), numbers, texts, strict=True):
        note = f"here {ours or NOT_MEASURED}; {UNLIKE_THE_PAPERS}"
        yield Comparison(what, f"{quantity}, on {printed}", number, None, note, "another GPU")


def _speed_rows(results: Results, matrix: MatrixRecord) -> list[Comparison]:
    return [
        Comparison(
            matrix.label,
            f"{PRODUCTS[method]}, GFLOPS, {dtype}",
            "",
            results.gflops(matrix, method, dtype),
            f"{record.median_us:.4g} us" if record.median_us else record.remark,
            results.absent(matrix, method, dtype),
        )
        for dtype in DTYPES
        for method in PRODUCTS
        if (record := results.record(matrix, method, dtype)) is not None
    ]


def _chart(results: Results, matrices: Iterable[MatrixRecord]) -> BarChart:
    panels = tuple(
        bars(
            dtype,
            matrices,
            id_of,
            {PRODUCTS[method]: (method, dtype) for method in DRAWN},
            lambda matrix, key: results.gflops(matrix, *key),
        )
        for dtype in DTYPES
    )
    return BarChart(
        title="Speed of the product",
        value_label="GFLOPS",
        panels=panels,
        description="Bars of GFLOPS of each product for each matrix",
        logarithmic=True,
        bars_from=None,
    )


def _ratios(results: Results, slow: str, fast: str, ids: Iterable[str]) -> dict[str, float]:
    wanted = set(ids)
    chosen = [each for each in results.matrices if id_of(each) in wanted]
    return results.ratios(chosen, slow, "float64", fast)


def _faster(claim: str, compared: Mapping[str, dict[str, float]]) -> Verdict:
    """Judge by direction on the Kronecker graphs, the paper's family: all ratios are above 1."""
    judged = [
        ratio for ratios in compared.values() for name, ratio in ratios.items() if is_of_the_paper(name)
    ]
    detail = "; ".join(f"{words}, {_times(ratios)}" for words, ratios in compared.items() if ratios)
    return Verdict(
        claim,
        all(ratio > 1 for ratio in judged) if judged else None,
        f"{detail}; judged by the Kronecker graphs" if detail else NOT_MEASURED,
    )


def _times(ratios: dict[str, float]) -> str:
    return "; ".join(f"{name} {ratio:.2f} times" for name, ratio in ratios.items())


def _on_orin(results: Results) -> Iterator[Verdict]:
    yield _faster(
        "On m4 and m8 the 2D partition and HBP are faster than CSR",
        {PRODUCTS[fast]: _ratios(results, "crs-scalar", fast, SCATTERED) for fast in ("own", PUBLISHED)},
    )
    yield _reason(results)
    yield _faster(
        "On m4 and m8 HBP is faster than the 2D partition",
        {PRODUCTS[PUBLISHED]: _ratios(results, "own", PUBLISHED, SCATTERED)},
    )
    ratios = results.ratios(results.matrices, "crs-scalar", "float64", "own")
    yield Verdict(
        "The 2D partition alone is no faster than CSR on most matrices",
        2 * len(_below_one(ratios)) > len(ratios) if ratios else None,
        "; ".join(
            f"slower than {PRODUCTS[csr]} on {len(slower)} of {len(each)}: {', '.join(slower) or 'none'}"
            for csr in ("crs-scalar", "crs")
            if (each := results.ratios(results.matrices, csr, "float64", "own"))
            for slower in [_below_one(each)]
        )
        or NOT_MEASURED,
    )


def _below_one(ratios: dict[str, float]) -> list[str]:
    return [name for name, ratio in ratios.items() if ratio < 1]


def _reason(results: Results) -> Verdict:
    """Compare with rows shared by threads, which read the same elements of x."""
    claim = "CSR is slow on m4 and m8 due to scattered accesses of x"
    shared, partition = (_ratios(results, "crs-scalar", fast, SCATTERED) for fast in ("crs", "own"))
    judged = [name for name in shared if is_of_the_paper(name) and name in partition]
    if not judged:
        return Verdict(claim, None, NOT_MEASURED)
    return Verdict(
        claim,
        all(shared[name] < partition[name] for name in judged),
        f"{PRODUCTS['crs']}, has the same accesses and is faster than a thread a row, {_times(shared)}; the "
        f"2D partition, {_times(partition)}",
    )


def _on_the_4090(results: Results) -> Iterator[Verdict]:
    unlike = [each for each in results.matrices if each.sigma > each.mean]
    yield _faster(
        "On matrices with very unlike rows (sigma above the mean) HBP is faster than CSR",
        {PRODUCTS[PUBLISHED]: results.ratios(unlike, "crs-scalar", "float64", PUBLISHED)},
    )
    limited = _ratios(results, "crs-scalar", PUBLISHED, LIMITED)
    numbers = "; ".join(f"{name} {ratio:.2f} times as fast as CSR" for name, ratio in limited.items())
    yield Verdict(
        "HBP is slower than CSR on m3 on either device: it is inherently limited by the processor",
        None,
        "not testable: a generated matrix stands in for barrier2-3, and what slows it is made by its "
        "generator, 3 % of the entries anywhere, so that its agreement is a coincidence. The same generator "
        f"makes m10, and the paper does not say this of m10; {numbers or NOT_MEASURED}",
    )
    yield Verdict(
        "The high performance of the RTX 4090 amplifies this",
        None,
        "not testable: one GPU was measured",
    )
    yield from storage_verdicts(results)
