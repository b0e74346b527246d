"""``vecsim exec`` of a RISC-V program: an ELF file, or text with ``--isa rv64gcv``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vecsim.cli.printing.execution import counters_document, show_counters, show_pieces, show_timeline
from vecsim.cli.printing.hot import hot_table
from vecsim.support.errors import UserError
from vecsim.support.input_files import ELF_FILE, read_input
from vecsim.support.progress import Measure, Progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isa.program import Program
    from isa.riscv.program import RiscvProgram
    from vecsim.cli.data_files import DataFiles
    from vecsim.cli.printing.output import Output
    from vecsim.engines.first_use import Watch
    from vecsim.engines.result import Run
    from vecsim.machine import Machine
    from vecsim.riscv.execution import Execution

ISA = "rv64gcv"
ELF_MAGIC = b"\x7fELF"


def is_riscv(file: str, isa: str | None) -> bool:
    """Return whether a file is a RISC-V program: an ELF file, or text that ``--isa`` says is one.

    One that cannot be read is none: what reads programs says why.

    Raises
    ------
    UserError
        There is no such instruction set.
    """
    if isa is not None:
        extensions_of(isa)
    return isa is not None or _is_elf(file)


def extensions_of(isa: str) -> frozenset[str]:
    """Return the custom extensions of an architecture string.

    Raises
    ------
    UserError
        There is no such instruction set.
    """
    from isa.riscv.extensions import custom_extensions

    try:
        return custom_extensions(isa)
    except ValueError as error:
        raise UserError(f"--isa {isa}: unknown instruction set; {error}") from None


def _is_elf(file: str) -> bool:
    try:
        return read_input(file, ELF_FILE)[: len(ELF_MAGIC)] == ELF_MAGIC
    except UserError:
        return False


def read_riscv(file: str, symbols: Mapping[str, int], isa: str | None) -> RiscvProgram:
    """Read an ELF file or assemble a text.

    Parameters
    ----------
    file
        Its name.
    symbols
        What ``--define`` gives to a text.
    isa
        The architecture string, which adds to the extensions that an ELF file names.

    Raises
    ------
    UserError
        It cannot be read or assembled, or symbols are given to an ELF file.
    """
    from isa.riscv.assembler import assemble_file
    from vecsim.riscv.elf import read_elf

    extensions = frozenset[str]() if isa is None else extensions_of(isa)
    if not _is_elf(file):
        return assemble_file(file, symbols=symbols, extensions=extensions)
    if symbols:
        raise UserError(f"--define {next(iter(symbols))}: {file} is linked; only texts take symbols")
    program = read_elf(file)
    return replace(program, extensions=program.extensions | extensions)


@dataclass(frozen=True)
class RiscvOptions:
    """What the user asked for.

    Attributes
    ----------
    memory_bytes
        Of simulated memory.
    engine, max_cycles, rows
        As ``vecsim exec`` takes them; ``rows`` is 0 without a timeline.
    hot, listing
        What is shown of each instruction.
    value_bits
        Of a floating-point value in messages.
    isa
        The architecture string, if any was given.
    """

    memory_bytes: int
    engine: str
    max_cycles: int
    rows: int
    hot: int | None
    listing: bool
    value_bits: int
    isa: str | None


def prepared(program: RiscvProgram, machine: Machine, asked: RiscvOptions) -> tuple[Execution, Program]:
    """Return a program in memory, and that as options name it: symbols by their distance from its start.

    Raises
    ------
    UserError
        It does not fit.
    """
    import numpy as np

    from isa.instructions import BASE
    from isa.program import Program
    from vecsim.riscv.timing.program import recorded_execution

    execution = recorded_execution(program, machine.riscv, memory_bytes=asked.memory_bytes)
    begin = execution.base
    symbols = {
        name: each.address - begin
        for name, each in program.symbols.items()
        if 0 <= each.address - begin < asked.memory_bytes
    }
    return execution, Program(np.zeros(0, np.uint32), symbols, (), (), BASE)


def execute_riscv(
    output: Output,
    file: str,
    execution: Execution,
    machine: Machine,
    asked: RiscvOptions,
    files: DataFiles,
    dumps: list[Any],
) -> tuple[dict[str, Any], bool]:
    """Run a program, time it, and show what became of it.

    Parameters
    ----------
    output
        Where to show it.
    file
        The name of the program.
    execution
        The program in memory, with what is loaded.
    machine
        On what it is timed.
    asked
        What the user asked for.
    files, dumps
        What is saved, compared and shown of memory.

    Returns
    -------
    document
        The results as plain data.
    right
        Whether memory is as expected.
    """
    from isa.riscv.extensions import isa_text
    from vecsim.engines.first_use import chosen_engine
    from vecsim.engines.running import run
    from vecsim.engines.timeline import TimelineRequest
    from vecsim.riscv.timing.program import record

    # More instructions than issue_width in each cycle do not fit into the cycles that a run may take.
    timed = record(execution, asked.max_cycles * machine.issue_width)
    described = timed.machine(machine)

    def simulated(engine: str, watch: Watch | None) -> Run:
        wanted = TimelineRequest(last_age=asked.rows) if asked.rows else None
        how: dict[str, Any] = {"timeline": wanted, "max_cycles": asked.max_cycles, "progress": watch}
        return run(timed.program, timed.memory, described, engine=engine, **how)

    chosen = chosen_engine(asked.engine, described, cycle_by_cycle=False)
    with chosen as choice, Progress(Measure.CYCLES) as progress:
        result = choice.run(simulated, progress.simulating(file, 0, 1))
    written = timed.result.output.decode("utf-8", "replace")
    riscv = {
        "vlen": machine.riscv.vlen,
        "dlen": machine.riscv.group_bits,
        "instructions": timed.result.instructions,
        "exit_code": timed.result.exit_code,
        "output": written,
    }
    output.text(
        f"{file}: {isa_text(execution.program.extensions)}, VLEN {machine.riscv.vlen}, "
        f"DLEN {machine.riscv.group_bits}: {timed.result.instructions} instructions, "
        f"exit code {timed.result.exit_code}"
    )
    if written:
        output.text(written.rstrip("\n"))
    show_counters(output, file, result, choice.name, asked.value_bits)
    document = {"riscv": riscv, **counters_document(file, choice.name, timed.program, result)}
    if asked.hot is not None or asked.listing:
        output.table(hot_table(result.lines, asked.hot, asked.listing))
        document["lines"] = [asdict(line) for line in result.lines]
    memory = execution.hart.memory
    if dumps:
        document["memory"] = show_pieces(output, dumps, memory)
    files.save(output, memory, document)
    if asked.rows:
        document |= show_timeline(output, timed.program, result)
    return document, files.compare(output, memory, document)


def inputs_of(file: str, program: RiscvProgram) -> list[Path]:
    """Return the files that a program was read from."""
    folder = Path(file).parent
    return [Path(file), *(folder / name for name in program.inputs if folder / name != Path(file))]
