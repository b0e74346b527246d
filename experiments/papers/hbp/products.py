"""Figures 8, 9 and 10 and Table II: products, their combine step, and the memory throughput."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.papers.hbp.printed import PRODUCTS as PRINTED
from experiments.papers.hbp.printed import TABLE_2
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import id_of
from experiments.papers.hbp.texts import PRODUCTS
from experiments.papers.kit.charts import bars
from experiments.papers.kit.measurement import DTYPES
from experiments.papers.kit.numbers import geometric_mean
from experiments.papers.kit.results import NOT_MEASURED, MatrixRecord, Record
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Verdict
from experiments.report.parameter_charts import LineChart

COMBINED = ("hbp", "hbp-classes", "hbp-active", "hbp-by-degree")
"""With a combine step after the product in blocks."""
OURS = (*COMBINED, "hbp-active-direct")
DRAWN = tuple(method for method in PRODUCTS if method != "crs")
"""As many as there are colours."""
AGAINST = ("crs-scalar", "own", "crs", "cusparse")


def speeds(results: Results, figure: int, printed: str) -> Item:
    """Make figure 8 or 10.

    Parameters
    ----------
    results
        What was measured.
    figure
        Which one.
    printed
        The paper's device, a key of `experiments.papers.hbp.printed.PRODUCTS`.
    """
    means = [
        _mean_row(results, ours, other, dtype, printed)
        for dtype in DTYPES
        for ours in OURS
        for other in AGAINST
    ]
    return results.item(
        f"hbp-fig{figure}",
        f"Figure {figure}: products, next to the paper's on {printed}",
        "GFLOPS, 2 nnz over the time of the product with its combine step, and how many times faster than "
        "CSR and the 2D partition HBP is. The paper prints means and maxima of these; its bars are a "
        "picture.",
        (*means, *(row for matrix in results.matrices for row in _speed_rows(results, matrix))),
        chart=_chart(results),
        verdicts=_verdicts(results, printed),
        notes=(f"The picture is without {PRODUCTS['crs']}, which stands in the table.",),
    )


def _mean_row(results: Results, ours: str, other: str, dtype: str, printed: str) -> Comparison:
    paper = PRINTED[printed].get(other, ("", ""))[0] if (ours, dtype) == ("hbp", "float64") else ""
    mean = geometric_mean(results.ratios(results.matrices, other, dtype, ours).values())
    quantity = f"{PRODUCTS[ours]}: times faster than {PRODUCTS[other]}, {dtype}"
    note = "the paper's average" if paper else ""
    return Comparison("geometric mean", quantity, paper, mean, note, NOT_MEASURED)


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


def _chart(results: Results) -> BarChart:
    panels = tuple(
        bars(
            dtype,
            results.matrices,
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


def _verdicts(results: Results, printed: str) -> Iterator[Verdict]:
    for other, (mean, most) in PRINTED[printed].items():
        ratios = results.ratios(results.matrices, other, "float64", "hbp").values()
        ours = geometric_mean(ratios)
        detail = NOT_MEASURED if ours is None else f"{ours:.2f} times, at most {max(ratios):.2f}"
        claim = f"HBP is {mean} times faster than {PRODUCTS[other]} on average, at most {most}"
        yield Verdict(claim, None if ours is None else ours >= float(mean), detail)


def _parts(record: Record | None) -> dict[str, float | None]:
    """Return the time in blocks and that of the combine step after, as far as they are known."""
    combine = None if record is None else record.parts.get("combine")
    if record is None or record.median_us is None or combine is None:
        return {"blocks": None, "combine": combine}
    return {"blocks": record.median_us - combine, "combine": combine}


def parts(results: Results) -> Item:
    """Make figure 9: the product and the combine step as the Kronecker graphs grow."""
    graphs = [each for each in results.matrices if "kronecker" in each.name]
    records = {method: [results.record(each, method, "float64") for each in graphs] for method in COMBINED}
    rows = [
        Comparison(
            matrix.label,
            f"{PRODUCTS[method]}: {part}",
            "",
            time,
            "" if record is None else record.reason,
            results.absent(matrix, method, "float64") or NOT_MEASURED,
        )
        for method, result in records.items()
        for matrix, record in zip(graphs, result, strict=True)
        for part, time in _parts(record).items()
    ]
    series = {
        f"{PRODUCTS[method]}: {part}": tuple(_parts(record)[part] for record in records[method])
        for method in ("hbp", "hbp-active")
        for part in ("blocks", "combine")
    }
    return results.item(
        "hbp-fig9",
        "Figure 9: the combine step as matrices grow",
        "Time of the product in blocks and of the combine step after it, over Kronecker graphs of rising "
        "scale, microseconds, float64. The paper's numbers are a picture.",
        tuple(rows),
        chart=LineChart(
            title="Product in blocks and combine step, float64",
            value_label="us",
            category_label="scale of the Kronecker graph",
            categories=tuple(each.name.rpartition("-")[2] for each in graphs),
            series=series,
            bands={},
            description="Lines of the time in blocks and in the combine step over the scale, of two forms",
        )
        if any(time for times in series.values() for time in times)
        else None,
        verdicts=(_growth(list(map(_parts, records["hbp"]))),),
    )


def _growth(times: list[dict[str, float | None]]) -> Verdict:
    claim = "The combine step grows faster than the product in blocks"
    there = [(each["blocks"], each["combine"]) for each in times if each["blocks"] and each["combine"]]
    if len(there) < 2:
        return Verdict(claim, None, NOT_MEASURED)
    blocks, combine = (
        (last or 0.0) / (first or 1.0) for first, last in zip(there[0], there[-1], strict=True)
    )
    return Verdict(claim, combine > blocks, f"combine {combine:.1f} times, blocks {blocks:.1f} times")


def throughput(results: Results) -> Item:
    """Make Table II: bytes that a product must move, counted, over its time."""
    rows = []
    for matrix in results.matrices:
        csr, hbp = TABLE_2.get(id_of(matrix), ("", ""))
        for method, paper in (("crs-scalar", csr), ("hbp", hbp), ("hbp-active", "")):
            record = results.record(matrix, method, "float64")
            rate = None
            if record is not None and record.median_us and record.nbytes:
                rate = (record.nbytes + 16 * matrix.rows) / (record.median_us * 1e3)
            absent = results.absent(matrix, method, "float64")
            rows.append(Comparison(matrix.label, PRODUCTS[method], paper, rate, "counted", absent))
    return results.item(
        "hbp-table2",
        "Table II: memory throughput",
        "The paper reads the memory throughput of CSR, a thread a row, and HBP from Nsight Compute, GB/s. "
        "Here it is counted: the bytes that a product keeps on the device, x once and y once, over its "
        "time; what is read more than once is not in it, and what is kept and not read is: HBP passes over "
        "the slots of groups of 32 rows without entries, so that its numbers are too high, of circuits and "
        "device-like matrices by a quarter to nearly twice. Mem Busy needs the profiler and is not shown.",
        tuple(rows),
    )
