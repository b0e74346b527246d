"""The commands of ``vecsim gpu``, asked by typer (`vecsim.cli.commands.gpu`) or without (`gpu_alone`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vecsim.cli.printing.console import tell
from vecsim.support.claimed_files import claim_output
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from experiments.gpu_bench.check.check import Checked
    from experiments.gpu_bench.records import Run
    from gpu.compound import CompoundMatrix
    from gpu.compound.tuning import Found
    from gpu.measure.ceilings import Ceilings
    from gpu.runtime.device_info import DeviceInfo
    from vecsim.cli.printing.output import Output

HELP = "The formats on a real GPU: what it is, what it can reach, and what they reach."
ONLY_HELP = "Take one class or one matrix of the suite."
FORMAT_HELP = "A format to check; all without it. Repeatable."
WITHOUT_A_GPU = (
    "an NVIDIA GPU is needed; without one, `vecsim reproduce pellr`, hisparse, layouts or hbp shows what was "
    "measured on an H200, and `vecsim crosscheck MATRIX` compares SciPy and the simulator"
)
"""What helps who has none; the CUDA simulator does not, since times of it mean nothing."""
SECONDS_HELP = "After so many seconds nothing more is begun; what is left is said to be not reached."
ENTRY_HELP = "complex, quaternion, unit-quaternion, dual, or block-2 to block-6."
BITS_HELP = "Bits of a component, a float of 32 or 64."
SCHEDULE_HELP = "Try schedules alone, in CSR with arrays of structures: what the paper compares with."
EXHAUSTIVE_HELP = "Leave nothing out; takes long, and goes on where it was cut off."
PREDICT_HELP = (
    "Measure only the few variants that the searches of the store and of the package predict; "
    "needs scikit-learn."
)
MEMORY_HELP = "How much memory counts: the score is time x (bytes / fewest bytes) ^ WEIGHT."
STORE_HELP = "Where times are kept; a file in the user's cache without it."
TUNING_SECONDS = 110.0
"""After which a search begins nothing more."""
SHOWN_VARIANTS = 8
QUICK_HELP = "Five matrices of all sizes, no transposed products: under 90 s."


@contextmanager
def _on_a_gpu(command: str) -> Iterator[None]:
    """Say what the command needs, and what can be had without it, where there is no GPU."""
    from gpu.runtime.cuda_driver import NoGpuError

    try:
        yield
    except NoGpuError as error:
        raise UserError(f"vecsim gpu {command}: {error.reason}: {WITHOUT_A_GPU}") from None


def info(json: str | None) -> None:
    """Show the GPU and the versions of what drives it; exit code 2 if there is none."""
    from dataclasses import asdict

    from gpu.runtime.device_info import device_info
    from vecsim.cli.printing.console import fill, table
    from vecsim.cli.printing.output import Output

    output = Output(json)
    with _on_a_gpu("info"):
        found = device_info()
    output.table(fill(table(["GPU", found.name]), _facts(found)))
    output.finish("vecsim gpu info", asdict(found) | {"nominal_gb_per_s": found.nominal_gb_per_s})


def ceilings(json: str | None) -> None:
    """Measure bandwidth, gathers, reductions and launches of the GPU, in about 10 seconds.

    They bound every product: stored bytes, x and y once each, over the measured bandwidth, is the least time.
    """
    from gpu.measure.ceilings import measure_ceilings
    from vecsim.cli.printing.output import Output
    from vecsim.support.progress import Progress

    output = Output(json)
    with Progress() as work, _on_a_gpu("ceilings"):
        found = measure_ceilings(work.show)
    _show(output, found)
    output.finish("vecsim gpu ceilings", found.document())


def bench(json: str | None, only: str | None = None, *, quick: bool = False) -> None:
    """Measure every format against all of cuSPARSE, over the suite of matrices; under 8 minutes.

    With --json FILE each record is kept at once in FILE.journal: the same command goes on where a run was cut
    off. Real files are sought in the folders of VECSIM_MATRICES and among the downloads.
    """
    from pathlib import Path

    from experiments.gpu_bench.bench import journal_of, run_bench
    from experiments.gpu_bench.records import BENCHMARK
    from vecsim.cli.printing.output import STDOUT, Output
    from vecsim.results.journal import discard

    output = Output(json)
    target = None if json in (None, STDOUT) else Path(str(json))
    with _on_a_gpu("bench"):
        run = run_bench(only, quick=quick, json=target, watch=output.text)
    output.finish(BENCHMARK, run.document())
    if target is not None:
        discard(journal_of(target))
    _show_bench(output, run)


def check(
    json: str | None,
    only: str | None = None,
    formats: Sequence[str] | None = None,
    seconds: float | None = None,
) -> int:
    """Check the products of every format on every matrix of the suite; nothing is timed.

    Exit code 1 says that one is wrong: its error, max |y - r| / (|A| |x|) with r in float64, is over 1e-12
    (float64) or 1e-5 (float32). Many processes share the cores and the GPU.
    """
    from dataclasses import asdict
    from math import inf

    from experiments.gpu_bench.check.check import KIND, NOT_FOUND, NOT_REACHED, check_suite, document, faults
    from gpu.runtime.device_info import device_info
    from vecsim.cli.printing.output import Output

    output = Output(json)
    limit = inf if seconds is None else seconds
    with _on_a_gpu("check"):
        found = check_suite(only, formats or None, seconds=limit, watch=output.text)
    _show_check(output, found)
    output.finish(KIND, document(found, asdict(device_info())))
    if all(each.status in (NOT_FOUND, NOT_REACHED) for each in found):
        raise UserError("gpu check: no product was checked: no matrix was found, or --seconds was too short")
    wrong = faults(found)
    for line in wrong:
        tell(line)
    return 1 if wrong else 0


def _show_check(output: Output, found: Sequence[Checked]) -> None:
    """Count what came of each format."""
    from vecsim.cli.printing.console import fill, table

    counts = {name: Counter(each.status for each in found if each.method == name) for name in _methods(found)}
    statuses = list(dict.fromkeys(each.status for each in found))
    rows = [(name, *(count[status] for status in statuses)) for name, count in counts.items()]
    output.table(fill(table(["format"], [status.replace("_", " ") for status in statuses]), rows))


def _methods(found: Sequence[Checked]) -> list[str]:
    return sorted({each.method for each in found})


def _show_bench(output: Output, run: Run) -> None:
    """Show a run of the benchmark: means, elasticity, `auto`, time by phase."""
    from experiments.gpu_bench import summary
    from vecsim.cli.printing.console import fill, table

    means = [
        (
            m.operation,
            m.class_,
            m.cache,
            m.dtype,
            m.matrices,
            f"{m.mean:.2f}",
            f"{m.worst_ratio:.2f}",
            m.worst,
        )
        for m in summary.class_means(run.records)
    ]
    left, right = ["product", "class", "cache", "type"], ["matrices", "times faster", "lowest"]
    output.table(fill(table(left, right, last="on"), means))
    elastic = [
        (best.matrix, best.dtype, best.method, f"{csr:.2f}", f"{every:.2f}")
        for best, csr, every in summary.against_csr(run.records)
    ]
    if elastic:
        columns = ["elasticity", "type", "best of ours"]
        output.table(fill(table(columns, ["over CSR", "over all"]), elastic))
    auto = summary.auto_summary(run.records)
    if auto is not None:
        output.text(
            f"auto takes {auto.mean:.3f} times as long as the best of ours (geometric mean of "
            f"{auto.matrices}), at most {auto.worst_ratio:.2f} times ({auto.worst})"
        )
    for record in summary.not_measured(run.records):
        where = " ".join(filter(None, (record.matrix, record.dtype, record.library, record.method)))
        output.text(f"{where}: {record.status}: {record.reason}")
    phases = [(name, f"{seconds:.1f}") for name, seconds in run.seconds.items()]
    output.table(fill(table(["phase"], ["s"]), [*phases, ("all", f"{sum(run.seconds.values()):.1f}")]))


def _facts(found: DeviceInfo) -> list[tuple[str, object]]:
    """Say all of a GPU, name and value."""
    major, minor = found.compute_capability
    return [
        ("compute capability", f"{major}.{minor}"),
        ("multiprocessors", found.multiprocessors),
        ("threads a multiprocessor", found.threads_per_multiprocessor),
        ("memory", f"{found.memory_bytes / 2**30:.1f} GiB"),
        ("memory by clock and width", f"{found.nominal_gb_per_s:,.0f} GB/s"),
        ("L2 cache", f"{found.l2_bytes / 2**20:.0f} MiB"),
        ("shared memory a multiprocessor", f"{found.shared_bytes_per_multiprocessor / 2**10:.0f} KiB"),
        ("highest clock", f"{found.clock_mhz} MHz"),
        ("highest clock of the memory", f"{found.memory_clock_mhz} MHz"),
        ("driver", found.driver_version),
        ("CUDA of the driver", found.cuda_driver),
        ("CUDA runtime", found.cuda_runtime),
        ("cuSPARSE", found.cusparse),
        *found.packages.items(),
    ]


def _show(output: Output, found: Ceilings) -> None:
    """Show the ceilings as tables."""
    from vecsim.cli.printing.console import fill, table

    output.text(f"{found.device['name']}, {found.measured}; copy {found.copy_gb_per_s:,.0f} GB/s")
    reads = [(_size(each.nbytes), f"{each.gb_per_s:,.0f}") for each in found.reads]
    output.table(fill(table(["array read"], ["GB/s"]), reads))
    output.table(
        _by_dtype("gather from", "G/s", [(_size(g.x_bytes), g.dtype, g.g_per_s) for g in found.gathers])
    )
    reductions = [(each.pattern, each.dtype, each.g_per_s) for each in found.reductions]
    output.table(_by_dtype("reductions", "G/s", reductions))
    launch = found.launch
    costs = [
        *((f"Numba, {count} arrays", f"{cost:.2f}") for count, cost in launch.numba_us.items()),
        ("graph of one kernel", f"{launch.graph_us:.2f}"),
        ("one more kernel in a graph", f"{launch.node_us:.2f}"),
    ]
    output.table(fill(table(["launch of an empty kernel"], ["us"]), costs))


def _by_dtype(what: str, unit: str, rates: list[tuple[str, str, float]]) -> Any:
    """Give a table with a row a name and a column a type."""
    from vecsim.cli.printing.console import fill, table

    dtypes = list(dict.fromkeys(dtype for _, dtype, _ in rates))
    found = {(name, dtype): f"{rate:,.2f}" for name, dtype, rate in rates}
    names = dict.fromkeys(name for name, _, _ in rates)
    rows = ([name, *(found.get((name, dtype)) for dtype in dtypes)] for name in names)
    return fill(table([what], [f"{dtype}\n{unit}" for dtype in dtypes]), rows)


def _size(nbytes: int) -> str:
    return f"{nbytes >> 20} MiB" if nbytes >= 1 << 20 else f"{nbytes >> 10} KiB"


def tune(
    json: str | None,
    matrix: str,
    entry: str = "complex",
    bits: int = 32,
    seconds: float = TUNING_SECONDS,
    memory_weight: float = 0.0,
    store: str | None = None,
    *,
    schedule_only: bool = False,
    exhaustive: bool = False,
    predict: bool = False,
) -> None:
    """Search for the layout and schedule in which a product of compound entries is fastest, for two minutes.

    What was measured is kept: the same command goes on where a search was cut off.
    """
    import os
    from functools import partial
    from pathlib import Path

    import numpy as np

    from gpu.compound.compound_files import entry_named, read_compound
    from gpu.runtime.device_info import device_info
    from gpu.runtime.kernel_cache import FOLDER, source_digest
    from vecsim.cli.printing.output import Output
    from vecsim.results.cache_folder import cache_folder
    from vecsim.support.progress import Progress

    if bits not in (32, 64):
        raise UserError(f"--bits {bits}: a component has 32 or 64")
    if predict and exhaustive:
        raise UserError("--predict measures a few variants, --exhaustive all of them: use one")
    kind, real = entry_named(entry), np.float32 if bits == 32 else np.float64
    output = Output(json)
    if store is not None:
        claim_output(store, "--store", updated=True)
    with _on_a_gpu("tune"):
        device = device_info().name
    compound = read_compound(matrix, kind, real)
    os.environ.setdefault(FOLDER, str(cache_folder() / "kernels"))
    # Not before: without a GPU the compiler of kernels may be missing, too.
    from gpu.compound.tuning.compilation import Compilers
    from gpu.compound.tuning.library import to_learn_from
    from gpu.compound.tuning.on_device import tune_on_device
    from gpu.compound.tuning.predictor import Predictor
    from gpu.compound.tuning.store import TuningStore

    path = Path(store) if store else cache_folder() / "tuning.sqlite"
    with TuningStore(path) as kept, Progress() as work, Compilers() as compilers:
        choose = Predictor(to_learn_from(kept, device)).choose if predict else None
        found = tune_on_device(
            compound,
            f"{matrix} {compound.sha256} {source_digest()}",
            kept,
            device,
            natural=schedule_only,
            exhaustive=exhaustive,
            memory_weight=memory_weight,
            seconds=seconds,
            report=lambda at: work.show(f"{matrix}, {at.left_s:.0f} s left", at.done, at.total),
            prepare=partial(compilers.prepare, kind, real),
            choose=choose,
        )
    _show_tuned(output, matrix, compound, device, found)
    output.finish("vecsim gpu tune", _tuned(matrix, compound, device, found))


def _show_tuned(output: Output, matrix: str, compound: CompoundMatrix, device: str, found: Found) -> None:
    """Show the best variants of a search."""
    from vecsim.cli.printing.console import fill, table

    rows, columns = compound.shape
    output.text(
        f"{matrix}: {rows:,} x {columns:,}, {compound.nnz:,} {compound.entry.name} entries; "
        f"{compound.dtype}; {device}; {counted(len(found.timings), 'variant')} measured"
    )
    ranked = sorted(found.timings.items(), key=lambda pair: pair[1].us)
    shown = [
        (*name.split(" | "), f"{timing.us:.1f}", f"{timing.nbytes / 2**20:.1f}")
        for name, timing in ranked[:SHOWN_VARIANTS]
    ]
    output.table(fill(table(["layout", "schedule"], ["us", "MiB"]), shown))
    output.text(f"best: {found.best.name}, {found.timing.us:.1f} us")
    if not found.complete:
        output.text("the time was spent before all was tried: the same command goes on")


def _tuned(matrix: str, compound: CompoundMatrix, device: str, found: Found) -> dict[str, Any]:
    """Give what a search has found as plain data."""
    from dataclasses import asdict

    return {
        "device": device,
        "matrix": matrix,
        "entry": compound.entry.name,
        "dtype": str(compound.dtype),
        "rows": compound.shape[0],
        "columns": compound.shape[1],
        "entries": compound.nnz,
        "best": found.best.name,
        "us": found.timing.us,
        "complete": found.complete,
        "times": {name: asdict(timing) for name, timing in found.timings.items()},
    }
