"""Conjugate gradients with compound entries: iterations, and the time of one by ours and by libraries.

Ours stands beside the same with cuSPARSE's product, and beside cuSPARSE and cuBLAS alone.

python -m benchmarks.compound_solver --json FILE        measures on a GPU
python -m benchmarks.compound_solver --iterations       counts iterations by NumPy and SciPy, without one
python -m benchmarks.compound_solver --pictures FOLDER  draws both examples, solved by NumPy and SciPy
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.compound_problems import (
    Problem,
    clamped_beam,
    clamped_cube,
    noisy_torus,
    smoothed_surface,
)
from gpu.compound.solver import solve_on_the_host
from vecsim.errors import UserError
from vecsim.formats import NotRepresentableError
from vecsim.provenance import provenance

STEPS = 12.0
PROBLEMS: dict[str, Callable[[], Problem]] = {
    "cube": lambda: clamped_cube(21, 3),
    "surface": lambda: smoothed_surface(noisy_torus(1200, 1000), STEPS),
}
SMALL: dict[str, Callable[[], Problem]] = {
    "cube": lambda: clamped_cube(9, 3),
    "surface": lambda: smoothed_surface(noisy_torus(300, 250), STEPS),
}
SCREEN_SECONDS, SECONDS = 0.02, 0.2


def products(problem: Problem) -> Iterator[Any]:
    """Give our products of a matrix in the layouts that are likely best."""
    from gpu.compound.component_layout import AOS, SOA, ComponentLayout
    from gpu.compound.device_compound import Layout, prepare
    from gpu.compound.schedule import Schedule

    inner = (AOS, SOA, ComponentLayout(None, 2))
    for outer in ("sliced-32", "sliced-32-short", "sorted-32", "sorted-32-short"):
        for each in inner:
            for vector in (AOS, SOA):
                with suppress(NotRepresentableError):
                    yield prepare(problem.matrix, Layout(outer, each, vector), Schedule("whole", 256))


def measured(name: str, problem: Problem) -> dict[str, Any]:
    """Solve a system on the GPU, and time an iteration with our best product and with cuSPARSE's best.

    Parameters
    ----------
    name
        Of the system.
    problem
        The system.
    """
    from gpu.compound.cusparse_forms import cusparse_forms
    from gpu.compound.solver.by_libraries import LibraryGradients
    from gpu.compound.solver.conjugate_gradients import AT_ONCE, ConjugateGradients
    from gpu.compound.solver.operators import of_cusparse, of_product
    from gpu.measure.timing import measure

    def timed(operator: Any, seconds: float) -> float:
        return float(measure([operator.enqueue], seconds).median_us)

    def solved(operator: Any, by: Any = ConjugateGradients) -> dict[str, Any]:
        with by(problem.matrix, operator) as solver:
            begun = time.perf_counter()
            found = solver.solve(problem.b)
            seconds = time.perf_counter() - begun
            us = float(measure([solver.enqueue], SECONDS).median_us) / AT_ONCE
        return {
            "product_us": timed(operator, SECONDS),
            "iteration_us": us,
            "iterations": found.iterations,
            "converged": found.converged,
            "seconds": seconds,
            "x": found.x,
        }

    tried = [(timed(of_product(each), SCREEN_SECONDS), each) for each in products(problem)]
    ours = min(tried, key=_first)[1]
    forms = [each for each in cusparse_forms(problem.matrix) if not each.columns]
    library = [of_cusparse(problem.matrix, form) for form in forms]
    times = [timed(each, SCREEN_SECONDS) for each in library]
    best = times.index(min(times))
    records = {
        "ours": {"layout": ours.placed.layout.name, **solved(of_product(ours))},
        "cusparse": {"layout": forms[best].name, **solved(library[best])},
        "libraries": {"layout": forms[best].name, **solved(library[best], LibraryGradients)},
    }
    first, *others = (each.pop("x") for each in records.values())
    apart = max(float(np.linalg.norm(first - each) / np.linalg.norm(first)) for each in others)
    return {"name": name, "problem": problem.name, "entries": problem.matrix.nnz, "apart": apart, **records}


def _first(pair: tuple[float, Any]) -> float:
    return pair[0]


def count_iterations() -> None:
    """Print how many iterations the small systems take, with and without preconditioner."""
    for name, make in SMALL.items():
        problem = make()
        with_, without = (
            solve_on_the_host(problem.matrix, problem.b, preconditioned=each).iterations
            for each in (True, False)
        )
        print(f"{name}, {problem.name}: {with_} iterations to 1e-8, {without} without preconditioner")


def draw(folder: Path) -> None:
    """Draw the beam as it hangs, and the torus before and after.

    Parameters
    ----------
    folder
        Where beam.png and smoothed.png go.
    """
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    nodes = (41, 7, 7)
    beam = clamped_beam(nodes)
    found = solve_on_the_host(beam.matrix, beam.b).x
    points = np.indices(nodes).reshape(3, -1).T.astype(float)
    moved = np.zeros_like(points)
    moved[nodes[1] * nodes[2] :] = found
    moved *= 12 / np.abs(moved).max()
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    axes = figure.add_subplot(projection="3d")
    grid = (points + moved).reshape(*nodes, 3)
    bent = np.linalg.norm(moved, axis=1).reshape(nodes)
    for side in (grid[:, 0], grid[:, -1], grid[:, :, 0], grid[:, :, -1]):
        axes.plot_surface(*np.moveaxis(side, -1, 0), color="#4477aa", edgecolor="#ccddee", linewidth=0.3)
    axes.set_box_aspect(np.ptp(grid.reshape(-1, 3), axis=0), zoom=1.6)
    axes.set_axis_off()
    axes.set_title(f"{beam.name}; displacements scaled to {bent.max():.0f} at most", fontsize=9)
    figure.savefig(folder / "compound-beam.png", dpi=130)

    mesh = noisy_torus(90, 60)
    problem = smoothed_surface(mesh, 3.0)
    smooth = solve_on_the_host(problem.matrix, problem.b).x[:, 1:]
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    for place, (vertices, title) in enumerate(((mesh.vertices, "before"), (smooth, "after")), 1):
        axes = figure.add_subplot(1, 2, place, projection="3d")
        axes.plot_trisurf(*vertices.T, triangles=mesh.triangles, color="#66aa77", edgecolor="none")
        axes.set_box_aspect(np.ptp(vertices, axis=0), zoom=1.5)
        axes.set_axis_off()
        axes.set_title(title, fontsize=9)
    figure.savefig(folder / "compound-smoothed.png", dpi=130)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, count or draw; 2 where there is no GPU or a file cannot be written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", type=Path, help="where the records go")
    parser.add_argument("--iterations", action="store_true", help="count iterations without a GPU")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="draw the examples")
    given = parser.parse_args(arguments)
    try:
        if given.iterations:
            count_iterations()
        elif given.pictures:
            draw(given.pictures)
        else:
            from gpu.runtime.cuda import require_gpu
            from gpu.runtime.device_info import device_info

            require_gpu()
            made = provenance()
            records = [measured(name, make()) for name, make in PROBLEMS.items()]
            document = {"device": device_info().name, "date": made.date, "commit": str(made.commit)}
            text = json.dumps({**document, "records": records}, indent=1) + "\n"
            print(text)
            if given.json:
                given.json.write_text(text, encoding="utf-8")
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
