"""Make the matrices of the suite and compare their statistics with those of the data file.

python -m experiments.gpu_bench.check_suite [NAME...] [--write]

With --write the data file takes the statistics of the matrices as they are made now.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from experiments.gpu_bench.suite import FILE, SuiteMatrix, statistics_of, suite
from vecsim.results.atomic_files import write_file
from vecsim.support.errors import UserError


def main(given: Sequence[str] | None = None) -> int:
    """Check or write; 1 if any statistics differ."""
    parser = argparse.ArgumentParser(prog="python -m experiments.gpu_bench.check_suite", description=__doc__)
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
    """Make a matrix, say what was found, and tell whether it is another than the file says."""
    start = time.perf_counter()
    try:
        found = statistics_of(matrix.make())
    except UserError as error:
        print(f"{matrix.name}: {error}")
        return False
    same = found == matrix.statistics
    said = "as in the file" if same else f"the file says {matrix.statistics}"
    print(f"{matrix.name}: {time.perf_counter() - start:.1f} s, {found}: {said}", flush=True)
    if write and not same:
        _write(matrix.name, asdict(found))
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
