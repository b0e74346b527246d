"""Write what pages say of the measurements of the paper on layouts, from the recorded results.

python -m docs.tables.layouts
"""

from __future__ import annotations

import sys
from textwrap import fill

from docs.tables import marked
from docs.tables.markdown import table
from docs.tables.marked import ROOT, WIDTH
from experiments.papers.kit.numbers import Average, mean_ratio
from experiments.papers.kit.recorded import newest
from experiments.papers.kit.source import recorded_results
from experiments.papers.layouts.forms import BASELINES
from experiments.papers.layouts.paper import PAPER
from experiments.papers.layouts.results import OURS, PAPERS, REALS, SCOPES, Results
from experiments.report.item import Item

PAGES = (ROOT / "docs/papers/layouts.md", ROOT / "docs/reproducing.md", ROOT / "benchmarks/README.md")
NAME = "layouts"
PICTURES = {"layouts-fig1": "paper-layouts-fig1"}
"""By the name of the item."""


def main() -> int:
    """Write the parts of the pages, and draw their pictures."""
    results = recorded_results(Results)
    marked.write(PAGES, NAME, PARTS_OF_PAGES, results)
    marked.draw_pictures(_items(results), PICTURES)
    return 0


def _items(results: Results) -> list[Item]:
    return [each.make(results) for each in PAPER.experiments]


def _counts(results: Results) -> str:
    return marked.counts(_items(results), results.gpu, PAPER.stand_ins(results))


def _with_range(mean: Average | None) -> str:
    return "" if mean is None else f"{mean.value:.2f} ({mean.least:.2f} to {mean.greatest:.2f})"


def _means(results: Results) -> str:
    """Return geometric means over the large matrices, of what the paper tried and of all of ours."""
    rows = []
    for entry, baselines in BASELINES.items():
        for dtype in REALS:
            for words, form in baselines.items():
                ratios = [results.speedups(entry, dtype, form, each.joint, large=True) for each in SCOPES]
                rows.append((entry, dtype, words, *map(_with_range, map(mean_ratio, ratios)), len(ratios[0])))
            gains = [results.gains(entry, dtype, each, large=True) for each in SCOPES]
            means = map(_with_range, map(mean_ratio, gains))
            rows.append((entry, dtype, "schedules alone", *means, len(gains[0])))
    columns = ("entries", "type", "times as fast as", "as the paper", "ours", "matrices")
    return table(columns, rows)


def _variants(results: Results) -> str:
    """Return the best variants of the large matrices."""
    rows = []
    for matrix in results.matrices:
        for dtype in REALS:
            best = results.search(matrix.name, dtype, OURS.joint)
            of_paper = results.search(matrix.name, dtype, PAPERS.joint)
            if matrix.name in results.large and best and of_paper:
                share = results.share(matrix.name, dtype) or 0.0
                cut = "" if best.complete else " (cut)"
                rows.append(
                    (
                        f"{matrix.name} ({matrix.nnz / 1e6:.1f} M), {dtype}",
                        f"{best.median_us:.1f}",
                        f"{best.layout}, {best.schedule}{cut}",
                        f"{share:.0f} %",
                        f"{results.gain(matrix.name, dtype, OURS):.2f}",
                        f"{of_paper.median_us:.1f}",
                        f"{of_paper.layout}, {of_paper.schedule}{'' if of_paper.complete else ' (cut)'}",
                        f"{results.gain(matrix.name, dtype, PAPERS):.2f}",
                    )
                )
    columns = (
        "matrix (entries)",
        "us",
        "layout and schedule",
        "plain reads, % of the time",
        "gain over schedules alone",
        "as the paper, us",
        "layout and schedule",
        "gain",
    )
    return table(columns, rows)


def _run(results: Results) -> str:
    """Return what the run was."""
    file = newest(Results.recorded_folder())
    name = "" if file is None else file.relative_to(ROOT)
    cut = [each for each in results.searches if not each.complete]
    complete = "no search was cut by its time limit" if not cut else f"{len(cut)} searches were cut"
    missing = " and ".join(f"“{name}”" for name in results.missing)
    left_out = f"; it left out {missing}" if missing else ""
    return fill(
        f"`vecsim reproduce layouts` takes {results.seconds['all']:.0f} seconds on an {results.gpu} with 16 "
        f"cores; {complete}{left_out}. The recorded results, `{name}`, were measured on "
        f"{results.made[:10]} at commit {results.commit[:7]}.",
        WIDTH,
        break_on_hyphens=False,
    )


PARTS_OF_PAGES = {
    "counts": _counts,
    "numbers": lambda results: marked.numbers(_items(results)),
    "claims": lambda results: marked.claims(_items(results)),
    "means": _means,
    "variants": _variants,
    "run": _run,
}
"""Makes each part of the pages."""

if __name__ == "__main__":
    sys.exit(main())
