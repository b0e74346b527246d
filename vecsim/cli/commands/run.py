"""``vecsim run``: a matrix in, the cycles of the chosen programs out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import options
from vecsim.cli.printing.console import tell
from vecsim.cli.printing.hot import hot_table
from vecsim.cli.printing.output import Output
from vecsim.cli.printing.report import document, header, memory_table, results_table, summary_table
from vecsim.cli.products import apart, chosen_options, chosen_programs, load_matrix, matrix_values
from vecsim.cli.tracing import TraceOption, Tracing, WindowOption, read_tracing
from vecsim.engines import AUTO
from vecsim.support.errors import UserError
from vecsim.support.progress import Measure, Progress
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from programs.measurement import Measurement
    from vecsim.data import Matrix
    from vecsim.engines.first_use import Watch
    from vecsim.engines.timeline import TimelineRequest

NOT_RIGHT = 1
"""Exit code when a result is further off than :data:`programs.loading.ALLOWED_ERROR`."""


def run(
    matrix: Annotated[
        list[str] | None,
        options.matrix_argument(after=" Several may be named. Without any, the default that is shown there."),
    ] = None,
    program: options.ProgramOption = None,
    format_: options.FormatOption = None,
    like: options.LikeOption = None,
    option: options.ChoiceOption = None,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    extend: options.ExtendOption = None,
    engine: options.AutoEngineOption = AUTO,
    seed: options.SeedOption = 0,
    value_bits: options.ValueBitsOption = 32,
    jitter: options.JitterOption = 0,
    max_cycles: options.MaxCyclesOption = None,
    trace: TraceOption = None,
    window: WindowOption = None,
    hot: options.HotOption = None,
    listing: options.ListingOption = False,
    json: options.JsonOption = None,
) -> None:
    """Run sparse matrix-vector products on matrices and compare their cycles.

    Every result is checked against SciPy's; exit code 1 means that one is wrong.
    """
    from programs.measurement import measure, prepare_product
    from programs.registry import find
    from vecsim.engines.first_use import chosen_engine
    from vecsim.engines.running import MAX_CYCLES
    from vecsim.machine.recorded import machine_files

    width = options.value_bytes(value_bits)
    chosen = chosen_programs(program, like, format_)
    choices = chosen_options(chosen, option or ())
    described = options.chosen_machine(machine, set_, extend)
    output = Output(json, inputs=matrix or [])
    tracing = _tracing(trace, window, matrix or [], chosen)
    named = list(dict.fromkeys(matrix)) if matrix else [None]
    loaded = apart([load_matrix(name) for name in named], named)
    files = machine_files(described)
    rounded = [replace(each, csr=matrix_values(each, width)) for each in loaded]
    for each in rounded:  # before any of them runs, which may take minutes
        for name in chosen:
            find(name).require_room(each.csr, described.section_size, width)

    asked = hot is not None or listing
    limit = MAX_CYCLES if max_cycles is None else max_cycles

    def measured(each: Matrix, name: str, engine: str, watch: Watch | None) -> Measurement:
        how: dict[str, Any] = {"value_bits": value_bits, "seed": seed, "options": choices[name]}
        watched: dict[str, Any] = {"engine": engine, "max_cycles": limit, "progress": watch}

        def one(asked: TimelineRequest | None) -> Measurement:
            return measure(name, each, described, timeline=asked, jitter=jitter, **watched, **how)

        if tracing is None:
            return one(None)
        program = prepare_product(name, each, described, **how).program
        return tracing.of(program, described, one, lambda done: done.cycles)

    results: list[list[Measurement]] = []
    entries = sum(each.csr.nnz for each in rounded)
    stepping = tracing is not None
    with chosen_engine(engine, described, entries * len(chosen), cycle_by_cycle=stepping) as choice:
        for each in rounded:
            measurements = []
            with Progress(Measure.CYCLES) as progress:
                for number, name in enumerate(chosen):
                    label = name if len(rounded) == 1 else f"{each.name}: {name}"
                    watch = progress.simulating(label, number, len(chosen))
                    measurements.append(choice.run(partial(measured, each, name), watch))
            output.text(header(each, described, _engines([measurements]), value_bits))
            output.table(results_table(measurements))
            if not described.has_flat_memory:
                output.table(memory_table([(m.program, m.run.memory_counters) for m in measurements]))
            if asked:
                _show_lines(output, measurements, hot, listing)
            results.append(measurements)
    if len(results) > 1:
        output.table(summary_table(results))
    done = [each for measurements in results for each in measurements]
    files += tuple(dict.fromkeys(file for each in done for file in each.files))
    files += tuple(file for each in loaded for file in each.files)
    message = document(
        rounded, described, _engines(results), seed, value_bits, limit, results, files=files, lines=asked
    )
    output.finish("vecsim run", message)
    _check(done, len(rounded) > 1)


def _show_lines(output: Output, measurements: Sequence[Measurement], hot: int | None, listing: bool) -> None:
    """Show the instructions of each program with what they came to."""
    for each in measurements:
        output.text(f"{each.program}, {each.options.get('schedule', 'user-defined')}")
        output.table(hot_table(each.run.lines, hot, listing))


def _tracing(
    trace: str | None, window: str | None, matrices: Sequence[str], chosen: Sequence[str]
) -> Tracing | None:
    """Read ``--trace`` and ``--window``; several runs do not fit into one file."""
    if trace is not None and (len(chosen) > 1 or len(matrices) > 1):
        raise UserError(
            f"--trace {trace}: a trace needs one program on one matrix, such as --program {chosen[0]}; "
            f"{counted(len(chosen), 'program')} on {counted(max(1, len(matrices)), 'matrix')} were named"
        )
    return read_tracing(trace, window, matrices)


def _engines(measured: Sequence[Sequence[Measurement]]) -> str:
    """Name the engine that simulated; both, where the second was compiled meanwhile."""
    return ", ".join(dict.fromkeys(each.engine for measurements in measured for each in measurements))


def _check(measurements: Sequence[Measurement], several: bool) -> None:
    """End with exit code 1 if a result is not right; of several matrices the name is printed."""
    from programs.loading import ALLOWED_ERROR

    wrong = [m for m in measurements if not m.relative_error <= ALLOWED_ERROR]
    if wrong:
        names = ", ".join(
            f"{m.matrix + ': ' if several else ''}{m.program} ({m.relative_error:.1e})" for m in wrong
        )
        tell(f"the relative error is above {ALLOWED_ERROR:g}: {names}")
        raise typer.Exit(NOT_RIGHT)
