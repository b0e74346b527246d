"""The suite of the GPU benchmark: what `suite.toml` says, and the matrices made of it.

python -m experiments.gpu_bench.suite [NAME...] [--write]

makes the matrices and compares their statistics with those of the file. With --write the file takes the
statistics of the matrices as they are made now.
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np

from vecsim.results.atomic_files import write_file
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

FILE = Path(__file__).with_name("suite.toml")

CLASSES = ("small", "large_structured", "skewed", "uniform", "other")
"""In the order in which they are reported."""


GATHERING = ("skewed", "uniform", "other")
"""Those whose columns may be anywhere, so that gathers of x can bound a product."""


@dataclass(frozen=True)
class Statistics:
    """What a matrix looks like, row by row.

    Attributes
    ----------
    rows, columns, entries
        Counts.
    mean, sigma, longest
        Of the entries of a row: mean, standard deviation over all rows, maximum.
    locality
        Mean over the non-empty 32 x 32 squares of their entries, divided by 32 (`vecsim.data.metrics`).
    """

    rows: int
    columns: int
    entries: int
    mean: float
    sigma: float
    longest: int
    locality: float


@dataclass(frozen=True)
class SuiteMatrix:
    """A matrix of the suite, not made yet.

    Attributes
    ----------
    name
        As reports call it.
    class_
        One of `CLASSES`.
    kind
        What it is, in a few words.
    source
        Its name for `vecsim.data.load`; empty if it is generated.
    generator, arguments
        Module and function of `vecsim.data` that make it, and what they are given.
    elasticity
        Whether it has dense 3 x 3 blocks.
    transposed
        Whether the transposed product is measured, too.
    quick
        Whether ``--quick`` measures it, too.
    later
        Whether it joined the suite when others had been timed; reproductions of papers leave it out.
    stands_for
        The matrices of papers that it stands for: paper, name and what the paper prints of them.
    statistics
        Of the matrix made or read here; None until they have been measured.
    """

    name: str
    class_: str
    kind: str
    source: str = ""
    generator: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    elasticity: bool = False
    transposed: bool = False
    quick: bool = False
    later: bool = False
    stands_for: tuple[Mapping[str, Any], ...] = ()
    statistics: Statistics | None = None

    @property
    def generated(self) -> bool:
        """Whether it is generated: no file of a collection."""
        return not self.source

    def make(self) -> Any:
        """Read or generate it.

        Returns
        -------
        scipy.sparse.csr_array
            float64, with sorted 32-bit indices, each position once.

        Raises
        ------
        NotFoundLocallyError
            If it is a file that would have to be downloaded.
        """
        if self.source:
            from vecsim.data import load

            csr = load(self.source, download=False).csr
        else:
            csr = generated(self.generator, self.arguments)
        csr.indices, csr.indptr = csr.indices.astype(np.int32), csr.indptr.astype(np.int32)
        csr.has_canonical_format = True
        return csr


def generated(generator: str, arguments: Mapping[str, Any]) -> Any:
    """Generate a matrix by a module and function of `vecsim.data.synthetic`, such as ``mesh.grid``."""
    return resolve_name(f"vecsim.data.synthetic.{generator.replace('.', ':')}")(**arguments)


@cache
def suite() -> tuple[SuiteMatrix, ...]:
    """Return all matrices of the suite, class by class."""
    listed = tomllib.loads(FILE.read_text(encoding="utf-8"))["matrix"]
    return tuple(sorted(map(_read, listed), key=lambda each: CLASSES.index(each.class_)))


def select(wanted: str | None) -> tuple[SuiteMatrix, ...]:
    """Return the matrices of a class, or the one of a name; all without either.

    Raises
    ------
    UserError
        If there is neither.
    """
    result = tuple(each for each in suite() if wanted in (None, each.class_, each.name))
    if not result:
        names = ", ".join(each.name for each in suite())
        near = nearest(wanted or "", [*CLASSES, *(each.name for each in suite())])
        raise UserError(
            f"--only {wanted}: is neither a class ({', '.join(CLASSES)}) nor a matrix ({names}){near}"
        )
    return result


def statistics_of(csr: Any) -> Statistics:
    """Measure a SciPy CSR matrix without duplicates."""
    from vecsim.data.metrics import locality

    lengths = np.diff(csr.indptr)
    return Statistics(
        rows=int(csr.shape[0]),
        columns=int(csr.shape[1]),
        entries=int(csr.nnz),
        mean=round(float(lengths.mean()), 3),
        sigma=round(float(lengths.std()), 3),
        longest=int(lengths.max()),
        locality=round(locality(csr), 3),
    )


def _read(entry: Mapping[str, Any]) -> SuiteMatrix:
    read: dict[str, Any] = {
        "arguments": arguments_of,
        "stands_for": tuple,
        "statistics": lambda table: Statistics(**table),
    }
    result = {name: read[name](value) if name in read else value for name, value in entry.items()}
    return SuiteMatrix(class_=result.pop("class"), **result)


def arguments_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a generator as TOML has them, lists as tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}


def main(given: Sequence[str] | None = None) -> int:
    """Check or write; 1 if any statistics differ."""
    parser = argparse.ArgumentParser(prog="python -m experiments.gpu_bench.suite", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args(given)
    known = {each.name: each for each in suite()}
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        print(f"the suite has no {', '.join(unknown)}: it has {', '.join(known)}", file=sys.stderr)
        return 2
    differing = 0
    for name in arguments.names or known:
        differing += _check(known[name], write=arguments.write)
    return int(differing > 0)


def _check(matrix: SuiteMatrix, *, write: bool) -> bool:
    """Make a matrix, say what was found, and return whether it is another than the file says."""
    start = time.perf_counter()
    try:
        result = statistics_of(matrix.make())
    except UserError as error:
        print(f"{matrix.name}: {error}")
        return False
    same = result == matrix.statistics
    said = "as in the file" if same else f"the file says {matrix.statistics}"
    print(f"{matrix.name}: {time.perf_counter() - start:.1f} s, {result}: {said}", flush=True)
    if write and not same:
        _write(matrix.name, asdict(result))
        return False
    return not same


def _write(name: str, statistics: dict[str, Any]) -> None:
    import tomlkit

    document = tomlkit.parse(FILE.read_text(encoding="utf-8"))
    for entry in document["matrix"]:
        if entry["name"] == name:
            table = tomlkit.inline_table()
            table.update(statistics)
            entry["statistics"] = table
    write_file(FILE, tomlkit.dumps(document).encode("utf-8"))


if __name__ == "__main__":
    sys.exit(main())
