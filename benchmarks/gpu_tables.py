"""Write the tables of the GPU benchmark into benchmarks/README.md, from the kept results.

python -m benchmarks.gpu_tables [FILE...] [--readme FILE]

Without files all of benchmarks/results/gpu-*.json. What stands between the two marker comments is replaced.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from experiments.gpu import summary
from experiments.gpu.records import Record, Run, read_run
from isa.errors import UserError

HERE = Path(__file__).parent
BEGIN, END = "<!-- gpu tables: begin -->", "<!-- gpu tables: end -->"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables; 2 if a file cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_tables", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--readme", type=Path, default=HERE / "README.md", metavar="FILE")
    given = parser.parse_args(arguments)
    try:
        files = given.files or sorted((HERE / "results").glob("gpu-*.json"))
        write(given.readme, render([read_run(file) for file in files]))
    except UserError as error:
        print(f"gpu_tables: error: {error}", file=sys.stderr)
        return 2
    return 0


def write(readme: Path, tables: str) -> None:
    """Replace what stands between the markers of a file.

    Raises
    ------
    UserError
        If it has no markers.
    """
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise UserError(f"{readme}: has no lines {BEGIN} and {END}")
    partial = readme.with_name(f".{readme.name}.{os.getpid()}.partial")
    partial.write_text(f"{before}{BEGIN}\n\n{tables}\n{END}{after}", encoding="utf-8")
    partial.replace(readme)


def render(runs: Sequence[Run]) -> str:
    """Give the tables of all runs as Markdown."""
    return "\n".join(map(_run, runs)) if runs else "No run is kept.\n"


def _run(run: Run) -> str:
    device, date = run.header["device"]["name"], str(run.header["date"])[:10]
    cusparse = next((record.library for record in run.records if not record.ours), "no cuSPARSE")
    facts = (
        f"{cusparse}, copy {run.header['copy_gb_per_s']:,.0f} GB/s, commit {str(run.header['commit'])[:12]}; "
        f"{sum(run.seconds.values()):.0f} s in all: "
        + ", ".join(f"{name} {seconds:.0f}" for name, seconds in run.seconds.items() if seconds >= 0.5)
    )
    parts = [
        f"### {device}, {date}\n\n{facts}.\n",
        "How many times faster our best is than the best of cuSPARSE, replayed in turn, geometric means:\n",
        _classes(run),
        _elasticity(run),
        _auto(run),
        "Every product, warm (`spmv_t`: ours and cuSPARSE on an explicit transposed copy or as operation, "
        "whichever is faster):\n",
        _products(run),
        _missing(run),
    ]
    return "\n".join(part for part in parts if part)


def _classes(run: Run) -> str:
    means = summary.class_means(run.records)
    keys = dict.fromkeys((mean.operation, mean.class_, mean.cache) for mean in means)
    rows = []
    for key in keys:
        of = {mean.dtype: mean for mean in means if (mean.operation, mean.class_, mean.cache) == key}
        row = [*key, str(max(mean.matrices for mean in of.values()))]
        for dtype in ("float64", "float32"):
            mean = of.get(dtype)
            row += [f"{mean.mean:.2f}", f"{mean.worst_ratio:.2f} {mean.worst}"] if mean else ["", ""]
        rows.append(row)
    both = (summary.mean_of_classes(run, dtype) for dtype in ("float64", "float32"))
    of_means = ["spmv", "mean of the classes", "warm", ""]
    for mean_of_all in both:
        of_means += ["" if math.isnan(mean_of_all) else f"{mean_of_all:.2f}", ""]
    names = ["product", "class", "cache", "matrices", "float64", "lowest", "float32", "lowest"]
    return _table(names, [*rows, of_means])


def _elasticity(run: Run) -> str:
    found = summary.against_csr(run.records)
    if not found:
        return ""
    rows = [
        [best.matrix, best.dtype, best.method, f"{csr:.2f}", f"{every:.2f}"] for best, csr, every in found
    ]
    head = ["elasticity", "type", "best of ours", "over the best CSR", "over all of cuSPARSE"]
    return _table(head, rows)


def _auto(run: Run) -> str:
    found = summary.auto_summary(run.records)
    if found is None:
        return ""
    return (
        f"`auto` takes {found.mean:.3f} times as long as the best of ours (geometric mean of "
        f"{found.matrices} products), at most {found.worst_ratio:.2f} times ({found.worst}).\n"
    )


def _products(run: Run) -> str:
    copy = float(run.header["copy_gb_per_s"])
    losses = {record.unit: loss for record, loss in summary.auto_losses(run.records)}
    rows = []
    for pair in summary.pairs(run.records):
        ours, baseline = pair.ours, pair.baseline
        if ours.cache != "warm":
            continue
        rows.append(
            [
                ours.matrix,
                f"{ours.nnz / 1e6:.3g}",
                ours.operation,
                ours.dtype,
                f"{ours.method} {_us(ours)}",
                f"{_named(baseline)} {_us(baseline)}",
                f"{pair.ratio:.2f}",
                f"{100 * (ours.share_of_floor or 0):.0f}",
                f"{100 * summary.share_of_copy(ours, copy):.0f}",
                f"{ours.error:.0e}",
                f"{(ours.setup_us or 0) / 1000:.0f}",
                "never" if ours.paid_after is None else f"{ours.paid_after:,.0f}",
                f"{losses[ours.unit]:.2f}" if ours.unit in losses else "",
            ]
        )
    names = [
        "matrix",
        "million entries",
        "product",
        "type",
        "ours, us",
        "cuSPARSE, us",
        "times faster",
        "% of floor",
        "% of copy rate",
        "error",
        "setup, ms",
        "paid after",
        "auto",
    ]
    return _table(names, rows)


def _missing(run: Run) -> str:
    lines = [
        f"- {record.matrix}: {record.status}, {record.reason}"
        for record in run.records
        if record.status == "not_at_hand"
    ]
    failed = [record for record in summary.not_measured(run.records) if record.status in ("wrong", "failed")]
    lines += [
        f"- {record.matrix}, {record.dtype}, {record.method}: {record.status}, {record.reason}"
        for record in failed
    ]
    return "\n".join(["Not measured:\n", *lines, ""]) if lines else ""


def _named(record: Record) -> str:
    way = record.parameters.get("transposed")
    return f"{record.method} ({way})" if way else record.method


def _us(record: Record) -> str:
    return f"{record.median_us:.4g}"


def _table(names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(names)
    lines = [head, ["---"] * len(head), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
