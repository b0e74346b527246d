"""``vecsim gpu``: what the GPU is, what it can reach, and what the formats reach on it.

Without pydantic and the other libraries of the simulator these commands run too: a machine with a GPU need
have no more than NumPy, SciPy, Numba, numba-cuda, typer and rich.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import completion
from vecsim.cli.commands.gpu_tune import SECONDS_HELP, on_a_gpu, tune
from vecsim.cli.options import JsonOption, finite
from vecsim.cli.printing.console import fill, table, tell
from vecsim.cli.printing.output import STDOUT, Output
from vecsim.support.errors import UserError
from vecsim.support.progress import Progress

if TYPE_CHECKING:
    from experiments.gpu_bench.ceilings import Ceilings
    from experiments.gpu_bench.check import Checked
    from experiments.gpu_bench.records import Run
    from gpu.runtime.device_info import DeviceInfo

OnlyOption = Annotated[
    str | None,
    typer.Option(
        "--only",
        metavar="CLASS|MATRIX",
        help="Measure only one class or one matrix of the suite.",
        autocompletion=completion.suite,
    ),
]

gpu = typer.Typer(help="The formats on a real GPU: what it is, what it can reach, and what they reach.")


@gpu.command("info")
def info(json: JsonOption = None) -> None:
    """Show the GPU and the versions of what drives it; exit code 2 if there is none."""
    from gpu.runtime.device_info import device_info

    output = Output(json)
    with on_a_gpu("info"):
        result = device_info()
    output.table(fill(table(["GPU", result.name]), _facts(result)))
    output.finish("vecsim gpu info", asdict(result) | {"nominal_gb_per_s": result.nominal_gb_per_s})


@gpu.command("ceilings")
def ceilings(json: JsonOption = None) -> None:
    """Measure bandwidth, gathers, reductions and launches of the GPU, in about 10 seconds.

    They bound every product: stored bytes, x and y once each, over the measured bandwidth, is the least time.
    """
    from experiments.gpu_bench.ceilings import measure_ceilings

    output = Output(json)
    with Progress() as work, on_a_gpu("ceilings"):
        result = measure_ceilings(work.show)
    _show(output, result)
    output.finish("vecsim gpu ceilings", result.document())


@gpu.command("bench")
def bench(
    only: OnlyOption = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Five matrices of all sizes, no transposed products: under 90 s."),
    ] = False,
    json: JsonOption = None,
) -> None:
    """Measure every format against all of cuSPARSE, over the suite of matrices; under 8 minutes.

    With --json FILE each record is stored at once in FILE.journal: the same command continues an interrupted
    run. Real files are searched in the folders of VECSIM_MATRICES and among the downloads.
    """
    from experiments.gpu_bench.bench import journal_of, run_bench
    from experiments.gpu_bench.records import BENCHMARK
    from vecsim.results.journal import discard

    output = Output(json)
    target = None if json in (None, STDOUT) else Path(str(json))
    with on_a_gpu("bench"):
        run = run_bench(only, quick=quick, json=target, watch=output.text)
    output.finish(BENCHMARK, run.document())
    if target is not None:
        discard(journal_of(target))
    _show_bench(output, run)


gpu.command("tune")(tune)


@gpu.command("check")
def check(
    only: OnlyOption = None,
    format_: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="A format to check; default all. Repeatable.",
            autocompletion=completion.kernels,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", parser=finite("--seconds"), metavar="N", help=SECONDS_HELP),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Check the products of every format on every matrix of the suite; nothing is timed.

    Exit code 1 means that one is wrong: its error, max |y - r| / (|A| |x|) with r in float64, is over 1e-12
    (float64) or 1e-5 (float32). Many processes share the cores and the GPU.
    """
    from experiments.gpu_bench.check import KIND, NOT_FOUND, NOT_REACHED, check_suite, document, faults
    from gpu.runtime.device_info import device_info

    output = Output(json)
    limit = inf if seconds is None else seconds
    with on_a_gpu("check"):
        result = check_suite(only, format_ or None, seconds=limit, watch=output.text)
    _show_check(output, result)
    output.finish(KIND, document(result, asdict(device_info())))
    if all(each.status in (NOT_FOUND, NOT_REACHED) for each in result):
        raise UserError("gpu check: no product was checked; use a larger --seconds or other matrices")
    wrong = faults(result)
    for line in wrong:
        tell(line)
    if wrong:
        raise typer.Exit(1)


