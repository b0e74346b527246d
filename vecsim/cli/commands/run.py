"""``vecsim run``: a matrix in, the cycles of the chosen programs out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import completion
from vecsim.cli.options import (
    MATRIX_HELP,
    AutoEngineOption,
    ChoiceOption,
    ExtendOption,
    HotOption,
    JsonOption,
    LikeOption,
    ListingOption,
    MachineOption,
    ProgramOption,
    SetOption,
    ValueBitsOption,
    chosen_machine,
    split_assignment,
    value_bytes,
)
from vecsim.cli.printing.console import tell
from vecsim.cli.tracing import TraceOption, Tracing, WindowOption, read_tracing
from vecsim.engines import AUTO
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from programs.measurement import Measurement
    from vecsim.cli.printing.output import Output
    from vecsim.data import Matrix
    from vecsim.engines.first_use import Watch
    from vecsim.engines.timeline import TimelineRequest

NOT_RIGHT = 1
"""Exit code when a result is further off than :data:`programs.measurement.ALLOWED_ERROR`."""
OWN_SUFFIX = ".s"
"""Of the file of a program of the user's own."""


def run(
    matrix: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MATRIX",
            help=f"{MATRIX_HELP} Several may be named. Without any, the default that is shown there.",
            autocompletion=completion.matrices,
        ),
    ] = None,
    program: ProgramOption = None,
    like: LikeOption = None,
    option: ChoiceOption = None,
    machine: MachineOption = "vs2003",
    set_: SetOption = None,
    extend: ExtendOption = None,
    engine: AutoEngineOption = AUTO,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Where x, uniform in 0 to 1, comes from.")] = 0,
    value_bits: ValueBitsOption = 32,
    max_cycles: Annotated[
        int | None,
        typer.Option("--max-cycles", min=1, help="Cycles after which a program counts as an infinite loop."),
    ] = None,
    trace: TraceOption = None,
    window: WindowOption = None,
    hot: HotOption = None,
    listing: ListingOption = False,
    json: JsonOption = None,
) -> None:
    """Run sparse matrix-vector products on matrices and compare their cycles.

    Every result is checked against SciPy's; exit code 1 says that one was not right.
    """
    from programs.measurement import measure, prepare_product
    from programs.registry import find
    from vecsim.cli.printing.output import Output
    from vecsim.cli.printing.report import document, header, results_table, summary_table
    from vecsim.engines.first_use import chosen_engine
    from vecsim.engines.protocol import MAX_CYCLES
    from vecsim.machine.recorded import machine_files
    from vecsim.support.progress import Measure, Progress

    width = value_bytes(value_bits)
    chosen = chosen_programs(program, like)
    options = chosen_options(chosen, option or ())
    described = chosen_machine(machine, set_, extend)
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
        how: dict[str, Any] = {"value_bits": value_bits, "seed": seed, "options": options[name]}
        watched: dict[str, Any] = {"engine": engine, "max_cycles": limit, "progress": watch}

        def one(asked: TimelineRequest | None) -> Measurement:
            return measure(name, each, described, timeline=asked, **watched, **how)

        if tracing is None:
            return one(None)
        program = prepare_product(name, each, described, **how).program
        return tracing.of(program, described, one, lambda done: done.cycles)

    found: list[list[Measurement]] = []
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
            if asked:
                _show_lines(output, measurements, hot, listing)
            found.append(measurements)
    if len(found) > 1:
        output.table(summary_table(found))
    done = [each for measurements in found for each in measurements]
    files += tuple(dict.fromkeys(file for each in done for file in each.files))
    files += tuple(file for each in loaded for file in each.files)
    told = document(
        rounded, described, _engines(found), seed, value_bits, limit, found, files=files, lines=asked
    )
    output.finish("vecsim run", told)
    _check(done, len(rounded) > 1)


def _show_lines(output: Output, measurements: Sequence[Measurement], hot: int | None, listing: bool) -> None:
    """Show the instructions of each program with what they came to."""
    from vecsim.cli.printing.hot import hot_table

    for each in measurements:
        output.text(f"{each.program}, {each.options.get('schedule', 'of your own')}")
        output.table(hot_table(each.run.lines, hot, listing))


def _tracing(
    trace: str | None, window: str | None, matrices: Sequence[str], chosen: Sequence[str]
) -> Tracing | None:
    """Read ``--trace`` and ``--window``; several runs do not fit into one file."""
    if trace is not None and (len(chosen) > 1 or len(matrices) > 1):
        raise UserError(
            f"--trace {trace}: it holds one program on one matrix, such as --program {chosen[0]}; "
            f"{counted(len(chosen), 'program')} on {counted(max(1, len(matrices)), 'matrix')} were named"
        )
    return read_tracing(trace, window, matrices)


