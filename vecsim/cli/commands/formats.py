"""``vecsim formats``: how many bytes a matrix takes in each format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from vecsim.cli import completion
from vecsim.cli.options import JsonOption, ValueBitsOption, matrix_argument, value_bytes
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.output import Output
from vecsim.cli.products import load_matrix, matrix_values
from vecsim.support.progress import Progress
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from vecsim.formats import NamedFormat

BASELINE = "crs"
"""The format that the others are compared with."""


def formats(
    matrix: Annotated[str, matrix_argument()],
    format: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="NAME",
            autocompletion=completion.formats,
            help="Formats to show, or FILE.py for yours; default all, see `vecsim list formats`. Repeatable.",
        ),
    ] = None,
    section_size: Annotated[
        int, typer.Option("--section-size", help="Elements of a vector register: a power of two, 4 to 4096.")
    ] = 64,
    value_bits: ValueBitsOption = 32,
    json: JsonOption = None,
) -> None:
    """Show the storage of a matrix in each format, as the paper counts it and as it is in memory.

    The first conversion into a format compiles its loops, which takes up to 20 seconds, a minute for all.
    """
    from gpu.format_registry import FORMATS, find
    from programs.user_format import is_format_file
    from vecsim.formats import section_bits

    width = value_bytes(value_bits)
    section_bits(section_size)  # refuses what no machine has, before the matrix is read
    chosen = (
        list(dict.fromkeys(name if is_format_file(name) else find(name).name for name in format))
        if format
        else list(FORMATS)
    )
    output = Output(json, inputs=[matrix, *filter(is_format_file, format or ())])
    loaded = load_matrix(matrix)
    values = matrix_values(loaded, width)
    wanted = list(dict.fromkeys([BASELINE, *chosen]))
    facts = {}
    with Progress() as work:
        for number, name in enumerate(wanted):
            work.show(name, number / len(wanted))
            if name in FORMATS:
                facts[name] = _facts(FORMATS[name], values, section_size)
            else:
                facts[name] = _user_facts(name, values, section_size, width)
    _compare(facts, int(values.nnz))
    shown = {name: facts[name] for name in chosen}
    rows, columns = loaded.csr.shape
    output.text(
        f"{loaded.name}: {rows:,} x {columns:,}, {values.nnz:,} non-zeros; "
        f"section size {section_size}; {value_bits}-bit values"
    )
    _show_storage(output, shown)
    _show_structure(output, shown)
    output.finish(
        "vecsim formats",
        {
            "matrix": replace(loaded, csr=values).to_dict(),
            "section_size": section_size,
            "value_bits": value_bits,
            "formats": shown,
        },
    )


def _facts(format: NamedFormat, values: Any, section_size: int) -> dict[str, Any]:
    """Convert a matrix, and return the bytes under every accounting and what else is counted of it."""
    from vecsim.formats import NotRepresentableError

    facts = described(format)
    try:
        result = format.from_scipy(values, section_size=section_size)
    except NotRepresentableError as error:
        return {**facts, "bytes": {}, "refused": error.reason}
    return {
        **facts,
        "bytes": {accounting: result.storage(accounting) for accounting in result.accountings},
        **result.structure(),
    }


def _user_facts(name: str, values: Any, section_size: int, width: Literal[4, 8]) -> dict[str, Any]:
    """Return the bytes of a user-defined format with the defaults of its parameters."""
    from programs.loading import layout_for
    from programs.registry import find
    from vecsim.formats.storage import IMAGE
    from vecsim.machine import load_machine

    program = find(name)
    symbols = program.symbols(program.choose({}))
    machine = load_machine("vs2003", {"section_size": section_size})
    image = program.load(values, machine, layout_for(width), symbols)
    return {
        "summary": program.summary,
        "source": name,
        "aliases": (),
        "image": True,
        "insertion": False,
        "for_gpu": False,
        "historical": False,
        "bytes": {IMAGE: image.storage_bytes},
    }


def described(format: NamedFormat) -> dict[str, Any]:
    """Return what the registry says of a format, for a JSON object."""
    return {
        "summary": format.summary,
        "source": format.source,
        "aliases": format.aliases,
        "image": format.has_image,
        "insertion": format.takes_insertion,
        "for_gpu": format.for_gpu,
        "historical": format.historical,
    }


def _compare(facts: Mapping[str, dict[str, Any]], nnz: int) -> None:
    """Add bytes by non-zeros, and by those of CRS: a matrix that can be loaded has one at least."""
    baseline = facts[BASELINE]["bytes"]
    for fact in facts.values():
        counted = fact["bytes"].items()
        fact["bytes_per_nonzero"] = {accounting: count / nnz for accounting, count in counted}
        fact["bytes_over_crs"] = {accounting: count / baseline[accounting] for accounting, count in counted}


def _show_storage(output: Output, facts: Mapping[str, dict[str, Any]]) -> None:
    """Show a table for each accounting; what a format is stands in the one that all of them know."""
    from vecsim.formats import ACCOUNTINGS
    from vecsim.formats.storage import IMAGE

    for accounting in ACCOUNTINGS:
        right = [f"bytes\n({accounting})", "per\nnon-zero", "vs\nCRS"]
        every = accounting == IMAGE
        rows = [
            [name, *_numbers(fact, accounting), *([_what(fact)] if every else [])]
            for name, fact in facts.items()
            if every or accounting in fact["bytes"]
        ]
        if rows:
            output.table(fill(table(["format"], right, last="what it is" if every else ""), rows))


def _numbers(fact: Mapping[str, Any], accounting: str) -> Sequence[object]:
    if accounting not in fact["bytes"]:
        return None, None, None
    per, over = fact["bytes_per_nonzero"][accounting], fact["bytes_over_crs"][accounting]
    return fact["bytes"][accounting], f"{per:.2f}", f"{over:.3f}"


def _what(fact: Mapping[str, Any]) -> str:
    return f"refused: {fact['refused']}" if "refused" in fact else str(fact["summary"])


def _show_structure(output: Output, facts: Mapping[str, dict[str, Any]]) -> None:
    """Print block columns, block arrays and nodes of the formats that have them."""
    for name, fact in facts.items():
        if "block_columns" in fact:
            output.text(
                f"{name}: {counted(fact['block_columns'], 'block column')}, "
                f"{counted(fact['entries'], 'entry')}, "
                f"{fact['zero_row_entries']:,} of them for empty rows"
            )
        if "node_size" in fact:
            _show_nodes(output, name, fact)
            continue
        levels = zip(fact.get("level_arrays", ()), fact.get("level_entries", ()), strict=True)
        for level, (arrays, entries) in enumerate(levels):
            output.text(
                f"{name}: level {level}: {counted(arrays, 'block array')}, {entries:,} "
                f"{'pointers' if level else 'non-zeros'}, {entries / arrays:.1f} an array"
            )


def _show_nodes(output: Output, name: str, fact: Mapping[str, Any]) -> None:
    """Print how many nodes each level of a tree has, how many of them are dense, and what they hold."""
    levels = zip(fact["level_arrays"], fact["level_dense_arrays"], fact["level_entries"], strict=True)
    for level, (nodes, dense, entries) in enumerate(levels):
        output.text(
            f"{name}: level {level}: {counted(nodes, 'node')}, {dense:,} of them dense, {entries:,} "
            f"{'references' if level else 'non-zeros'}" + (f", {entries / nodes:.1f} a node" if nodes else "")
        )
