"""Figures 8, 9 and 10 and Table II: products, their combine step, and the memory throughput."""

from __future__ import annotations

from experiments.papers.hbp.printed import PRODUCTS as PRINTED
from experiments.papers.hbp.printed import TABLE_2
from experiments.papers.hbp.results import MatrixRecord, ProductRecord, Results
from experiments.papers.hbp.texts import ABSENT, NOT_MEASURED, NOTHING, PRODUCTS, label, number_of
from experiments.papers.pellr.speeds import geometric_mean
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel, Verdict
from experiments.report.parameter_charts import LineChart

DTYPES = ("float64", "float32")
COMBINED = ("hbp", "hbp-classes", "hbp-active", "hbp-by-degree")
"""With a combine step behind the product in blocks."""
OURS = (*COMBINED, "hbp-active-direct")
DRAWN = tuple(method for method in PRODUCTS if method != "crs")
"""As many as there are colours."""
AGAINST = ("crs-scalar", "own", "crs", "cusparse")


def product_of(results: Results, matrix: str, method: str, dtype: str) -> ProductRecord | None:
    """Give what was measured of a product, if anything.

    Parameters
    ----------
    results
        What was measured.
    matrix, method, dtype
        As of `ProductRecord`.
    """
    for each in results.products:
        if (each.matrix, each.method, each.dtype) == (matrix, method, dtype):
            return each
    return None


def _time(results: Results, matrix: str, method: str, dtype: str) -> float | None:
    found = product_of(results, matrix, method, dtype)
    return None if found is None else found.median_us


def _ratios(results: Results, ours: str, other: str, dtype: str) -> list[float]:
    found = []
    for matrix in results.matrices:
        mine, theirs = (_time(results, matrix.name, method, dtype) for method in (ours, other))
        if mine and theirs:
            found.append(theirs / mine)
    return found


def speeds(results: Results | None, figure: int, printed: str) -> Item:
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
    name, title = f"hbp-fig{figure}", f"Figure {figure}: products, beside the paper's on {printed}"
    summary = (
        "GFLOPS, 2 nnz over the time of the product with its combine step, and how many times faster than "
        "CSR and the 2D partition HBP is. The paper prints means and maxima of these; its bars are a "
        "picture."
    )
    if results is None:
        return Item(name, title, summary, (), gaps=(NOTHING,))
    measured = bool(results.products)
    rows = [
        _mean_row(results, ours, other, dtype, printed)
        for dtype in DTYPES
        for ours in OURS
        for other in AGAINST
    ]
    rows += [row for matrix in results.matrices if measured for row in _speed_rows(results, matrix)]
    return Item(
        name,
        title,
        summary,
        tuple(rows),
        chart=_chart(results) if measured else None,
        verdicts=_verdicts(results, printed),
        gaps=() if measured else (NOT_MEASURED,),
        notes=(f"The picture is without {PRODUCTS['crs']}, which stands in the table.",) if measured else (),
    )


def _mean_row(results: Results, ours: str, other: str, dtype: str, printed: str) -> Comparison:
    paper = PRINTED[printed].get(other, ("", ""))[0] if (ours, dtype) == ("hbp", "float64") else ""
    mean = geometric_mean(_ratios(results, ours, other, dtype))
    quantity = f"{PRODUCTS[ours]}: times faster than {PRODUCTS[other]}, {dtype}"
    return Comparison("geometric mean", quantity, paper, mean, "the paper's average" if paper else "", ABSENT)


def _speed_rows(results: Results, matrix: MatrixRecord) -> list[Comparison]:
    rows = []
    for dtype in DTYPES:
        for method in PRODUCTS:
            found = product_of(results, matrix.name, method, dtype)
            if found is None:
                continue
            speed = None if not found.median_us else 2 * matrix.nnz / (found.median_us * 1e3)
            note = f"{found.median_us:.4g} us" if found.median_us else f"{found.status}: {found.reason}"
            rows.append(
                Comparison(
                    label(matrix), f"{PRODUCTS[method]}, GFLOPS, {dtype}", "", speed, note, found.status
                )
            )
    return rows


def _chart(results: Results) -> BarChart:
    names = tuple(map(number_of, results.matrices))
    panels = []
    for dtype in DTYPES:
        series = {}
        for method in DRAWN:
            times = [_time(results, each.name, method, dtype) for each in results.matrices]
            series[PRODUCTS[method]] = tuple(
                None if not time else 2 * each.nnz / (time * 1e3)
                for each, time in zip(results.matrices, times, strict=True)
            )
        panels.append(Panel(dtype, names, series))
    return BarChart(
        title="Speed of the product",
        value_label="GFLOPS",
        panels=tuple(panels),
        description="Bars of GFLOPS of each product for each matrix",
        logarithmic=True,
        bars_from=None,
    )


