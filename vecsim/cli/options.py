"""Options that several commands share: how they are declared and read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from vecsim.cli import completion
from vecsim.cli.printing.console import warn
from vecsim.cli.printing.streams import stdout_is_closed
from vecsim.support.decimal_text import finite_number, integer
from vecsim.support.errors import UserError

if TYPE_CHECKING:
    from vecsim.machine import Machine

MATRIX_HELP = (
    "A matrix file, or a name: of a file in VECSIM_MATRICES, a built-in, or a matrix of SuiteSparse or the "
    "Matrix Market; see `vecsim list matrices`."
)
"""Of the argument MATRIX."""


def matrix_argument(before: str = "", after: str = "", metavar: str = "MATRIX") -> Any:
    """Declare an argument that names a matrix.

    Parameters
    ----------
    before, after
        What the help says next to `MATRIX_HELP`, with the space between.
    metavar
        Its name in the help.
    """
    shown = f"{before}{MATRIX_HELP}{after}"
    return typer.Argument(metavar=metavar, help=shown, autocompletion=completion.matrices)


def finite(option: str) -> Callable[[str | float], float]:
    """Return what reads an option that takes a real number: finite, at least 0, rounded once."""

    def number(text: str | float) -> float:
        try:
            return finite_number(str(text))
        except ValueError as error:
            raise UserError(f"{option}: {error}") from None

    number.__name__ = "float"  # what the help shows
    return number


def _checked_target(context: typer.Context, target: str | None) -> str | None:
    """Refuse an option in the place of the file that ``--json`` needs, but not while a shell completes."""
    if target is not None and target.startswith("--") and not context.resilient_parsing:
        raise UserError(f"--json needs a file, or - for stdout; {target} is an option")
    if target == "-" and stdout_is_closed():
        raise UserError("--json -: stdout is closed; name a file")
    return target


JsonOption = Annotated[
    str | None,
    typer.Option(
        "--json",
        metavar="FILE|-",
        callback=_checked_target,
        help="Write the results as JSON to a file, or to stdout (everything else then goes to stderr).",
    ),
]
MachineOption = Annotated[
    str,
    typer.Option(
        "--machine",
        metavar="PRESET|FILE.toml",
        help="The machine; see `vecsim machine list`.",
        autocompletion=completion.presets,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Change a number of the machine, such as banks=32. Repeatable."
    ),
]
ExtendOption = Annotated[
    list[str] | None,
    typer.Option(
        "--extend",
        metavar="FILE.py|NAME",
        help="Extend the machine by a file of timing rules, or by an extension that comes with vecsim "
        "(docs/extending-time.md). Repeatable.",
        autocompletion=completion.extensions,
    ),
]
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="The engine: jit (compiled) or simpy (the reference); both give the same results.",
        autocompletion=completion.engines,
    ),
]
ProgramOption = Annotated[
    list[str] | None,
    typer.Option(
        "--program",
        metavar="NAME,...",
        help="Programs to run, such as hism,crs, your file FILE.s or your format FILE.py; default all. "
        "Repeatable.",
        autocompletion=completion.programs,
    ),
]
FormatOption = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        metavar="FILE.py",
        help="Also run your own format, next to the programs of --program (docs/tutorial/own-format.md). "
        "Repeatable.",
    ),
]
HotOption = Annotated[
    int | None,
    typer.Option("--hot", min=1, metavar="N", help="Show the N instructions with the most cycles."),
]
ListingOption = Annotated[
    bool,
    typer.Option("--listing", help="Show all executed instructions, in the order of the program."),
]
LikeOption = Annotated[
    str | None,
    typer.Option(
        "--like",
        metavar="NAME",
        help="The program whose format, symbols and options your file uses.",
        autocompletion=completion.programs,
    ),
]
ChoiceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="An option of all programs with it, or PROGRAM.NAME=VALUE of one; see `vecsim list "
        "programs`. Repeatable.",
    ),
]
AutoEngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="The engine: jit (compiled), simpy (the reference), or auto, which is simpy "
        "while jit is compiled for its first use; all give the same results.",
        autocompletion=completion.engines_or_auto,
    ),
]
ValueBitsOption = Annotated[
    int, typer.Option("--value-bits", metavar="32|64", help="Bits of a matrix value, 32 or 64.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of x, uniform in 0 to 1.")]
JitterOption = Annotated[
    int,
    typer.Option(
        "--jitter",
        metavar="N",
        min=0,
        help="Repeat each product with N other placements of its arrays; show the least and most cycles.",
    ),
]
MaxCyclesOption = Annotated[
    int | None,
    typer.Option("--max-cycles", min=1, help="Cycles after which a program counts as an infinite loop."),
]
MemoryOption = Annotated[
    str,
    typer.Option("--memory", metavar="BYTES", help="Simulated memory of FILE.s, all zero: 4096, 64K, 1M."),
]
IsaOption = Annotated[
    str | None,
    typer.Option(
        "--isa",
        metavar="rv64gcv[_xhism]",
        help="The text is RISC-V with vectors, and custom extensions; an ELF file says so itself.",
    ),
]
ArgumentOption = Annotated[
    list[str] | None,
    typer.Option("--argument", metavar="TEXT", help="Give main of a RISC-V program an argument. Repeatable."),
]
FunctionOption = Annotated[
    str,
    typer.Option(
        "--function",
        metavar="NAME",
        help="Count only cycles attributed to the instructions of this function of a RISC-V program.",
    ),
]
ShowOption = Annotated[
    list[str] | None,
    typer.Option(
        "--show",
        metavar="PLACE:COUNT[:TYPE]",
        help="Memory to show, as --dump of `vecsim exec`; default for a product the first "
        "elements of y. Repeatable.",
    ),
]
ExercisesOption = Annotated[
    str, typer.Option("--exercises", metavar="DIR", help="A folder of your exercises, in addition.")
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", min=1, help="Number of processes; default one for each processor.")
]
OutOption = Annotated[str, typer.Option("--out", metavar="DIR", help="Folder for the report.")]
DefineOption = Annotated[
    list[str] | None,
    typer.Option("--define", metavar="NAME=VALUE", help="Define a symbol of the program. Repeatable."),
]
LoadOption = Annotated[
    list[str] | None,
    typer.Option(
        "--load",
        metavar="PLACE[:WHAT]=FILE.npy|FILE.mtx",
        help="Put an array into memory before the run. WHAT is rowptr, colidx or values of a sparse matrix, "
        "or a type of --dump. Repeatable.",
    ),
]

SHOWN = 4
"""Numbers that a warning names; of more it gives the count."""


def chosen_machine(
    preset_or_file: str, changes: Sequence[str] | None, extend: Sequence[str] | None = None
) -> Machine:
    """Read ``--machine``, ``--set`` and ``--extend``; warn of numbers that a file leaves out unsaid."""
    from vecsim.machine import load_machine

    machine = load_machine(preset_or_file, changes or (), extend or ())
    origin = machine.origin
    if origin.taken and not origin.base_stated:
        numbers = ", ".join(origin.taken) if len(origin.taken) <= SHOWN else f"{len(origin.taken)} numbers"
        warn(
            f"{preset_or_file}: does not state {numbers}: taken from {machine.based_on}; "
            f'based_on = "{machine.based_on}" in the file would say so'
        )
    return machine


def value_bytes(bits: int) -> Literal[4, 8]:
    """Read ``--value-bits``."""
    if bits == 32:
        return 4
    if bits == 64:
        return 8
    raise UserError(f"--value-bits {bits}: a matrix value must have 32 or 64 bits")


def byte_count(text: str) -> int:
    """Read ``--memory``: a number of bytes, or of K, M or G of them."""
    from vecsim.data import memory_files

    return memory_files.byte_count("--memory", text)


def definitions(texts: Iterable[str] | None) -> dict[str, int]:
    """Read ``--define``: names and integers; a later one counts."""
    result = {}
    for text in texts or ():
        name, value = split_assignment("--define", text)
        number = integer(value)
        if number is None:
            raise UserError(f"--define {text}: {value!r} is not an integer; use a whole number")
        result[name] = number
    return result


def split_assignment(option: str, text: str) -> tuple[str, str]:
    """Split NAME=VALUE."""
    name, separator, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not (separator and name and value):
        raise UserError(f"{option} {text}: write it as NAME=VALUE")
    return name, value
