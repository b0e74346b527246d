"""The matrices: what stands for those of Table I, each generated from its seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hbp.printed import TABLE_1, PrintedMatrix
from experiments.papers.kit.results import MatrixRecord

NOTE = {
    "circuit": "circuit-like: short wires, power-law fan-out, dense rows and columns",
    "device": "device-like: rows of unlike length near the diagonal, few entries anywhere",
    "kronecker": "Graph500 Kronecker graph, edge factor 48, symmetric: the paper's family",
    "optimisation": "optimisation-like: rows by a power law, most entries near the diagonal, a dense row",
}


def _circuit(nodes: int, seed: int, exponent: float, share: float) -> tuple[str, str, dict[str, Any]]:
    law = {"fanout_exponent": exponent, "rails": 4, "rail_share": share}
    return "circuit", "random_graphs.circuit", {"nodes": nodes, "seed": seed, **law}


def _device(rows: int, mean: float, seed: int) -> tuple[str, str, dict[str, Any]]:
    law = {"row_exponent": 4.0, "local": 0.97, "window": 8192}
    return "device", "power_laws.hubs", {"rows": rows, "columns": rows, "mean": mean, "seed": seed, **law}


def _kronecker(scale: int) -> tuple[str, str, dict[str, Any]]:
    return "kronecker", "random_graphs.kronecker", {"scale": scale, "edge_factor": 48, "seed": 1}


_MADE: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "m1": _circuit(321_821, 1, 5.0, 0.3),
    "m2": _circuit(682_862, 2, 5.0, 0.3),
    "m3": _device(113_076, 18.9, 3),
    "m4": _kronecker(18),
    "m5": _kronecker(19),
    "m6": _kronecker(20),
    "m7": _kronecker(21),
    "m8": (
        "optimisation",
        "power_laws.hubs",
        {
            "rows": 66_463,
            "columns": 66_463,
            "mean": 95.0,
            "seed": 8,
            "row_exponent": 2.3,
            "local": 0.8,
            "window": 1024,
            "dense_rows": 1,
            "dense_share": 1.0,
            "mirrored": True,
        },
    ),
    "m9": _circuit(414_604, 9, 4.0, 0.3),
    "m10": _device(181_343, 38.0, 10),
    "m11": _circuit(411_676, 11, 8.0, 0.1),
    "m12": _circuit(358_172, 12, 6.0, 0.1),
    "m13": _circuit(643_994, 13, 5.0, 0.3),
    "m14": _circuit(643_994, 14, 3.0, 0.6),
}
LARGE = ("m5", "m6", "m7")
"""Of 43 million entries or more: left to the machine with the GPU."""


def subjects() -> tuple[SuiteMatrix, ...]:
    """Return all of them in the paper's order, named by the paper's id and what they are."""
    return tuple(map(_subject, TABLE_1))


def on_the_host() -> tuple[SuiteMatrix, ...]:
    """Return those that are not too large for any machine."""
    return tuple(each for each in subjects() if id_of(each) not in LARGE)


def in_order_of_kinds(matrices: Sequence[SuiteMatrix]) -> list[SuiteMatrix]:
    """Put one matrix of each kind first, then the others, the large ones last."""
    seen: set[str] = set()
    ranks = {}
    for each in matrices:
        ranks[each.name] = 1 + (each.kind in seen) if id_of(each) not in LARGE else 3
        if id_of(each) not in LARGE:
            seen.add(each.kind)
    return sorted(matrices, key=lambda each: ranks[each.name])


def id_of(matrix: SuiteMatrix | MatrixRecord) -> str:
    """Return the paper's id of the matrix that one stands for."""
    return matrix.name.partition("-")[0]


def is_of_the_paper(name: str) -> bool:
    """Return whether a matrix is of the paper's own family: the Kronecker graphs are generated there, too."""
    return "kronecker" in name


def _subject(printed: PrintedMatrix) -> SuiteMatrix:
    kind, generator, arguments = _MADE[printed.id]
    paper = {"paper": "hbp", "name": printed.name, "rows": printed.rows, "entries": printed.entries}
    scale = f"-{arguments['scale']}" if kind == "kronecker" else ""
    return SuiteMatrix(
        f"{printed.id}-{kind}{scale}", "skewed", NOTE[kind], "", generator, arguments, stands_for=(paper,)
    )
