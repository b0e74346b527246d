"""``vecsim formats``: how many bytes a matrix takes in each format."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import completion
from vecsim.cli.console import fill, table
from vecsim.cli.options import MATRIX_HELP, JsonOption, ValueBitsOption, value_bytes

if TYPE_CHECKING:
    from vecsim.cli.output import Output


def formats(
    matrix: Annotated[
        str, typer.Argument(metavar="MATRIX", help=MATRIX_HELP, autocompletion=completion.matrices)
    ],
    section_size: Annotated[
        int, typer.Option("--section-size", help="Elements of a vector register: a power of two, 4 to 4096.")
    ] = 64,
    value_bits: ValueBitsOption = 32,
    json: JsonOption = None,
) -> None:
    """Show the storage of a matrix in each format, as the paper counts and as it lies in memory."""
    from vecsim.cli.output import Output
    from vecsim.cli.run import load_matrix, matrix_values
    from vecsim.formats import BBCS, CRS, JD, HiSM, section_bits

    width = value_bytes(value_bits)
    section_bits(section_size)  # refuses what no machine has, before the matrix is read
    output = Output(json, inputs=[matrix])
    loaded = load_matrix(matrix)
    values = matrix_values(loaded, width)
    made = {
        "crs": CRS.from_scipy(values),
        "jd": JD.from_scipy(values),
        "bbcs": BBCS.from_scipy(values, section_size=section_size),
        "hism": HiSM.from_scipy(values, section_size=section_size),
    }
    rows, columns = loaded.csr.shape
    facts = {name: _facts(form) for name, form in made.items()}
    output.text(
        f"{loaded.name}: {rows:,} x {columns:,}, {values.nnz:,} non-zeros; "
        f"section size {section_size}; {value_bits}-bit values"
    )
    _show_storage(output, facts, values.nnz)
    _show_structure(output, made["bbcs"], made["hism"])
    output.finish(
        "vecsim formats",
        {
            "matrix": replace(loaded, csr=values).to_dict(),
            "section_size": section_size,
            "value_bits": value_bits,
            "formats": facts,
        },
    )


def _facts(form: Any) -> dict[str, Any]:
    """Give the bytes under every accounting, and what else a format knows of itself."""
    from vecsim.formats import ACCOUNTINGS, BBCS, JD, HiSM

    facts: dict[str, Any] = {"bytes": {accounting: form.storage(accounting) for accounting in ACCOUNTINGS}}
    if isinstance(form, JD):
        facts |= {"diagonals": form.diagonals}
    elif isinstance(form, BBCS):
        facts |= {
            "block_columns": form.blocks,
            "entries": form.entries,
            "zero_row_entries": form.zero_row_entries,
        }
    elif isinstance(form, HiSM):
        facts |= {"level_arrays": form.level_arrays, "level_entries": form.level_entries}
    return facts


def _show_storage(output: Output, facts: dict[str, dict[str, Any]], nnz: int) -> None:
    from vecsim.formats import ACCOUNTINGS

    right = []
    for accounting in ACCOUNTINGS:
        right += [f"bytes\n({accounting})", "per\nnon-zero", "vs\nCRS"]
    rows = []
    for name, fact in facts.items():
        row: list[object] = [name]
        for accounting in ACCOUNTINGS:
            count, crs = fact["bytes"][accounting], facts["crs"]["bytes"][accounting]
            row += [count, f"{count / nnz:.2f}", f"{count / crs:.3f}"]
        rows.append(row)
    output.table(fill(table(["format"], right), rows))


def _show_structure(output: Output, bbcs: Any, hism: Any) -> None:
    output.text(
        f"bbcs: {bbcs.blocks:,} block columns, {bbcs.entries:,} entries, "
        f"{bbcs.zero_row_entries:,} of them for empty rows"
    )
    for level, (arrays, entries) in enumerate(zip(hism.level_arrays, hism.level_entries, strict=True)):
        output.text(
            f"hism: level {level}: {arrays:,} block arrays, {entries:,} "
            f"{'pointers' if level else 'non-zeros'}, {entries / arrays:.1f} an array"
        )
