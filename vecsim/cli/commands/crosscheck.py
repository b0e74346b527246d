"""``vecsim crosscheck``: the same products by SciPy, on the simulated machine and on a GPU, compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import options
from vecsim.cli.printing.console import fill, table, tell
from vecsim.cli.printing.output import Output
from vecsim.cli.printing.report import machine_line
from vecsim.cli.products import load_matrix, matrix_values
from vecsim.engines import DEFAULT_ENGINE
from vecsim.results.digests import matrix_sha256
from vecsim.results.provenance import provenance
from vecsim.support.errors import UserError
from vecsim.support.progress import Progress
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from rich.table import Table

    from experiments.crosscheck.device import Device
    from experiments.crosscheck.hierarchies import Hierarchy
    from experiments.crosscheck.products import Check
    from experiments.crosscheck.results import Checked
    from vecsim.data import Matrix
    from vecsim.machine import Machine

DISAGREE = 1
"""Exit code when two implementations are further apart than rounding allows."""
NUMBERS = (
    "error\nSciPy",
    "error\nsimulator",
    "error\nGPU",
    "furthest\napart",
    "bytes in\nmemory",
    "of\nCRS",
    "bytes on\nGPU",
    "of\nCRS",
    "cycles",
    "speed\nvs CRS",
    "GPU\nus",
    "speed\nvs CRS",
)
HIERARCHY = (
    "leaf",
    "leaves +\nnodes above",
    "dense\nleaves",
    "entries\na leaf",
    "fill",
    "bytes in\nmemory",
    "of\nHiSM",
    "bytes on\nGPU",
    "GPU\nus",
)


def crosscheck(
    matrix: Annotated[list[str] | None, options.matrix_argument()] = None,
    suite: Annotated[
        bool, typer.Option("--suite", help="Include the available matrices of `vecsim reproduce crosscheck`.")
    ] = False,
    section_size: Annotated[
        int | None,
        typer.Option(
            "--section-size", metavar="S", help="Elements of a section; default that of the machine."
        ),
    ] = None,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    engine: options.EngineOption = DEFAULT_ENGINE,
    seed: options.SeedOption = 0,
    value_bits: options.ValueBitsOption = 32,
    gpu: Annotated[bool, typer.Option("--gpu/--no-gpu", help="Use the GPU, if there is one.")] = True,
    json: options.JsonOption = None,
) -> None:
    """Multiply by CRS, JD, BBCS and HiSM on SciPy, the simulated machine and the GPU, and compare.

    An error is max |y - r| / (|A| |x|), r in float64. Two results may differ by 2 n u / (1 - n u), with n
    the longest row and u the unit roundoff: the bound for any order of summation. Exit code 1 means that two
    results differ by more.

    Without a GPU, NUMBA_ENABLE_CUDASIM=1 runs its kernels in Numba's CUDA simulator, on tiny matrices.
    """
    from experiments.crosscheck.device import find_device
    from experiments.crosscheck.paper import KIND
    from experiments.crosscheck.results import Results

    width = options.value_bytes(value_bits)
    changes = [*(set_ or ()), *([] if section_size is None else [f"section_size={section_size}"])]
    described = options.chosen_machine(machine, changes)
    if not matrix and not suite:
        raise UserError("name a matrix, or ask for --suite; see `vecsim crosscheck --help`")
    output = Output(json, inputs=matrix or [])
    result = provenance()
    missing: dict[str, str] = {}
    sources = chain([load_matrix(name) for name in matrix or []], _suite(missing) if suite else ())
    device, without = find_device() if gpu else (None, "")
    matches: list[Checked] = []
    with Progress() as work:
        for each in _checked(sources, described, device, seed, engine, width, work):
            if without and not matches:
                output.text(f"without a GPU, SciPy and the simulator are compared: {without}")
            output.text(_header(each, machine_line(described), engine, value_bits, device))
            output.table(_table(each.check.checks))
            output.table(_hierarchies(each.check.hierarchies))
            output.text(
                f"two results may be {each.check.allowed:.1e} apart: the longest row has "
                f"{counted(each.check.longest_row, 'entry')}"
            )
            statuses = [check.gpu_status for check in each.check.checks]
            statuses += [hierarchy.gpu_status for hierarchy in each.check.hierarchies]
            for status in dict.fromkeys(filter(None, statuses)):
                output.text(f"not on the GPU: {status}")
            matches.append(each)
    results = Results(
        tuple(matches),
        missing,
        _facts(device),
        described,
        engine,
        seed,
        value_bits,
        result.date,
        str(result.commit),
    )
    output.finish(KIND, results.document())
    if results.disagreements:
        tell(f"the products disagree: {'; '.join(results.disagreements)}")
        raise typer.Exit(DISAGREE)


def _suite(missing: dict[str, str]) -> Iterator[Matrix]:
    """Read the matrices of the experiment, one after the other; `missing` gets those not found."""
    from experiments.crosscheck.matrices import listed

    for each in listed():
        try:
            yield each.load()
        except UserError as error:
            missing[each.name] = str(error)


def _checked(
    matrices: Iterable[Matrix],
    machine: Machine,
    device: Device | None,
    seed: int,
    engine: str,
    width: int,
    work: Progress,
) -> Iterator[Checked]:
    """Check one matrix after the other."""
    from experiments.crosscheck.products import crosscheck as check
    from experiments.crosscheck.results import Checked

    for each in matrices:
        work.show(each.name, 0.0)
        values = matrix_values(each, width)
        rows, columns = values.shape
        matches = check(values, machine, device, seed=seed, engine=engine)
        yield Checked(each.name, int(rows), int(columns), int(values.nnz), matches, matrix_sha256(values))


def _header(each: Checked, machine: str, engine: str, value_bits: int, device: Device | None) -> str:
    parts = [
        f"{each.name}: {each.rows:,} x {each.columns:,}, {each.entries:,} non-zeros",
        machine,
        f"engine {engine}",
        "no GPU" if device is None else device.name,
        f"{value_bits}-bit values",
    ]
    return "; ".join(parts)


def _table(checks: Sequence[Check]) -> Table:
    """Show one matrix, a row a program."""
    from experiments.crosscheck.products import GPU, REFERENCE, SCIPY, SIMULATOR

    base = next(check for check in checks if check.program == REFERENCE)
    rows = (
        (
            check.program,
            *(_power(check.errors.get(implementation)) for implementation in (SCIPY, SIMULATOR, GPU)),
            _power(check.furthest),
            check.image_bytes,
            _ratio(check.image_bytes, base.image_bytes),
            check.gpu_bytes,
            _ratio(check.gpu_bytes, base.gpu_bytes),
            check.cycles,
            _ratio(base.cycles, check.cycles),
            None if check.gpu_us is None else f"{check.gpu_us:.2f}",
            _ratio(base.gpu_us, check.gpu_us),
        )
        for check in checks
    )
    return fill(table(["program"], NUMBERS), rows)


def _hierarchies(matches: Sequence[Hierarchy]) -> Table:
    """Show HiSM and HiSparse of one matrix, a row each; levels from the leaves up."""
    rows = (
        (
            each.format,
            f"{each.side} x {each.side}",
            " + ".join(f"{count:,}" for count in each.nodes),
            each.dense,
            f"{each.leaf_entries:.1f}",
            f"{each.fill:.2%}",
            each.nbytes,
            _ratio(each.nbytes, matches[0].nbytes),
            each.gpu_bytes,
            None if each.gpu_us is None else f"{each.gpu_us:.2f}",
        )
        for each in matches
    )
    return fill(table(["hierarchy"], HIERARCHY), rows)


def _power(value: float | None) -> str | None:
    return None if value is None else f"{value:.1e}"


def _ratio(first: float | None, second: float | None) -> str | None:
    return None if first is None or second is None else f"{first / second:.2f}"


def _facts(device: Device | None) -> dict[str, Any] | None:
    """Return what is known of the device, for the JSON."""
    if device is None:
        return None
    if not device.timed:
        return {"name": device.name}
    from gpu.runtime.device_info import device_info

    return asdict(device_info())
