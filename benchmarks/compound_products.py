"""Products of compound entries in many layouts and under many schedules, against cuSPARSE.

python -m benchmarks.compound_products --meshes FOLDER --json FILE   measures, and keeps the records
python -m benchmarks.compound_products --tables FILE                 prints the tables of benchmarks/README.md

Of each matrix the layouts are measured under one schedule, then the schedules in the two best layouts and in
the natural one: CSR with arrays of structures, with which the paper compares.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.compound_matrices import MATRICES, keep
from benchmarks.compound_tables import tables
from benchmarks.compound_variants import SCHEDULES, layouts, natural_schedules, schedules
from experiments.layouts.recording import read_kept
from gpu.compound import COMPLEX, QUATERNION, CompoundMatrix, blocks
from gpu.compound.entry_type import EntryType
from vecsim.errors import UserError
from vecsim.formats import NotRepresentableError
from vecsim.provenance import provenance

REALS = (np.float32, np.float64)
SCREEN_SECONDS, SECONDS = 0.02, 0.1
BEST_LAYOUTS = 2
"""Layouts whose schedules are measured."""
LIMITS = {"float32": 2e-5, "float64": 1e-12}
"""Of the largest difference to the exact product, as a share of its largest component."""
ENTRIES = {"surface": QUATERNION, "helmholtz": COMPLEX, "fem": blocks(3)}
"""Entry types by the first word of a matrix's name."""

Record = dict[str, Any]


def entry_of(name: str) -> EntryType:
    """Give the entry type of a matrix."""
    return next(entry for stem, entry in ENTRIES.items() if name.startswith(stem))


def compile_likely(number: int, shares: int, entries: Sequence[EntryType]) -> int:
    """Compile one of so many shares of the kernels that will be measured; VECSIM_KERNELS keeps them."""
    from gpu.compound.tuning.compilation import compile_share
    from gpu.compound.tuning.variants import Variant

    kinds = [(entry, real) for entry in entries for real in REALS]
    likely = {(entry, real): [Variant(*pair) for pair in _likely(entry, real)] for entry, real in kinds}
    return sum(compile_share(*kind, variants[number::shares]) for kind, variants in likely.items())


def _likely(entry: EntryType, real: Any) -> Iterator[tuple[Any, Any]]:
    from gpu.compound.device_compound import NATURAL

    tried = layouts(entry, real)
    for layout in tried:
        yield layout, SCHEDULES[0]
    for schedule in natural_schedules():
        yield NATURAL, schedule
    for layout in tried[-BEST_LAYOUTS:]:
        for schedule in schedules(entry, real):
            yield layout, schedule


class Measurement:
    """Everything that is measured of one matrix in one type.

    Parameters
    ----------
    matrix
        In that type.
    x, exact
        The vector, and the exact product.
    bandwidths
        Of the device: they set the lower bound.
    patterns
        Arranged patterns of the matrix by outer layout and threads a row; what is made here is added.
    """

    def __init__(
        self, matrix: CompoundMatrix, x: Any, exact: Any, bandwidths: Any, patterns: dict[Any, Any]
    ) -> None:
        self.matrix, self._x, self._exact = matrix, x.astype(matrix.dtype), exact
        self._bandwidths = bandwidths
        self._patterns = patterns
        size = matrix.entry.vector_bytes(matrix.dtype)
        self._vectors = (matrix.shape[1] * size, matrix.shape[0] * size)
        entries = matrix.nnz * (matrix.entry.entry_bytes(matrix.dtype) + 4) + 4 * (matrix.shape[0] + 1)
        self.floor_us = self._bound(entries)

    def _bound(self, nbytes: int) -> float:
        return float(self._bandwidths.bound_us(nbytes, *self._vectors, "warm"))

    def _error(self, y: Any) -> float:
        return float(np.abs(y - self._exact).max() / np.abs(self._exact).max())

    def _placed(self, layout: Any, sharing: int) -> Any:
        from gpu.compound.device_compound import PlacedMatrix

        key = (layout.outer, sharing)
        placed = PlacedMatrix(self.matrix, layout, sharing, self._patterns.get(key))
        self._patterns[key] = placed.pattern
        return placed

    def ours(self, layout: Any, tried: Sequence[Any], seconds: float = SCREEN_SECONDS) -> Iterator[Record]:
        """Measure schedules in a layout; nothing where the layout cannot hold the matrix."""
        from gpu.compound.device_compound import CompoundProduct

        placed: Any = None
        for schedule in tried:
            if placed is None or placed.threads_per_row != schedule.threads_per_row:
                placed = None
                try:
                    placed = self._placed(layout, schedule.threads_per_row)
                except NotRepresentableError:
                    continue
            product = CompoundProduct(placed, schedule)
            us, y = self._time(product, seconds)
            yield {
                "layout": layout.name,
                "schedule": schedule.name,
                "us": us,
                "bytes": placed.nbytes,
                "bound_us": self._bound(placed.read_bytes),
                "error": self._error(y),
            }

    def _time(self, product: Any, seconds: float) -> tuple[float, Any]:
        from gpu.measure.timing import measure
        from gpu.runtime.cuda import cuda
        from gpu.runtime.memory import upload

        x = upload(product.arranged_vector(self._x))
        y = upload(np.full(product.result_length(), np.nan, product.dtype))
        one, zero = product.dtype.type(1), product.dtype.type(0)

        def enqueue(stream: Any) -> None:
            product.launch(x, y, one, zero, cuda.external_stream(stream.address))

        us = measure([enqueue], seconds).median_us
        return us, product.separated_vector(y.copy_to_host(), self.matrix.shape[0])

    def cusparse(self) -> Iterator[Record]:
        """Measure every form that cuSPARSE has."""
        from gpu.baseline.cusparse_library import CusparseError
        from gpu.compound.cusparse_forms import cusparse_forms
        from gpu.measure.timing import measure

        for form in cusparse_forms(self.matrix):
            try:
                with form.product() as product:
                    product.write_x(form.vector(self._x))
                    us = measure([product.enqueue], SECONDS).median_us
                    error = self._error(form.result(product.read_y()))
                    yield {"form": form.name, "us": us, "bytes": product.nbytes, "error": error}
            except CusparseError as error:
                yield {"form": form.name, "refused": str(error)}


