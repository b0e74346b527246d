"""The matrices that `auto` is fitted on: generated, many families, none of the benchmark's suite.

Sizes run from 1e4 to 2e7 non-zeros, most below 3e6. Each has its own seed. Two sets have nothing in common:
`COMPOSED`, made of the recipes of `benchmarks.choice_families`, and `NAMED`, the random families of
`vecsim.data.builtin` by published definitions, which were written before anything was timed on them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.choice_families import (
    Generate,
    blocks,
    circuit,
    dense_lines,
    diagonals,
    full,
    local_squares,
    mesh,
    named,
    recursive,
    rows_by_length,
    shuffled,
    stencil,
    web,
)


@dataclass(frozen=True)
class Recipe:
    """A matrix to be made.

    Attributes
    ----------
    name, family
        Its own, and what it has in common with others.
    generate
        Makes it, float64, of a random generator.
    seed
        What the generator starts with.
    """

    name: str
    family: str
    generate: Generate
    seed: int

    def make(self) -> Any:
        """Generate the matrix: sorted CSR without duplicates and with 32-bit indices."""
        rng = np.random.default_rng(self.seed)
        result = scipy.sparse.csr_array(self.generate(rng))
        result.sum_duplicates()
        result.indices, result.indptr = result.indices.astype(np.int32), result.indptr.astype(np.int32)
        result.data = rng.uniform(-1, 1, result.nnz)
        return result


def _recipes() -> Iterator[tuple[str, str, Generate]]:
    for n in (3_400, 21_000, 130_000, 700_000):
        yield f"3 diagonals, {n}", "line", diagonals(n, (-1, 0, 1))
        yield f"9 diagonals, {n // 3}", "line", diagonals(n // 3, tuple(range(-4, 5)))
    for n, reach in ((900, 16), (9_000, 16), (40_000, 32), (90_000, 8)):
        yield f"{2 * reach + 1} diagonals, {n}", "line", diagonals(n, tuple(range(-reach, reach + 1)))
    for side in (52, 160, 333, 777, 1900):
        yield f"5-point {side}", "flat stencil", stencil((side, side + 1))
    for side in (41, 139, 301, 550):
        yield f"9-point {side}", "flat stencil", stencil((side, side + 3), box=True)
    for side in (13, 27, 41, 75, 133):
        yield f"7-point {side}", "stencil", stencil((side, side + 1, side + 2))
    for side in (9, 17, 29, 47, 80):
        yield f"27-point {side}", "stencil", stencil((side, side + 1, side + 2), box=True)
    yield "long 7-point", "stencil", stencil((900, 12, 12))
    yield "long 27-point", "stencil", stencil((11, 12, 700), box=True)
    for n, share in ((5_000, 0.9), (60_000, 0.7), (300_000, 0.5), (40_000, 0.3), (500_000, 0.9)):
        yield (
            f"diagonals with holes {n} {share}",
            "holes",
            diagonals(n, (-700, -30, -1, 0, 1, 31, 800), share),
        )
    for n, many in ((8_000, 40), (50_000, 25), (200_000, 12)):
        offsets = tuple(int(k) for k in np.random.default_rng(many).integers(-n // 2, n // 2, many))
        yield f"{many} diagonals anywhere {n}", "far diagonals", diagonals(n, offsets)
        yield f"{many} with holes anywhere {n}", "far diagonals", diagonals(n, offsets, 0.6)
    for n, mean, width in (
        (2_000, 12, 60), (9_000, 40, 300), (30_000, 9, 1_000), (30_000, 90, 1_000), (100_000, 20, 4_000),
        (60_000, 40, 20_000), (150_000, 16, 70_000), (250_000, 9, 500), (8_000, 200, 900),
        (70_000, 70, 2_000),
    ):  # fmt: skip
        yield f"band {n} {mean} {width}", "band", rows_by_length("equal", n, mean, width=width)
        yield (
            f"uneven band {n} {mean} {width}",
            "uneven band",
            rows_by_length("uniform", n, mean, width=width),
        )
    for b in (2, 3, 4, 6):
        for side in (8, 17, 30):
            size = max(4, side * 2 // b)
            yield f"blocks of {b}, 7-point {size}", "blocks", blocks(stencil((size, size, size + 1)), b)
        yield f"blocks of {b}, 9-point", "blocks", blocks(stencil((83, 91), box=True), b)
        yield f"blocks of {b}, mesh", "blocks", blocks(mesh(6_000, 3, 9), b)
        yield f"blocks of {b} anywhere", "blocks anywhere", blocks(rows_by_length("equal", 9_000, 7), b)
        yield (
            f"blocks of {b} with holes",
            "blocks anywhere",
            blocks(rows_by_length("uniform", 9_000, 8, width=400), b, 0.8),
        )
    yield "blocks of 3, 27-point", "blocks", blocks(stencil((24, 25, 26), box=True), 3)
    yield "blocks of 3, 27-point 41", "blocks", blocks(stencil((41, 40, 39), box=True), 3)
    yield "blocks of 8", "blocks", blocks(stencil((70, 71)), 8)
    for n, mean in (
        (2_000, 6), (6_000, 24), (20_000, 3), (20_000, 40), (70_000, 10), (90_000, 30), (300_000, 5),
        (400_000, 8), (1_200_000, 3), (700_000, 13),
    ):  # fmt: skip
        yield f"anywhere {n} {mean}", "anywhere", rows_by_length("equal", n, mean)
    for kind in ("uniform", "geometric", "two", "turns", "falling"):
        sizes: tuple[tuple[int, int, int | None], ...] = (
            (3_000, 9, None), (25_000, 30, 3_000), (90_000, 6, 900), (120_000, 22, None),
            (14_000, 120, 2_500),
        )  # fmt: skip
        for n, mean, span in sizes:
            yield f"{kind} {n} {mean}", f"{kind} lengths", rows_by_length(kind, n, mean, width=span)
    for exponent in ("1.7", "2.0", "2.3", "2.8"):
        for n, mean in ((2_500, 9), (15_000, 30), (80_000, 7), (260_000, 12), (600_000, 4)):
            yield (
                f"power law {exponent} {n} {mean}",
                "power law",
                rows_by_length(exponent, n, mean, sorted_="popular"),
            )
    for scale, factor in (
        (10, 16),
        (12, 8),
        (13, 48),
        (14, 16),
        (15, 32),
        (16, 8),
        (16, 24),
        (17, 16),
        (18, 6),
    ):
        yield f"recursive {scale} {factor}", "recursive graph", recursive(scale, factor)
    for scale, factor in ((12, 24), (15, 12), (17, 8), (19, 4)):
        yield f"directed {scale} {factor}", "recursive graph", recursive(scale, factor, symmetric=False)
    for n, count, length in (
        (4_000, 2, 3_000),
        (40_000, 5, 20_000),
        (200_000, 3, 120_000),
        (300_000, 40, 9_000),
    ):
        for both in (False, True):
            yield (
                f"{count} long of {n} {both}",
                "long rows",
                dense_lines(rows_by_length("uniform", n, 5, width=2_000), count, length, columns=both),
            )
    yield "long rows in a stencil", "long rows", dense_lines(stencil((300, 301)), 6, 50_000, columns=False)
    yield "long rows in a cube", "long rows", dense_lines(stencil((50, 51, 52)), 3, 90_000, columns=True)
    for points, dimensions, neighbours in (
        (2_500, 2, 5), (18_000, 2, 6), (90_000, 2, 6), (250_000, 2, 5), (4_000, 3, 12), (30_000, 3, 14),
        (90_000, 3, 20),
    ):  # fmt: skip
        yield f"mesh {dimensions} {points}", "mesh", mesh(points, dimensions, neighbours)
        yield (
            f"shuffled mesh {dimensions} {points}",
            "shuffled mesh",
            shuffled(mesh(points, dimensions, neighbours), 1 if points % 4 else 64),
        )
    for side, run in ((120, 1), (300, 32), (500, 1000), (700, 1)):
        yield f"shuffled 5-point {side} {run}", "shuffled stencil", shuffled(stencil((side, side)), run)
    for side, run in ((22, 1), (48, 32), (60, 1)):
        yield (
            f"shuffled 27-point {side} {run}",
            "shuffled stencil",
            shuffled(stencil((side, side, side), box=True), run),
        )
    for n, share in ((120_000, 0.5), (700_000, 0.55), (2_300_000, 0.5)):
        width = round(n**0.5)
        yield f"road {n}", "road", diagonals(n, (-width, -1, 1, width), share)
        yield f"shuffled road {n}", "road", shuffled(diagonals(n, (-width, -1, 1, width), share), 256)
    for n in (130, 333, 720, 1500):
        yield f"dense {n}", "dense", rows_by_length("equal", n, n * 4, width=None)
    for rows, columns, mean in (
        (300, 90_000, 700), (3_000, 200_000, 120), (40, 300_000, 30_000), (150_000, 400, 9), (900_000, 60, 3),
        (60_000, 1_000, 25),
    ):  # fmt: skip
        yield f"{rows} x {columns}", "oblong", rows_by_length("uniform", rows, mean, columns=columns)
    for n, squares, side, entries in (
        (9_000, 400, 64, 200),
        (120_000, 5_000, 128, 90),
        (400_000, 30_000, 64, 60),
    ):
        yield f"squares {n}", "squares", local_squares(n, squares, side, entries)
    for n, reach, mean in ((60_000, 64, 20), (25_000, 128, 60)):
        near = np.random.default_rng(n).integers(-reach, reach, mean)
        yield f"narrow {n}", "band", diagonals(n, tuple(int(k) for k in np.unique(near)), 0.7)
    for n, mean in ((30_000, 1), (400_000, 1), (1_500_000, 1)):
        yield f"one a row {n}", "anywhere", rows_by_length("equal", n, mean)
        yield f"mostly empty {n}", "empty rows", rows_by_length("geometric", n, 0.4, width=5_000)
    # The largest: 5e6 to 2e7.
    yield "7-point 117", "large", stencil((117, 118, 119))
    yield "27-point 71", "large", stencil((71, 72, 73), box=True)
    yield "5-point 1500", "large", stencil((1500, 1501))
    yield "large band", "large", rows_by_length("equal", 160_000, 60, width=3_000)
    yield "large blocks of 3", "large", blocks(stencil((61, 62, 63)), 3)
    yield "large blocks of 4", "large", blocks(stencil((45, 46, 47)), 4)
    yield "large anywhere", "large", rows_by_length("equal", 800_000, 9)
    yield "large recursive", "large", recursive(18, 20)
    yield "large power law", "large", rows_by_length("2.1", 900_000, 9, sorted_="popular")
    # After all others, whose seeds are their places.
    for pages, mean_links, copied, local in (
        (20_000, 30, 0.5, 0.9), (90_000, 8, 0.9, 0.95), (150_000, 40, 0.6, 0.5), (400_000, 10, 0.5, 0.9),
        (400_000, 24, 0.85, 0.6), (700_000, 6, 0.6, 0.7), (800_000, 14, 0.7, 0.95), (300_000, 50, 0.8, 0.9),
    ):  # fmt: skip
        yield f"web {pages} {mean_links} {local}", "web", web(pages, mean_links, copied, local)
    for nodes, fanout, wire, rails, share in (
        (9_000, 2.5, 1.5, 2, 0.2), (40_000, 3.0, 1.8, 8, 0.5), (120_000, 2.6, 1.4, 0, 0.0),
        (200_000, 4.0, 1.6, 12, 0.1), (500_000, 2.4, 1.5, 3, 0.3), (900_000, 3.2, 1.7, 1, 0.9),
    ):  # fmt: skip
        yield f"circuit {nodes} {rails}", "circuit", circuit(nodes, fanout, wire, rails, share)
    # Vectors that a cache does not hold.
    yield "anywhere 5000000 2", "large vectors", rows_by_length("equal", 5_000_000, 2)
    yield "geometric 7000000 1", "large vectors", rows_by_length("geometric", 7_000_000, 1.5)
    yield "squares 6000000", "large vectors", local_squares(6_000_000, 90_000, 128, 100)
    # Every place filled, from few long rows to many short ones.
    for rows, columns in (
        (500, 500),
        (2_300, 2_300),
        (1_100, 7_000),
        (3_700, 3_100),
        (9_500, 1_300),
        (70_000, 160),
    ):
        yield f"full {rows} x {columns}", "dense", full(rows, columns)


COMPOSED: tuple[Recipe, ...] = tuple(
    Recipe(name, family, generate, 7_000 + number)
    for number, (name, family, generate) in enumerate(_recipes())
)
"""Those of `benchmarks.choice_families`, small ones before large ones within a family."""

NAMED: tuple[Recipe, ...] = tuple(
    Recipe(name, name.partition("-")[0], named(name), 9_000 + number)
    for number, name in enumerate(
        (
            "attachment-30000-5", "attachment-200000-8", "attachment-1000000-10",
            "chunglu-40000-12-2.2", "chunglu-300000-10-2.6", "chunglu-1000000-16-2.1",
            "communities-20000-50-20-0.2", "communities-200000-400-12-0.1", "communities-1000000-100-16-0.3",
            "hyperbolic-30000-10-2.5", "hyperbolic-300000-8-2.2", "hyperbolic-1000000-12-2.8",
            "ratings-30000-2000-20-2.2", "ratings-200000-20000-15-2.5", "ratings-500000-50000-40-2.1",
            "web-50000-8-0.6-0.7", "web-300000-14-0.5-0.7", "web-1000000-16-0.7-0.7",
            "zipf-40000-10-1", "zipf-300000-8-0.6", "zipf-1000000-16-1",
            "debruijn-14", "debruijn-18", "debruijn-21",
            "shuffled3d-30-1", "shuffled3d-64-16", "shuffled3d-130-1",
            "staircase-20-500-900-6", "staircase-100-1500-2500-9", "staircase-400-2000-4000-12",
            "denserows-50000-6-3-0.5", "denserows-300000-8-2-0.9", "denserows-1000000-8-4-1",
            "hypersparse-300000-100000", "hypersparse-3000000-1000000", "hypersparse-20000000-8000000",
            "powerlaw-100000-10-1.8", "powerlaw-1500000-12-1.6",
            "banded-200000-300-12-0.02", "banded-1500000-100-8-0.02",
            "uniform-100000-12", "uniform-1000000-16",
        )
    )
)  # fmt: skip
"""Three sizes of each of twelve families that the suite does not have, and two of three others."""

RECIPES: tuple[Recipe, ...] = (*COMPOSED, *NAMED)
"""All of them."""
