"""``vecsim why``: where the cycles of a product go, what bounds them, what would help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import options
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.hot import bar, hot_table, source_table
from vecsim.cli.printing.output import Output
from vecsim.cli.printing.report import memory_table
from vecsim.cli.products import chosen_options, chosen_programs, load_matrix
from vecsim.cli.program_file import Asked, is_program_file, read_program_file
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.cause import label
from vecsim.results.file_digests import InputFile
from vecsim.support.errors import UserError
from vecsim.support.progress import Progress

if TYPE_CHECKING:
    from rich.table import Table

    from experiments.whatif.why import Explanation
    from vecsim.machine import Machine

HOTTEST = 8
"""Instructions that are shown if the user does not say."""


def why(
    matrix: Annotated[
        str | None,
        options.matrix_argument(
            after=" Or any program, as `vecsim exec` runs it.", metavar="MATRIX|FILE.s|FILE.elf"
        ),
    ] = None,
    program: options.ProgramOption = None,
    format_: options.FormatOption = None,
    like: options.LikeOption = None,
    option: options.ChoiceOption = None,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    extend: options.ExtendOption = None,
    engine: options.EngineOption = DEFAULT_ENGINE,
    seed: options.SeedOption = 0,
    value_bits: options.ValueBitsOption = 32,
    memory: options.MemoryOption = "1M",
    define: options.DefineOption = None,
    load: options.LoadOption = None,
    isa: options.IsaOption = None,
    argument: options.ArgumentOption = None,
    function: options.FunctionOption = "",
    hot: Annotated[
        int, typer.Option("--hot", min=1, help="Number of instructions to show, the most expensive first.")
    ] = HOTTEST,
    listing: options.ListingOption = False,
    json: options.JsonOption = None,
) -> None:
    """Explain the cycles of sparse matrix-vector products, or of any program FILE.s.

    An instruction's cycles are those between the retirement of all older ones and its retirement. Possible
    improvements are simulated, each alone and all together.
    """
    from vecsim.engines.running import MAX_CYCLES

    described = options.chosen_machine(machine, set_, extend)
    output = Output(json, inputs=[matrix] if matrix else [])
    results: Sequence[Explanation]
    if matrix is not None and is_program_file(matrix, isa):
        for name, value in (("program", program), ("format", format_), ("like", like), ("option", option)):
            if value:
                raise UserError(f"{matrix}: --{name} is an option of products; leave it out for a program")
        width, symbols = options.value_bytes(value_bits), options.definitions(define)
        asked = Asked(isa, argument or (), symbols, width, options.byte_count(memory), MAX_CYCLES, load)
        results, files, message = _program(matrix, described, asked, engine, function)
    else:
        of_programs = {"define": define, "load": load, "argument": argument, "function": function}
        for name, value in of_programs.items():
            if value:
                raise UserError(f"--{name} needs a program FILE.s; leave it out for a product")
        how: dict[str, Any] = {"value_bits": value_bits, "seed": seed, "engine": engine}
        chosen = chosen_programs(program, like, format_)
        results, files, matrices = _products(matrix, described, chosen, option or (), how)
        message = {"matrices": matrices, "seed": seed}
    for each in results:
        output.text(each.in_words())
    for each in results:
        output.text(f"{_called(each)}; machine {each.machine.label_with_digest}")
        if (lines := source_table(each.lines, hot)) is not None:
            output.table(lines)
        output.table(hot_table(each.lines, hot, listing))
        output.table(_causes(each))
        if each.counters:
            output.table(memory_table([(each.program, each.counters)]))
        if each.bounds:
            output.table(_bounds(each))
        output.table(_ablations(each))
    message |= {
        "files": [file.to_dict() for file in files],
        "explanations": [each.to_dict() for each in results],
    }
    output.finish("vecsim why" if "matrices" in message else "vecsim why of a program", message)


def _called(explanation: Explanation) -> str:
    schedule = getattr(explanation, "options", {}).get("schedule", "")
    return f"{explanation.program}, {schedule}" if schedule else explanation.program


def _program(
    file: str, machine: Machine, asked: Asked, engine: str, function: str
) -> tuple[list[Explanation], tuple[InputFile, ...], dict[str, Any]]:
    """Explain a program as `vecsim exec` runs it; also return the files that it depends on, and settings."""
    from experiments.whatif.why import why_program
    from vecsim.machine.recorded import machine_files

    given = read_program_file(file, machine, asked)
    how: dict[str, Any] = {"value_bits": given.settings.pop("value_bits"), "engine": engine}
    how["function"] = function
    if function and given.riscv is None:
        raise UserError(f"--function {function}: {file} is no RISC-V program; leave it out")
    if function and given.riscv is not None:
        given.riscv.program.check_function(function)
    with Progress() as progress:
        result = why_program(given.source, None, machine, name=Path(file).name, step=progress.show, **how)
    message = {"file": file, "function": function, **given.settings, "load": given.data.loaded}
    return [result], (*machine_files(machine), *given.inputs), message


def _products(
    matrix: str | None, machine: Machine, chosen: Sequence[str], option: Sequence[str], how: Mapping[str, Any]
) -> tuple[list[Explanation], tuple[InputFile, ...], list[dict[str, Any]]]:
    """Explain products; also return the files that they depend on, and the matrix as plain data."""
    from experiments.whatif.why import why as explained
    from vecsim.data import values_as
    from vecsim.machine.recorded import machine_files

    choices = chosen_options(chosen, option)
    loaded = load_matrix(matrix)
    files = machine_files(machine)
    values, _ = values_as(loaded.csr, options.value_bytes(how["value_bits"]))
    results: list[Explanation] = []
    with Progress() as progress:
        for number, name in enumerate(chosen):

            def step(doing: str, share: float, number: int = number) -> None:
                progress.show(doing, (number + share) / len(chosen))

            results.append(explained(name, loaded, machine, options=choices[name], step=step, **how))
    files += tuple(file for each in results for file in each.files) + loaded.files
    return results, files, [replace(loaded, csr=values).to_dict()]


def _causes(results: Explanation) -> Table:
    result = table(["cycles by cause"], ["cycles", "share"], last=" ")
    named = ((label(name), cycles) for name, cycles in results.causes.items() if cycles)
    shares = ((label, cycles, cycles / results.cycles) for label, cycles in named)
    return fill(result, ((label, cycles, f"{share:.1%}", bar(share)) for label, cycles, share in shares))


def _bounds(results: Explanation) -> Table:
    result = table(["lower bound"], ["amount", "least cycles", "of all"], last="in a cycle")
    return fill(
        result,
        (
            (bound.name, bound.amount, bound.cycles, f"{bound.cycles / results.cycles:.1%}", bound.rate)
            for bound in results.bounds
        ),
    )


def _ablations(results: Explanation) -> Table:
    shown = (*results.ablations, *((results.wider,) if results.wider else ()))
    most = max(each.speedup for each in shown)
    result = table(["what would help"], ["cycles", "times as fast"], last=" ")
    rows = []
    for each in shown:
        gained = (each.speedup - 1) / (most - 1) if most > 1 and each.speedup > 1 else 0.0
        rows.append((each.name, each.cycles, f"{each.speedup:.2f}" if each.settings else None, bar(gained)))
    return fill(result, rows)
