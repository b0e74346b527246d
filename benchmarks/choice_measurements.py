"""The measured times that `auto` is fitted on, one array a column.

They are the lines that `benchmarks.measure_choice` writes: a format of a matrix each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.choice.cost_model import batches, uneven, window_bytes
from gpu.choice.structure import Work
from vecsim.errors import UserError

Floats = NDArray[np.float64]

WORK = tuple(field.name for field in fields(Work))
OF_PATTERN = ("mean_spread", "warp_sectors")
"""What is counted of a matrix beside the work of a format: columns, and sectors of 32 bytes."""


@dataclass(frozen=True)
class Measured:
    """Measurements; each array has an element for each of them.

    Attributes
    ----------
    lines
        As they were read.
    us
        Measured times, microseconds.
    stored, vectors
        Bytes of the format that are read, and of x and y.
    batches
        Of loads of one thread, one after the other.
    sectors, warp_sectors
        Sectors of x, of 32 bytes, that blocks of threads and that warps ask for.
    launches, warps
        Kernels, and warps of threads.
    uneven
        What the busiest multiprocessor has to do, over the mean.
    window
        Bytes of x within which threads that run together read.
    double
        Whether values are float64.
    format, case, family
        Numbers of the format, of the matrix with its type, and of the family of the matrix.
    formats
        Names, by their numbers.
    """

    lines: list[dict[str, Any]]
    us: Floats
    stored: Floats
    vectors: Floats
    batches: Floats
    sectors: Floats
    warp_sectors: Floats
    launches: Floats
    warps: Floats
    uneven: Floats
    window: Floats
    double: NDArray[np.bool_]
    deterministic: NDArray[np.bool_]
    format: NDArray[np.int64]
    case: NDArray[np.int64]
    family: NDArray[np.int64]
    formats: list[str]

    @classmethod
    def of(cls, lines: list[dict[str, Any]]) -> Measured:
        """Arrange lines of `benchmarks.measure_choice`; those without a time are left out.

        Raises
        ------
        UserError
            If lines lack what is counted today.
        """
        lines = [line for line in lines if "us" in line]
        _all_counted(lines)
        size = np.array([8.0 if line["dtype"] == "float64" else 4.0 for line in lines])
        formats = sorted({line["format"] for line in lines})

        def column(take: Any) -> Floats:
            return np.array([float(take(line)) for line in lines])

        def work(name: str) -> Floats:
            return column(lambda line: line["work"][name])

        def numbered(names: list[str]) -> NDArray[np.int64]:
            return np.unique(names, return_inverse=True)[1].astype(np.int64)

        return cls(
            lines,
            column(lambda line: line["us"]),
            work("stored_bytes"),
            size * column(lambda line: line["rows"] + line["columns"]),
            batches(work("chain"), work("ahead")),
            work("sectors"),
            column(lambda line: line["warp_sectors"]),
            work("launches"),
            work("warps"),
            uneven(work("warps"), work("block_warps")),
            window_bytes(
                work("scattered") > 0,
                column(lambda line: line["mean_spread"]),
                column(lambda line: line["columns"]),
                size,
            ),
            size == 8,
            np.array([_is_deterministic(line["format"]) for line in lines]),
            np.array([formats.index(line["format"]) for line in lines]),
            numbered([f"{line['matrix']} {line['dtype']}" for line in lines]),
            numbered([line["family"] for line in lines]),
            formats,
        )

    def best(self, among: NDArray[np.bool_] | None = None) -> Floats:
        """Give the best time of each measurement's matrix, of these measurements."""
        best = np.full(int(self.case.max()) + 1, np.inf)
        np.minimum.at(best, self.case, self.us if among is None else np.where(among, self.us, np.inf))
        found: Floats = best[self.case]
        return found


def _is_deterministic(name: str) -> bool:
    """Say whether a format gives the same results in every run, as those do that are no longer there."""
    from gpu.registry import KERNELS

    return name not in KERNELS or KERNELS[name].deterministic


def _all_counted(lines: list[dict[str, Any]]) -> None:
    """Refuse lines of earlier measurements, for which less was counted."""
    for line in lines:
        missing = [name for name in WORK if name not in line["work"]]
        missing += [name for name in OF_PATTERN if name not in line]
        if missing:
            raise UserError(
                f"{line['matrix']} {line['dtype']} {line['format']}: the line has no {', '.join(missing)}, "
                "like those of earlier code; run `python -m benchmarks.fit_auto recount FILE...`"
            )


def read(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Read the lines of files; of a format measured twice on a matrix the later line counts.

    Lines that say ``again`` do not replace the one before: the median of all these times counts.

    Raises
    ------
    UserError
        A file cannot be read, or has a line that is none of a measurement.
    """
    latest: dict[tuple[str, str, str], dict[str, Any]] = {}
    times: dict[tuple[str, str, str], list[float]] = {}
    for path in paths:
        for line in _lines(path):
            key = line["matrix"], line["dtype"], line["format"]
            if not line.get("again"):
                latest[key], times[key] = line, []
            if key in latest and "us" in line:
                times[key].append(line["us"])
    return [line | ({"us": median(times[key])} if times[key] else {}) for key, line in latest.items()]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    for number, text in enumerate(texts, 1):
        try:
            line = json.loads(text)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: is no JSON: {error}") from None
        if not isinstance(line, dict) or not {"matrix", "dtype", "format"} <= set(line):
            raise UserError(f"{path}, line {number}: is no measurement of fit_auto: matrix, dtype, format")
        yield line