def _verdicts(results: Results, printed: str) -> tuple[Verdict, ...]:
    found = []
    for other, (mean, most) in PRINTED[printed].items():
        ratios = _ratios(results, "hbp", other, "float64")
        ours = geometric_mean(ratios)
        detail = ABSENT if ours is None else f"{ours:.2f} times, at most {max(ratios):.2f}"
        claim = f"HBP is {mean} times faster than {PRODUCTS[other]} on average, at most {most}"
        found.append(Verdict(claim, None if ours is None else ours >= float(mean), detail))
    return tuple(found)


def parts(results: Results | None) -> Item:
    """Make figure 9: the product and the combine step as the Kronecker graphs grow."""
    name, title = "hbp-fig9", "Figure 9: the combine step as matrices grow"
    summary = (
        "Time of the product in blocks and of the combine step behind it, over Kronecker graphs of rising "
        "scale, microseconds, float64. The paper's numbers are a picture."
    )
    if results is None:
        return Item(name, title, summary, (), gaps=(NOTHING,))
    rows: list[Comparison] = []
    growth: dict[str, list[tuple[float, float]]] = {}
    for method in COMBINED:
        for matrix in results.matrices:
            if "kronecker" not in matrix.name:
                continue
            found = product_of(results, matrix.name, method, "float64")
            combine = None if found is None else found.combine_us
            product = None
            if found is not None and found.median_us is not None and combine is not None:
                product = found.median_us - combine
                growth.setdefault(method, []).append((product, combine))
            why = "" if found is None else found.reason
            absent = ABSENT if found is None else found.status
            rows.append(Comparison(label(matrix), f"{PRODUCTS[method]}: blocks", "", product, why, absent))
            rows.append(Comparison(label(matrix), f"{PRODUCTS[method]}: combine", "", combine, why, absent))
    return Item(
        name,
        title,
        summary,
        tuple(rows),
        chart=_growth_chart(results) if growth else None,
        verdicts=_growth_verdicts(growth.get("hbp", [])),
        gaps=() if results.products else (NOT_MEASURED,),
    )


def _growth_chart(results: Results) -> LineChart:
    graphs = [each for each in results.matrices if "kronecker" in each.name]
    series = {}
    for method in ("hbp", "hbp-active"):
        found = [product_of(results, each.name, method, "float64") for each in graphs]
        combine = tuple(None if each is None else each.combine_us for each in found)
        series[f"{PRODUCTS[method]}: blocks"] = tuple(
            None
            if each is None or each.median_us is None or each.combine_us is None
            else each.median_us - each.combine_us
            for each in found
        )
        series[f"{PRODUCTS[method]}: combine"] = combine
    return LineChart(
        title="Product in blocks and combine step, float64",
        value_label="us",
        category_label="scale of the Kronecker graph",
        categories=tuple(each.name.rpartition("-")[2] for each in graphs),
        series=series,
        bands={},
        description="Lines of the time in blocks and in the combine step over the scale, of two forms",
    )


def _growth_verdicts(times: list[tuple[float, float]]) -> tuple[Verdict, ...]:
    claim = "The combine step grows faster than the product in blocks"
    if len(times) < 2:
        return (Verdict(claim, None, ABSENT),)
    product, combine = (times[-1][part] / times[0][part] for part in (0, 1))
    return (Verdict(claim, combine > product, f"combine {combine:.1f} times, blocks {product:.1f} times"),)


def throughput(results: Results | None) -> Item:
    """Make Table II: bytes that a product must move, counted, over its time."""
    name, title = "hbp-table2", "Table II: memory throughput"
    summary = (
        "The paper reads the memory throughput of CSR, a thread a row, and HBP from Nsight Compute, GB/s. "
        "Here it is counted: the bytes that a product keeps on the device, x once and y once, over its "
        "time; what is read more than once is not in it, and what is kept and not read is: HBP passes over "
        "the slots of groups of 32 rows without entries, so that its numbers are too high, of circuits and "
        "device-like matrices by a quarter to nearly twice. Mem Busy needs the profiler and is not shown."
    )
    if results is None:
        return Item(name, title, summary, (), gaps=(NOTHING,))
    rows = []
    for matrix in results.matrices:
        csr, hbp = TABLE_2.get(matrix.name.partition("-")[0], ("", ""))
        for method, paper in (("crs-scalar", csr), ("hbp", hbp), ("hbp-active", "")):
            found = product_of(results, matrix.name, method, "float64")
            rate = None
            if found is not None and found.median_us and found.nbytes:
                rate = (found.nbytes + 16 * matrix.rows) / (found.median_us * 1e3)
            absent = ABSENT if found is None else found.status
            rows.append(Comparison(label(matrix), PRODUCTS[method], paper, rate, "counted", absent))
    return Item(name, title, summary, tuple(rows), gaps=() if results.products else (NOT_MEASURED,))
