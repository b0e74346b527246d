"""``vecsim sweep``: programs times matrices times machines, every cell computed once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean, median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import completion, options
from vecsim.cli.printing.console import fill, tell, warn
from vecsim.cli.printing.console import table as empty
from vecsim.cli.printing.output import Output
from vecsim.cli.products import chosen_programs
from vecsim.cli.program_file import is_program_file
from vecsim.engines import DEFAULT_ENGINE
from vecsim.support.claimed_files import claim_output
from vecsim.support.errors import UserError
from vecsim.support.progress import Progress
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from rich.table import Table

    from experiments.whatif.sweep import Sweep, SweepTable
    from experiments.whatif.sweep.plan import Plan

SPECIFICATION = ".toml"
FAULTS_TOLD = 5
"""Different faults that are printed; of more the number."""
VALUES_SHOWN = 10
"""Values of a factor that ``--dry-run`` prints."""


def sweep(
    context: typer.Context,
    matrices: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC.toml|STUDY|MATRIX|FILE.s|FILE.elf...",
            help="A specification file (docs/what-if.md) or a study (section-size, memory, sparse-unit, "
            "renaming), which other arguments and options change; or matrices as for `vecsim run`; or "
            "programs as for `vecsim exec`.",
            autocompletion=completion.matrices,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Folder for the table (CSV) and its description (JSON)."),
    ] = None,
    draw: Annotated[
        bool, typer.Option("--explain", help="Also plot it, as `vecsim explain DIR` does; needs --out.")
    ] = False,
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Also write table.parquet; needs --out and pyarrow.")
    ] = False,
    matrix: Annotated[
        list[str] | None,
        typer.Option(
            "--matrix", metavar="MATRIX", help="Another matrix, or one instead of a file's. Repeatable."
        ),
    ] = None,
    program: options.ProgramOption = None,
    format_: options.FormatOption = None,
    like: options.LikeOption = None,
    machine: options.MachineOption = "vs2003",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUES",
            help="Vary a number of the machine: banks=8,16,32, startup=0:40:10 or section_size=16:256:x2; "
            "or an option of programs: option.schedule=plain,pipelined. Repeatable.",
        ),
    ] = None,
    extend: options.ExtendOption = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="NAME=VALUES",
            help="Vary an option of all programs with it, or PROGRAM.NAME of one: "
            "schedule=plain,pipelined. Repeatable.",
        ),
    ] = None,
    memory: options.MemoryOption = "1M",
    define: Annotated[
        list[str] | None,
        typer.Option(
            "--define",
            metavar="NAME=VALUES",
            help="Vary a symbol that each FILE.s is assembled with: N=64:1024:x2. Repeatable.",
        ),
    ] = None,
    isa: options.IsaOption = None,
    function: options.FunctionOption = "",
    argument: Annotated[
        list[str] | None,
        typer.Option(
            "--argument",
            metavar="VALUES",
            help="Vary an argument of main of RISC-V programs, one after the other: 64:1024:x2. Repeatable.",
        ),
    ] = None,
    load: options.LoadOption = None,
    design: Annotated[
        str, typer.Option("--design", metavar="NAME", help="grid, one-at-a-time or latin-hypercube.")
    ] = "grid",
    samples: Annotated[int, typer.Option("--samples", min=1, help="Points of a Latin hypercube.")] = 100,
    question: Annotated[
        str,
        typer.Option(
            "--question",
            metavar="A<B",
            help="Print where one program is faster than another: jd<hism, or jd<2*hism for less "
            "than twice the cycles.",
        ),
    ] = "",
    adaptive: Annotated[
        int,
        typer.Option(
            "--adaptive",
            metavar="CELLS",
            min=0,
            help="Compute at most this many cells, those where the answer to --question is least certain.",
        ),
    ] = 0,
    jitter: options.JitterOption = 0,
    value_bits: options.ValueBitsOption = 32,
    seed: options.SeedOption = 0,
    engine: options.EngineOption = DEFAULT_ENGINE,
    jobs: options.JobsOption = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="tcp://HOST:PORT",
            help="A Dask scheduler whose workers simulate (docs/what-if.md).",
        ),
    ] = None,
    gpu: Annotated[
        bool,
        typer.Option(
            "--gpu", help="Time machines on an NVIDIA GPU where that pays (docs/reference/many-machines.md)."
        ),
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="FILE",
            help="File of computed cells, for all sweeps; default a file in the user's cache.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Print the number of cells, how many are stored and the estimated time; simulate and write "
            "nothing.",
        ),
    ] = False,
) -> None:
    """Run products, or any programs FILE.s, on many machines; stored cells are not computed again."""
    from experiments.report.folder import SUFFIXES, check_folder
    from experiments.whatif.studies import STUDIES, specification
    from experiments.whatif.sweep import Sweep, plan
    from experiments.whatif.sweep import sweep as swept
    from experiments.whatif.sweep.specification import LISTED, read_specification
    from vecsim.results.result_folder import write_folder

    if (draw or parquet) and out is None:
        raise UserError("--explain, --parquet: name a folder by --out, where the files are to go")
    named = [*(matrices or ()), *(matrix or ())]
    texts = list(dict.fromkeys(each for each in named if is_program_file(each, None)))
    named = [each for each in named if each not in texts]
    if texts and (program or format_ or like):
        raise UserError(f"{texts[0]}: --program is an option of products; leave it out for a program FILE.s")
    given: dict[str, Any] = {
        "programs": tuple(texts or chosen_programs(program, like, format_)),
        "machine": machine,
        "extend": extend,
        "set": set_,
        "option": option,
        "define": define,
        "isa": isa or "",
        "function": function,
        "argument": {str(place): values for place, values in enumerate(argument or (), 1)},
        "load": tuple(load or ()),
        "memory": memory,
        "design": design,
        "samples": samples,
        "question": question,
        "adaptive": adaptive,
        "jitter": jitter,
        "value_bits": value_bits,
        "seed": seed,
        "engine": engine,
    }
    if named and (named[0].endswith(SPECIFICATION) or named[0] in STUDIES):
        study = named[0] in STUDIES
        what = specification(named[0]) if study else read_specification(Path(named[0]))
        if format_ and not program:
            given["programs"] = tuple(chosen_programs(what.program_names, like, format_))
        stated = {name: value for name, value in given.items() if _is_stated(context, name)}
        if texts:
            stated["programs"] = given["programs"]
        what = what.changed(**stated, **({"matrices": named[1:]} if named[1:] else {}))
    else:
        what = Sweep(matrices=tuple(named), **given)
    if dry_run:
        _show_plan(plan(what, store=store, jobs=jobs))
        return
    folder = None if out is None else check_folder(out, (*SUFFIXES, ".json", ".parquet"))
    if store is not None:
        claim_output(store, "--store", updated=True)
    output = Output(None)
    began = time.monotonic()
    with Progress() as progress:

        def watch(done: int, total: int) -> None:
            seconds = time.monotonic() - began
            left = seconds * (total - done) / done if done else 0.0
            progress.show(f"{done:,} of {counted(total, 'cell')}, {_time(left)} left", done / total)

        recorded = None if store is None else Path(store)
        table = swept(what, store=recorded, jobs=jobs, scheduler=scheduler, gpu=gpu, watch=watch)
    seconds = time.monotonic() - began
    files = table.folder_files() | ({"table.parquet": table.parquet()} if parquet else {})
    if folder is not None:
        write_folder(folder, files)
    _refuse_without_results(table)
    if table.sweep.design != LISTED:
        output.table(_summary(table))
    if table.sweep.question:
        output.table(_answer(table))
    if table.sweep.jitter:
        output.text(_spread(table))
    output.text(
        f"{counted(len(table), 'cell')} of {_matrices(what)}"
        f"{counted(len(what.programs), 'program')} and {counted(table.sweep.count, 'point')} "
        f"in {seconds:.1f} s; {table.computed:,} were simulated, the engine took "
        f"{table.engine_seconds:.1f} s of processors' time"
    )
    _tell_faults(table)
    if folder is not None:
        tell(f"{', '.join(files)} are in {out}")
        if draw:
            explain(str(out), None)


def _show_plan(plan: Plan) -> None:
    """Print what a sweep would do."""
    from experiments.whatif.sweep.inputs import called

    output, what = Output(None), plan.sweep
    factors = {
        **({"matrix": tuple(map(called, what.matrices))} if what.matrices else {}),
        "program": what.program_names,
        **{name: tuple(str(value).lower() for value in values) for name, values in what.factors.items()},
    }
    rows = ((name, len(values), _some(values)) for name, values in factors.items())
    built = empty(["varied"], ["values"])
    built.add_column("")
    output.table(fill(built, rows))
    output.text(
        f"{counted(plan.cells, 'cell')}: {_matrices(what)}"
        f"{counted(len(what.programs), 'program')}, {counted(what.count, 'point')} ({what.design})"
        f"{f', {what.placements} placements' if what.jitter else ''}"
    )
    impossible = f", {plan.impossible:,} can have no result" if plan.impossible else ""
    rest = plan.cells - plan.stored - plan.impossible
    runs = f" by {counted(plan.left, 'run')}" if plan.left != rest else ""
    output.text(f"{plan.stored:,} are stored, {rest:,} would be simulated{runs}{impossible}")
    if what.is_of_texts and plan.timed < plan.left:
        output.text("estimated time: not known before a cell of each text is stored")
    elif plan.left:
        from_times = f"times of stored cells for {plan.timed:,}" if plan.timed else ""
        rest = plan.left - plan.timed
        from_counts = f"the number of non-zeros for {rest:,}" if rest else ""
        output.text(
            f"estimated time: {_rounded(plan.seconds / plan.processes)} after the start of "
            f"{counted(plan.processes, 'process')}, from "
            f"{' and '.join(filter(None, (from_times, from_counts)))}"
        )


def _matrices(what: Sweep) -> str:
    """Return how many matrices there are, if there are any, and a comma."""
    return f"{counted(len(what.matrices), 'matrix')}, " if what.matrices else ""


def _rounded(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else _time(seconds)


def _some(values: Sequence[str]) -> str:
    """Name the values of something, of many the first and the last."""
    if len(values) > VALUES_SHOWN:
        values = (*values[: VALUES_SHOWN - 2], "...", values[-1])
    return ", ".join(values)


PARAMETERS = {"programs": ("program", "like", "format_"), "set": ("set_",)}
"""The parameters of the command that give an attribute of a sweep, where they have other names."""


def _is_stated(context: typer.Context, attribute: str) -> bool:
    """Return whether the command line states an attribute of the sweep."""
    sources = map(context.get_parameter_source, PARAMETERS.get(attribute, (attribute,)))
    return any(source is not None and source.name == "COMMANDLINE" for source in sources)


def _summary(table: SweepTable) -> Table:
    """Return the geometric mean of cycles a non-zero for each program and each value of what is varied.

    Of texts it is that of cycles. A mean of fewer cells than there are says of how many.
    """
    columns, programs = table.columns, table.sweep.program_names
    texts, rows = table.sweep.is_of_texts, []
    head = "cycles,\ngeometric mean" if texts else "cycles / non-zero,\ngeometric mean"
    varied: dict[str, tuple[Any, ...]] = dict(table.sweep.factors) or {"": (None,)}
    for name, values in varied.items():
        for value in values:
            means = [
                _mean(
                    table,
                    [
                        at
                        for at, of in enumerate(columns["program"])
                        if of == program and (not name or columns[name][at] == value)
                    ],
                )
                for program in programs
            ]
            rows.append((f"{name}={str(value).lower()}" if name else "all", *means))
    return fill(empty([head], list(programs)), rows)


def _mean(table: SweepTable, rows: Sequence[int]) -> str | None:
    """Return the geometric mean of some rows; with jitter also those of the least and the most cycles."""
    columns = table.columns
    there = [at for at in rows if not columns["fault"][at]]
    if not there:
        return None
    per = columns["cycles" if table.sweep.is_of_texts else "cycles_per_nnz"]
    mean = geometric_mean(per[at] for at in there)
    text = f"{mean:.2f}"
    if table.sweep.jitter:
        least, most = (
            mean * geometric_mean(columns[name][at] / columns["cycles"][at] for at in there)
            for name in ("cycles_least", "cycles_most")
        )
        text += f" ({least:.2f} to {most:.2f})"
    return text if len(there) == len(rows) else f"{text} ({len(there)} of {len(rows)})"


def _spread(table: SweepTable) -> str:
    """Return by how much other placements of the arrays change the cycles of a cell."""
    columns = table.columns
    ranges = [
        (most - least) / cycles
        for cycles, least, most in zip(
            *(columns[name] for name in ("cycles", "cycles_least", "cycles_most")), strict=True
        )
        if cycles
    ]
    within = f"up to {max(ranges):.1%}, in the median {median(ranges):.1%}" if ranges else "nothing"
    return f"the cycles of a cell differ by {within}, over {table.sweep.placements} placements of its arrays"


def _answer(table: SweepTable) -> Table:
    """Return where the answer to the sweep's question is yes, unknown and no."""
    result = table.answer()
    *_, last = result.factors
    built = empty([f"{result.question} for {last}"])
    for column in ("yes", "uncertain", "no"):
        built.add_column(column)
    return fill(built, result.rows())


