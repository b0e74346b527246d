"""Write the tables of the GPU benchmark into benchmarks/README.md, from the kept results.

python -m docs.tables.gpu_speeds [FILE...] [--readme FILE]

Without files the last run of each device in benchmarks/results/gpu-*.json. What stands between the two marker
comments is replaced.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from docs.tables.markdown import table
from experiments.gpu_bench import summary
from experiments.gpu_bench.records import BENCHMARK, Record, Run, read_run
from vecsim.results.atomic_files import write_file
from vecsim.support.errors import UserError

BEGIN, END = "<!-- gpu tables: begin -->", "<!-- gpu tables: end -->"
"""The comments between which the tables stand."""


def replace_between(file: Path, text: str) -> None:
    """Replace what stands between the comments.

    Raises
    ------
    UserError
        If the file has no such comments.
    """
    before, begin, rest = file.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise UserError(f"{file}: has no lines {BEGIN} and {END}")
    write_file(file, f"{before}{begin}\n\n{text}\n{end}{after}".encode())


HERE = Path(__file__).parents[2] / "benchmarks"
DTYPES = ("float64", "float32")
GATHERS = "gather bound, % of time"
COMPARED = (
    "matrix",
    "million entries",
    "product",
    "type",
    "ours, us",
    "cuSPARSE, us",
    "times faster",
    "lower bound, % of time",
    GATHERS,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables; 2 if a file cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m docs.tables.gpu_speeds", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--readme", type=Path, default=HERE / "README.md", metavar="FILE")
    given = parser.parse_args(arguments)
    try:
        if given.files:
            runs = [read_run(file) for file in given.files]
        else:
            runs = latest(map(read_run, run_files(HERE / "results")))
        replace_between(given.readme, render(runs))
    except UserError as error:
        print(f"gpu_tables: error: {error}", file=sys.stderr)
        return 2
    return 0


def render(runs: Sequence[Run]) -> str:
    """Return the tables of all runs as Markdown: all of them side by side, then each on its own."""
    if not runs:
        return "No run is kept.\n"
    parts = [
        _devices(runs),
        "How many times faster our best is than the best of cuSPARSE, replayed in turn: geometric means, and "
        "the lowest:\n",
        _classes(runs),
        _elasticity(runs),
        *map(_auto, runs),
        *map(_run, runs),
    ]
    return "\n".join(part for part in parts if part)


def run_files(folder: Path) -> list[Path]:
    """Return the files of a folder that are results of this benchmark; others have names like theirs."""
    return [file for file in sorted(folder.glob("gpu-*.json")) if _is_of_the_benchmark(file)]


def _is_of_the_benchmark(file: Path) -> bool:
    try:
        return bool(json.loads(file.read_text("utf-8")).get("benchmark") == BENCHMARK)
    except (ValueError, AttributeError):
        raise UserError(f"{file}: is not a JSON object") from None


def latest(runs: Iterable[Run]) -> list[Run]:
    """Return the last run of each device, in the order of their names."""
    result: dict[str, Run] = {}
    for run in sorted(runs, key=lambda run: str(run.header["date"])):
        result[_name(run)] = run
    return [result[name] for name in sorted(result)]


def _name(run: Run) -> str:
    return str(run.header["device"]["name"])


def _short(run: Run) -> str:
    return _name(run).removeprefix("NVIDIA ")


def _devices(runs: Sequence[Run]) -> str:
    rows = []
    for run in runs:
        cusparse = next((record.library for record in run.records if not record.ours), "no cuSPARSE")
        phases = [f"{name} {seconds:.0f}" for name, seconds in run.seconds.items() if seconds >= 0.5]
        rows.append(
            [
                _name(run),
                str(run.header["date"])[:10],
                str(run.header["commit"])[:12],
                cusparse,
                f"{run.header['copy_gb_per_s']:,.0f}",
                f"{sum(run.seconds.values()):.0f}",
                ", ".join(phases),
            ]
        )
    names = ["device", "date", "commit", "library", "copy, GB/s", "seconds in all", "of them"]
    return table(names, rows)


def _classes(runs: Sequence[Run]) -> str:
    means = {
        (place, mean.operation, mean.class_, mean.cache, mean.dtype): mean
        for place, run in enumerate(runs)
        for mean in summary.class_means(run.records)
    }
    keys = dict.fromkeys((operation, class_, cache) for _, operation, class_, cache, _ in means)
    rows = []
    for key in keys:
        of = [means.get((place, *key, dtype)) for place in range(len(runs)) for dtype in DTYPES]
        row = [*key, str(max(mean.matrices for mean in of if mean))]
        for mean in of:
            row += [f"{mean.mean:.2f}", f"{mean.worst_ratio:.2f} {mean.worst}"] if mean else ["", ""]
        rows.append(row)
    of_means = ["spmv", "mean of the classes", "warm", ""]
    for run in runs:
        for dtype in DTYPES:
            mean_of_all = summary.mean_of_classes(run, dtype)
            of_means += ["" if math.isnan(mean_of_all) else f"{mean_of_all:.2f}", ""]
    names = [name for run in runs for dtype in DTYPES for name in (f"{_short(run)} {dtype}", "lowest")]
    return table(["product", "class", "cache", "matrices", *names], [*rows, of_means])


def _elasticity(runs: Sequence[Run]) -> str:
    result = {
        (best.matrix, best.dtype, place): (best.method, f"{csr:.2f}", f"{every:.2f}")
        for place, run in enumerate(runs)
        for best, csr, every in summary.against_csr(run.records)
    }
    if not result:
        return ""
    rows = []
    for matrix, dtype in dict.fromkeys((matrix, dtype) for matrix, dtype, _ in result):
        row = [matrix, dtype]
        for place in range(len(runs)):
            row += result.get((matrix, dtype, place), ("", "", ""))
        rows.append(row)
    names = [
        name for run in runs for name in (f"{_short(run)}: best", "over the best CSR", "over all of cuSPARSE")
    ]
    return table(["elasticity", "type", *names], rows)


def _auto(run: Run) -> str:
    result = summary.auto_summary(run.records)
    if result is None:
        return ""
    return (
        f"{_short(run)}: by the constants of its day ({str(run.header['date'])[:10]}) `auto` takes "
        f"{result.mean:.3f} times as long as the best of ours (geometric mean of "
        f"{result.matrices} products), at most {result.worst_ratio:.2f} times ({result.worst}).\n"
    )


def _run(run: Run) -> str:
    parts = [
        f"### {_name(run)}, {str(run.header['date'])[:10]}\n",
        "Every product, warm (`spmv_t`: ours and cuSPARSE on an explicit transposed copy or as operation, "
        "whichever is faster); what `auto` takes, and its time over that of the best:\n",
        _products(run),
        _cold(run),
        _missing(run),
    ]
    return "\n".join(part for part in parts if part)


def _products(run: Run) -> str:
    copy = float(run.header["copy_gb_per_s"])
    taken = {
        record.unit: f"{record.parameters.get('format', '')} {loss:.2f}"
        for record, loss in summary.auto_losses(run.records)
    }
    rows = [
        [
            *_compared(pair),
            f"{100 * summary.share_of_copy(pair.ours, copy):.0f}",
            f"{pair.ours.error:.0e}",
            f"{(pair.ours.setup_us or 0) / 1000:.0f}",
            "never" if pair.ours.paid_after is None else f"{pair.ours.paid_after:,.0f}",
            taken.get(pair.ours.unit, ""),
        ]
        for pair in summary.pairs(run.records)
        if pair.ours.cache == "warm"
    ]
    return _table([*COMPARED, "% of copy rate", "error", "setup, ms", "paid after", "auto"], rows)


def _cold(run: Run) -> str:
    rows = [_compared(pair) for pair in summary.pairs(run.records) if pair.ours.cache == "cold"]
    if not rows:
        return ""
    return "Cold; the other matrices are at least four times the L2 cache:\n\n" + _table(COMPARED, rows)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table, without the bound of gathers where no run has it."""
    gathers = COMPARED.index(GATHERS)
    run_files = [at for at in range(len(names)) if at != gathers or any(row[gathers] for row in rows)]
    return table([names[at] for at in run_files], ([row[at] for at in run_files] for row in rows))


def _compared(pair: summary.Pair) -> list[str]:
    """Return the columns `COMPARED` of a product."""
    ours = pair.ours
    return [
        ours.matrix,
        f"{ours.nnz / 1e6:.3g}",
        ours.operation,
        ours.dtype,
        f"{ours.method} {_us(ours)}",
        f"{_named(pair.baseline)} {_us(pair.baseline)}",
        f"{pair.ratio:.2f}",
        f"{100 * (ours.share_of_bound or 0):.0f}",
        "" if ours.gather_bound_us is None else f"{100 * ours.gather_bound_us / (ours.median_us or 1):.0f}",
    ]


def _missing(run: Run) -> str:
    lines = [
        f"- {record.matrix}: {record.status}, {record.reason}"
        for record in run.records
        if record.status == "not_found"
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


if __name__ == "__main__":
    sys.exit(main())
