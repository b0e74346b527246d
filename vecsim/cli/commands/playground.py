"""``vecsim playground``: vecsim as a page that any web server can serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vecsim.support.suggestions import counted


def playground(
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="The folder that is written.")],
) -> None:
    """Write vecsim as a web page into a folder: an editor, the machine and the exercises, without a server.

    It takes packages of npm and PyPI, Node.js from version 20 on, and LLVM's wasm-ld.
    """
    from vecsim.playground.build import build

    built = build(Path(out), lambda line: typer.echo(f"{line} ...", err=True))
    typer.echo(
        f"{out}: {counted(built.files, 'file')}, {built.bytes / 1e6:.1f} MB. Serve the folder with any web "
        f"server: python -m http.server --directory {out}"
    )