def _refuse_without_results(table: SweepTable) -> None:
    """Raise `UserError` with the first reason if no cell has a result."""
    faults = table.columns["fault"]
    if len(faults) and all(faults):
        raise UserError(f"no result for any of {counted(len(faults), 'cell')}: {faults[0]}")


def _tell_faults(table: SweepTable) -> None:
    faults = [fault for fault in table.columns["fault"] if fault]
    different = list(dict.fromkeys(faults))
    for fault in different[:FAULTS_TOLD]:
        warn(f"no result for {counted(faults.count(fault), 'cell')}: {fault}")
    if len(different) > FAULTS_TOLD:
        warn(f"the column fault has {counted(len(different) - FAULTS_TOLD, 'more reason')}")


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def explain(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="The folder that `vecsim sweep --out DIR` wrote.")
    ],
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Folder for the figures; default the same."),
    ] = None,
) -> None:
    """Explain a sweep: tables and figures (CSV, SVG, PNG), and one HTML page with all of them."""
    from experiments.report.folder import PAGE, check_folder, files_of, write
    from experiments.whatif.explain.cells import read_cells
    from experiments.whatif.explain.report import report
    from experiments.whatif.studies import remarks

    target = out or folder
    cells = read_cells(Path(folder))
    built = report(cells, Path(folder).resolve().name, remarks(cells))
    check_folder(target)
    files = files_of(built)
    write(files, target)
    output = Output(None)
    for sentence in built.parts[0].remarks:
        output.text(sentence)
    for item in built.items:
        output.text(item.title)
        for note in item.notes:
            output.text(f"  {note}")
    for gap in dict.fromkeys(gap for item in built.items for gap in item.gaps):
        output.text(gap)
    output.text(f"{Path(target) / PAGE} and {counted(len(files) - 1, 'file')} next to it")