def measured(measurement: Measurement) -> Record:
    """Search layouts, then schedules, and compare with cuSPARSE."""
    from gpu.compound.device_compound import NATURAL

    matrix = measurement.matrix
    tried = layouts(matrix.entry, matrix.dtype.type)
    by_layout = [(record, layout) for layout in tried for record in measurement.ours(layout, SCHEDULES[:1])]
    by_layout.sort(key=lambda found: found[0]["us"])
    records = [record for record, _ in by_layout]
    for _, layout in by_layout[:BEST_LAYOUTS]:
        records += measurement.ours(layout, schedules(matrix.entry, matrix.dtype.type))
    natural = [*measurement.ours(NATURAL, natural_schedules())]
    wrong = [each for each in (*records, *natural) if not each["error"] <= LIMITS[matrix.dtype.name]]
    for each in wrong:
        print(f"WRONG: {each}", file=sys.stderr)
    return {
        "dtype": matrix.dtype.name,
        "rows": matrix.shape[0],
        "entries": matrix.nnz,
        "entry": matrix.entry.name,
        "floor_us": measurement.floor_us,
        "ours": records,
        "natural": natural,
        "cusparse": [*measurement.cusparse()],
    }


def run(meshes: Path, json_file: Path | None, seconds: float, only: str = "") -> dict[str, Any]:
    """Make matrices and compile kernels in many processes, then measure in this one.

    Parameters
    ----------
    meshes
        Folder of the meshes as arrays.
    json_file
        Where records go as they are made.
    seconds
        After so many no further matrix is begun.
    only
        Part of the names of the matrices that are measured.
    """
    start = time.perf_counter()
    names = [name for name in MATRICES if only in name]
    if not names:
        raise UserError(f"no matrix has {only!r} in its name, there are {', '.join(MATRICES)}")
    entries = [*dict.fromkeys(map(entry_of, names))]
    folder = Path(tempfile.mkdtemp(prefix="compound-"))
    os.environ.setdefault("VECSIM_KERNELS", tempfile.mkdtemp(prefix="kernels-"))
    workers = max(1, (os.cpu_count() or 1) - len(names) // 2)

    def say(line: str) -> None:
        print(f"{time.perf_counter() - start:6.1f} s  {line}", flush=True)

    with ProcessPoolExecutor(workers + len(names), mp_context=get_context("spawn")) as pool:
        made = {name: pool.submit(keep, name, meshes, folder) for name in names}
        kernels = [pool.submit(compile_likely, number, workers, entries) for number in range(workers)]
        paths = {name: future.result() for name, future in made.items()}
        say("the matrices are made")
        say(f"{sum(each.result() for each in kernels)} kernels are compiled")
    from gpu.measure.ceilings import measure_bandwidths
    from gpu.runtime.device_info import device_info

    bandwidths, info = measure_bandwidths(), device_info()
    document: dict[str, Any] = {
        "benchmark": "compound products",
        "device": str(info.name),
        "copy_gb_per_s": bandwidths.copy_gb_per_s,
        "commit": str(provenance().commit),
        "date": provenance().date,
        "records": [],
    }
    for name, path in paths.items():
        matrix, x, exact = read_kept(path, entry_of(name))
        patterns: dict[Any, Any] = {}
        for real in REALS:
            if time.perf_counter() - start > seconds:
                say(f"left out: {name} {np.dtype(real).name}")
                continue
            measurement = Measurement(matrix.astype(real), x, exact, bandwidths, patterns)
            record = {"matrix": name, **measured(measurement)}
            document["records"].append(record)
            best = min(record["ours"], key=lambda each: each["us"])
            say(f"{name} {record['dtype']}: {best['us']:.1f} us, {best['layout']}, {best['schedule']}")
            if json_file:
                json_file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        path.unlink()
    return document


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or print the tables; 2 where there is no GPU or no such file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--meshes", type=Path, help="folder of meshes as arrays")
    parser.add_argument("--json", type=Path, help="where the records go")
    parser.add_argument("--only", default="", help="part of the names of the matrices to measure")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further matrix after so many")
    parser.add_argument("--tables", type=Path, help="records to make tables of")
    given = parser.parse_args(arguments)
    try:
        if given.tables:
            print(tables(json.loads(given.tables.read_text(encoding="utf-8"))))
            return 0
        print(tables(run(given.meshes, given.json, given.seconds, given.only)))
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
