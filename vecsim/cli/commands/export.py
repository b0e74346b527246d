"""``vecsim export``: a result as a folder or a file that a paper can cite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vecsim.cli.printing.output import Output, OutputFile
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

ZIP = ".zip"
"""Of the name of an archive that is one file."""


def export(
    result: Annotated[
        str,
        typer.Argument(
            metavar="RESULT",
            help="A folder of `vecsim sweep`, or a JSON file of `vecsim run`, `exec` or `why`.",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Argument(metavar="FILE.zip|DIR", help="Where to; default RESULT.zip with --archive."),
    ] = None,
    archive: Annotated[
        bool, typer.Option("--archive", help="Write one ZIP file; without it, a folder.")
    ] = False,
    author: Annotated[
        list[str] | None,
        typer.Option("--author", metavar="NAME", help="Who made the result, for its citation. Repeatable."),
    ] = None,
) -> None:
    """Export a result for a paper: specification, table, figures, digests of all inputs, and a citation.

    `vecsim rerun` verifies it on another machine.
    """
    from experiments.report.folder import SUFFIXES, check_folder
    from experiments.whatif.archive import archive_files
    from vecsim.results.archives import zipped
    from vecsim.results.result_folder import write_folder

    if target is None and not archive:
        raise UserError(f"{result}: name a folder to write, or add --archive for {_zip_of(result)}")
    place = target or _zip_of(result)
    inputs = [result] if Path(result).is_file() else []
    output = Output(None, inputs=inputs)
    if archive:
        file = OutputFile(place, "--archive")
        files = archive_files(Path(result), author or ())
        file.write(zipped(files))
    else:
        if Path(place).resolve() == Path(result).resolve():
            raise UserError(f"{place}: is the result itself; name another folder")
        folder = check_folder(place, (*SUFFIXES, ".json", ".toml", ".txt", ".cff", "SHA256SUMS"))
        files = archive_files(Path(result), author or ())
        write_folder(folder, files)
    output.text(f"{counted(len(files), 'file')} in {place}; `vecsim rerun {place}` verifies them")
    if not author:
        output.text("CITATION.txt and CITATION.cff have no names; --author NAME adds one")


def _zip_of(result: str) -> str:
    return str(Path(result).resolve().with_suffix("").name) + ZIP