def _engines(measured: Sequence[Sequence[Measurement]]) -> str:
    """Name the engine that simulated; both, where the second was compiled meanwhile."""
    return ", ".join(dict.fromkeys(each.engine for measurements in measured for each in measurements))


def load_matrix(name: str | None) -> Matrix:
    """Read the matrix that the user names, or the default one, with its warnings told."""
    from vecsim.cli.printing.console import warn
    from vecsim.data import DEFAULT_BUILTIN, load

    loaded = load(DEFAULT_BUILTIN if name is None else name)
    for warning in loaded.warnings:
        warn(warning)
    return loaded


def apart(matrices: Sequence[Matrix], given: Sequence[str | None]) -> list[Matrix]:
    """Name matrices of one name by what was given for each, so that results tell them apart."""
    from vecsim.data.matrix import named_apart

    names = named_apart([each.name for each in matrices], [text or "" for text in given])
    return [replace(each, name=name) for each, name in zip(matrices, names, strict=True)]


def matrix_values(matrix: Matrix, width: Any) -> Any:
    """Give the matrix (csr_array) with values of 4 or 8 bytes, with what got lost told."""
    from vecsim.cli.printing.console import warn
    from vecsim.data import values_as

    name = matrix.name if matrix.source == "built-in" else matrix.source
    try:
        values, warnings = values_as(matrix.csr, width)
    except UserError as error:
        raise UserError(f"{name}: {error}") from None
    for warning in warnings:
        warn(f"{name}: {warning}")
    return values


def chosen_programs(names: Sequence[str] | None, like: str | None) -> list[str]:
    """Read ``--program`` and ``--like``: names and files, several with commas between them; all without them.

    Raises
    ------
    UserError
        There is no such program, a file without ``--like``, or ``--like`` without a file.
    """
    from programs.registry import OWN, PROGRAMS, find

    def says_like(name: str) -> bool:
        before, separator, _ = name.partition(OWN)
        return bool(separator) and before in PROGRAMS

    def split(text: str) -> list[str]:
        file = text.partition(OWN)[2] if says_like(text) else text
        whole = file.endswith(OWN_SUFFIX) and Path(file).is_file()
        return [text] if whole else [name.strip() for name in text.split(",")]

    named = [name for text in names or PROGRAMS for name in split(text)]
    files = [name for name in named if name.endswith(OWN_SUFFIX) and not says_like(name)]
    if files and like is None:
        raise UserError(
            f"--program {files[0]}: a program of your own needs --like NAME, the program whose format, "
            f"symbols and options it has: {', '.join(PROGRAMS)}"
        )
    if like is not None and not files:
        raise UserError(f"--like {like}: there is no program of your own that it says something of")
    full = (f"{like}{OWN}{name}" if name in files else name for name in named)
    return list(dict.fromkeys(find(name).name for name in full))


def chosen_options(chosen: Sequence[str], texts: Sequence[str]) -> dict[str, Mapping[str, str]]:
    """Give each chosen program the options meant for it, checked."""
    from programs.registry import find

    declared = {name: [option.name for option in find(name).options] for name in chosen}
    given: dict[str, dict[str, str]] = {name: {} for name in chosen}
    for text in texts:
        name, value = split_assignment("--option", text)
        if "." in name:
            program, _, name = name.partition(".")
            if find(program).name not in chosen:
                raise UserError(f"--option {text}: program {program} is not among those to run")
            meant = [program]
        else:
            meant = [program for program in chosen if name in declared[program]]
        if not meant:
            has = "; ".join(f"{program}: {', '.join(names) or 'none'}" for program, names in declared.items())
            raise UserError(f"--option {text}: no program to be run has an option {name!r}; they have {has}")
        for program in meant:
            given[program][name] = value
    return {name: find(name).choose(given[name]) for name in chosen}


def _check(measurements: Sequence[Measurement], several: bool) -> None:
    """End with exit code 1 if a result is not right; of several matrices the name is told."""
    from programs.measurement import ALLOWED_ERROR

    wrong = [m for m in measurements if not m.relative_error <= ALLOWED_ERROR]
    if wrong:
        names = ", ".join(
            f"{m.matrix + ': ' if several else ''}{m.program} ({m.relative_error:.1e})" for m in wrong
        )
        tell(f"the relative error is above {ALLOWED_ERROR:g}: {names}")
        raise typer.Exit(NOT_RIGHT)