def _show_check(output: Output, result: Sequence[Checked]) -> None:
    """Count what came of each format."""
    counts = {
        name: Counter(each.status for each in result if each.method == name) for name in _methods(result)
    }
    statuses = list(dict.fromkeys(each.status for each in result))
    rows = [(name, *(count[status] for status in statuses)) for name, count in counts.items()]
    output.table(fill(table(["format"], [status.replace("_", " ") for status in statuses]), rows))


def _methods(result: Sequence[Checked]) -> list[str]:
    return sorted({each.method for each in result})


def _show_bench(output: Output, run: Run) -> None:
    """Show a run of the benchmark: means, elasticity, `auto`, time by phase."""
    from experiments.gpu_bench import summary

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


def _facts(result: DeviceInfo) -> list[tuple[str, object]]:
    """Return the names and values of all properties of a GPU."""
    major, minor = result.compute_capability
    return [
        ("compute capability", f"{major}.{minor}"),
        ("multiprocessors", result.multiprocessors),
        ("threads a multiprocessor", result.threads_per_multiprocessor),
        ("memory", f"{result.memory_bytes / 2**30:.1f} GiB"),
        ("memory by clock and width", f"{result.nominal_gb_per_s:,.0f} GB/s"),
        ("L2 cache", f"{result.l2_bytes / 2**20:.0f} MiB"),
        ("shared memory a multiprocessor", f"{result.shared_bytes_per_multiprocessor / 2**10:.0f} KiB"),
        ("highest clock", f"{result.clock_mhz} MHz"),
        ("highest clock of the memory", f"{result.memory_clock_mhz} MHz"),
        ("driver", result.driver_version),
        ("CUDA of the driver", result.cuda_driver),
        ("CUDA runtime", result.cuda_runtime),
        ("cuSPARSE", result.cusparse),
        *result.packages.items(),
    ]


def _show(output: Output, result: Ceilings) -> None:
    """Show the ceilings as tables."""
    output.text(f"{result.device['name']}, {result.measured}; copy {result.copy_gb_per_s:,.0f} GB/s")
    reads = [(_size(each.nbytes), f"{each.gb_per_s:,.0f}") for each in result.reads]
    output.table(fill(table(["array read"], ["GB/s"]), reads))
    output.table(
        _by_dtype("gather from", "G/s", [(_size(g.x_bytes), g.dtype, g.g_per_s) for g in result.gathers])
    )
    reductions = [(each.pattern, each.dtype, each.g_per_s) for each in result.reductions]
    output.table(_by_dtype("reductions", "G/s", reductions))
    launch = result.launch
    costs = [
        *((f"Numba, {count} arrays", f"{cost:.2f}") for count, cost in launch.numba_us.items()),
        ("graph of one kernel", f"{launch.graph_us:.2f}"),
        ("one more kernel in a graph", f"{launch.node_us:.2f}"),
    ]
    output.table(fill(table(["launch of an empty kernel"], ["us"]), costs))


def _by_dtype(what: str, unit: str, rates: list[tuple[str, str, float]]) -> Any:
    """Return a table with a row a name and a column a type."""
    dtypes = list(dict.fromkeys(dtype for _, dtype, _ in rates))
    result = {(name, dtype): f"{rate:,.2f}" for name, dtype, rate in rates}
    names = dict.fromkeys(name for name, _, _ in rates)
    rows = ([name, *(result.get((name, dtype)) for dtype in dtypes)] for name in names)
    return fill(table([what], [f"{dtype}\n{unit}" for dtype in dtypes]), rows)


def _size(nbytes: int) -> str:
    return f"{nbytes >> 20} MiB" if nbytes >= 1 << 20 else f"{nbytes >> 10} KiB"
