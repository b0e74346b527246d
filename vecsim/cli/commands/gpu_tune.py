"""``vecsim gpu tune``: the layout and schedule in which a product of compound entries is fastest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli.options import JsonOption, finite
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.output import Output
from vecsim.support.claimed_files import claim_output
from vecsim.support.errors import UserError
from vecsim.support.progress import Progress
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from gpu.compound import CompoundMatrix
    from gpu.compound.tuning import Found

WITHOUT_A_GPU = (
    "an NVIDIA GPU is needed; without one, `vecsim reproduce pellr`, hisparse, layouts or hbp shows what was "
    "measured on an H200, and `vecsim crosscheck MATRIX` compares SciPy and the simulator"
)
"""What helps who has none; the CUDA simulator does not, since times of it mean nothing."""
SECONDS_HELP = "Start nothing more after this many seconds; the rest is reported as not reached."
SHOWN_VARIANTS = 8


@contextmanager
def on_a_gpu(command: str) -> Iterator[None]:
    """Report what the command needs, and what works without it, where there is no GPU."""
    from gpu.runtime.cuda_driver import NoGpuError

    try:
        yield
    except NoGpuError as error:
        raise UserError(f"vecsim gpu {command}: {error.reason}: {WITHOUT_A_GPU}") from None


def tune(
    matrix: Annotated[str, typer.Argument(metavar="MATRIX|FILE.npz|MESH")],
    entry: Annotated[
        str,
        typer.Option(
            "--entry",
            metavar="NAME",
            help="complex, quaternion, unit-quaternion, dual, or block-2 to block-6.",
        ),
    ] = "complex",
    bits: Annotated[int, typer.Option("--bits", metavar="32|64", help="Bits of a component, 32 or 64.")] = 32,
    seconds: Annotated[
        float, typer.Option("--seconds", parser=finite("--seconds"), metavar="N", help=SECONDS_HELP)
    ] = 110.0,
    memory_weight: Annotated[
        float,
        typer.Option(
            "--memory-weight",
            parser=finite("--memory-weight"),
            metavar="WEIGHT",
            help="Weight of memory: the score is time x (bytes / fewest bytes) ^ WEIGHT.",
        ),
    ] = 0.0,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="FILE",
            help="File of measured times; default a file in the user's cache.",
        ),
    ] = None,
    schedule_only: Annotated[
        bool,
        typer.Option(
            "--schedule-only",
            help="Try only schedules, in CSR with arrays of structures, as the paper's baseline.",
        ),
    ] = False,
    exhaustive: Annotated[
        bool,
        typer.Option("--exhaustive", help="Try all variants; takes long. An interrupted search continues."),
    ] = False,
    predict: Annotated[
        bool,
        typer.Option(
            "--predict",
            help="Measure only the few variants that the searches of the store and of the package predict; "
            "needs scikit-learn.",
        ),
    ] = False,
    json: JsonOption = None,
) -> None:
    """Search for the fastest layout and schedule of a product of compound entries, for two minutes.

    Measurements are stored: the same command continues an interrupted search.
    """
    import numpy as np

    from gpu.compound.compound_files import entry_named, read_compound
    from gpu.runtime.device_info import device_info
    from gpu.runtime.kernel_cache import kept_for_later, source_digest
    from vecsim.results.cache_folder import cache_folder

    if bits not in (32, 64):
        raise UserError(f"--bits {bits}: a component must have 32 or 64 bits")
    if predict and exhaustive:
        raise UserError("--predict measures a few variants, --exhaustive all of them: use one")
    kind, real = entry_named(entry), np.float32 if bits == 32 else np.float64
    output = Output(json)
    if store is not None:
        claim_output(store, "--store", updated=True)
    with on_a_gpu("tune"):
        device = device_info().name
    compound = read_compound(matrix, kind, real)
    # Not before: without a GPU the compiler of kernels may be missing, too.
    from gpu.compound.tuning.compilation import Compilers
    from gpu.compound.tuning.library import to_learn_from
    from gpu.compound.tuning.on_device import tune_on_device
    from gpu.compound.tuning.predictor import Predictor
    from gpu.compound.tuning.store import TuningStore

    path = Path(store) if store else cache_folder() / "tuning.sqlite"
    with kept_for_later(), TuningStore(path) as recorded, Progress() as work, Compilers() as compilers:
        choose = Predictor(to_learn_from(recorded, device)).choose if predict else None
        result = tune_on_device(
            compound,
            f"{matrix} {compound.sha256} {source_digest()}",
            recorded,
            device,
            natural=schedule_only,
            exhaustive=exhaustive,
            memory_weight=memory_weight,
            seconds=seconds,
            report=lambda at: work.show(f"{matrix}, {at.left_s:.0f} s left", at.done, at.total),
            prepare=partial(compilers.prepare, kind, real),
            choose=choose,
        )
    _show_tuned(output, matrix, compound, device, result)
    output.finish("vecsim gpu tune", _tuned(matrix, compound, device, result))


def _show_tuned(output: Output, matrix: str, compound: CompoundMatrix, device: str, result: Found) -> None:
    """Show the best variants of a search."""
    rows, columns = compound.shape
    output.text(
        f"{matrix}: {rows:,} x {columns:,}, {compound.nnz:,} {compound.entry.name} entries; "
        f"{compound.dtype}; {device}; {counted(len(result.timings), 'variant')} measured"
    )
    ranked = sorted(result.timings.items(), key=lambda pair: pair[1].us)
    shown = [
        (*name.split(" | "), f"{timing.us:.1f}", f"{timing.nbytes / 2**20:.1f}")
        for name, timing in ranked[:SHOWN_VARIANTS]
    ]
    output.table(fill(table(["layout", "schedule"], ["us", "MiB"]), shown))
    output.text(f"best: {result.best.name}, {result.timing.us:.1f} us")
    if not result.complete:
        output.text("the time was spent before all was tried: the same command goes on")


def _tuned(matrix: str, compound: CompoundMatrix, device: str, result: Found) -> dict[str, Any]:
    """Return what a search has found as plain data."""
    return {
        "device": device,
        "matrix": matrix,
        "entry": compound.entry.name,
        "dtype": str(compound.dtype),
        "rows": compound.shape[0],
        "columns": compound.shape[1],
        "entries": compound.nnz,
        "best": result.best.name,
        "us": result.timing.us,
        "complete": result.complete,
        "times": {name: asdict(timing) for name, timing in result.timings.items()},
    }
