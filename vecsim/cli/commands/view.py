"""``vecsim view``: a run, or two one above the other, as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import options
from vecsim.cli.printing.console import warn
from vecsim.cli.printing.output import Output, OutputFile
from vecsim.cli.products import chosen_options, chosen_programs, load_matrix
from vecsim.cli.program_file import Asked, is_program_file, read_program_file
from vecsim.engines import AUTO
from vecsim.results.digests import program_sha256
from vecsim.results.provenance import provenance
from vecsim.support.errors import UserError
from vecsim.support.progress import Measure, Progress
from vecsim.support.shown_text import utf8
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from vecsim.machine import Machine
    from vecsim.viewer import Recorded, Subject

MOST_RUNS = 2


def view(
    subject: Annotated[
        str | None,
        options.matrix_argument(
            after=" Or any program, as `vecsim exec` runs it.", metavar="MATRIX|FILE.s|FILE.elf"
        ),
    ] = None,
    out: Annotated[str, typer.Option("--out", metavar="FILE.html", help="The page to write.")] = "view.html",
    program: options.ProgramOption = None,
    format_: options.FormatOption = None,
    like: options.LikeOption = None,
    option: options.ChoiceOption = None,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    extend: options.ExtendOption = None,
    beside_machine: Annotated[
        str | None,
        typer.Option("--beside-machine", metavar="PRESET|FILE.toml", help="Also run it on this machine."),
    ] = None,
    beside_set: Annotated[
        list[str] | None,
        typer.Option(
            "--beside-set",
            metavar="KEY=VALUE",
            help="Also run it with this change of the machine. Repeatable.",
        ),
    ] = None,
    beside_option: Annotated[
        list[str] | None,
        typer.Option(
            "--beside-option", metavar="NAME=VALUE", help="Also run it with this option. Repeatable."
        ),
    ] = None,
    window: Annotated[
        str | None, typer.Option("--window", metavar="FROM:TO", help="The cycles that the page shows.")
    ] = None,
    show: options.ShowOption = None,
    engine: options.AutoEngineOption = AUTO,
    seed: options.SeedOption = 0,
    memory: options.MemoryOption = "1M",
    define: options.DefineOption = None,
    load: options.LoadOption = None,
    isa: options.IsaOption = None,
    argument: options.ArgumentOption = None,
    value_bits: options.ValueBitsOption = 32,
    max_cycles: options.MaxCyclesOption = None,
    json: options.JsonOption = None,
) -> None:
    """Make a page of a run: instructions by unit over time, source, registers and memory.

    Two programs, or a change with `--beside-...`, give two runs, one above the other.
    """
    from experiments.whatif.viewing import product
    from vecsim.engines.running import MAX_CYCLES
    from vecsim.traces import WHOLE, read_window
    from vecsim.viewer import page_of

    about = provenance().to_dict()
    width = options.value_bytes(value_bits)
    machines = [options.chosen_machine(machine, set_, extend)]
    if beside_machine is not None or beside_set:
        changes = [*(set_ or ()), *(beside_set or ())]
        machines.append(options.chosen_machine(beside_machine or machine, changes, extend))
    cycles = WHOLE if window is None else read_window(window)
    inputs = [subject] if subject else []
    output, file = Output(json, inputs), OutputFile(out, "--out", inputs)
    if subject is not None and is_program_file(subject, isa):
        if program or like or option or beside_option:
            raise UserError(
                f"{subject}: --program, --like and --option are options of products; leave them "
                "out for a program"
            )
        symbols, size = options.definitions(define), options.byte_count(memory)
        limit = max_cycles or MAX_CYCLES
        asked = Asked(isa, argument or (), symbols, width, size, limit, load)
        subjects = _of_file(subject, machines, asked, show or ())
    else:
        if define:
            raise UserError("--define needs a program FILE.s; use --option for a product")
        for name, value in (("load", load), ("argument", argument)):
            if value:
                raise UserError(f"--{name} needs a program FILE.s; leave it out for a product")
        how: dict[str, Any] = {"value_bits": value_bits, "seed": seed}
        chosen, loaded = chosen_programs(program or format_ or ["hism"], like, format_), load_matrix(subject)
        choices = [option or ()] + ([[*(option or ()), *beside_option]] if beside_option else [])
        subjects = [
            product(name, loaded, on, texts[name], show or (), where="--show", **how)
            for texts in [chosen_options(chosen, each) for each in choices]
            for on in machines
            for name in chosen
        ]
    if len(subjects) > MOST_RUNS:
        raise UserError(
            f"{counted(len(subjects), 'run')}: a page shows at most {MOST_RUNS}; select programs with "
            "--program, or one change with `--beside-...`"
        )
    runs = _recorded(subjects, engine, window=cycles, max_cycles=max_cycles)
    title = " and ".join(dict.fromkeys(each.subject.name for each in runs))
    file.write(utf8(page_of(runs, f"vecsim: {title}", about)))
    _tell(output, out, runs)


def _of_file(file: str, machines: Sequence[Machine], asked: Asked, show: Sequence[str]) -> list[Subject]:
    """Prepare a program, as ``vecsim exec`` runs it, on all machines."""
    from experiments.whatif.viewing import pieces
    from vecsim.riscv.timing.replay import Replay
    from vecsim.viewer import Subject

    given = read_program_file(file, machines[0], asked)
    shown = pieces(show, given.names, asked.memory_bytes, "--show")
    subjects = []
    for machine in machines:
        program, content, on = given.source.on(machine)
        replay = None if given.riscv is None else Replay(given.riscv, machine)
        name = f"{file}, {machine.label}"
        subjects.append(Subject(name, program, content, on, asked.width, shown, replay))
    return subjects


def _recorded(subjects: Sequence[Subject], engine: str, **how: Any) -> list[Recorded]:
    from vecsim.engines.first_use import chosen_engine
    from vecsim.engines.running import MAX_CYCLES
    from vecsim.viewer import record

    how["max_cycles"] = how["max_cycles"] or MAX_CYCLES
    with (
        chosen_engine(engine, subjects[0].machine, cycle_by_cycle=True) as choice,
        Progress(Measure.CYCLES) as progress,
    ):
        return [
            choice.run(
                lambda name, watch, each=each: record(each, engine=name, progress=watch, **how),  # type: ignore[misc]
                progress.simulating(each.name, number, len(subjects)),
            )
            for number, each in enumerate(subjects)
        ]


def _tell(output: Output, page: str, runs: Sequence[Recorded]) -> None:
    """Print what is in the page, and write it as JSON if that was asked for."""
    messages = []
    for run in runs:
        shown, name = len(run.times["age"]), run.subject.name
        if run.left_out:
            total = run.left_out + shown
            warn(f"{name}: {run.left_out:,} of {counted(total, 'instruction')} are left out (--window)")
        output.text(f"{name}: {counted(run.done.cycles, 'cycle')}")
        result = {"name": name, "program_sha256": program_sha256(run.subject.program)}
        messages.append({**result, **run.done.to_dict(), "shown": shown, "left_out": run.left_out})
    output.text(f"page: {page}")
    output.finish("vecsim view", {"page": page, "runs": messages})
