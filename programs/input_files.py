"""The assembly texts that a program is made of, with their digests."""

from __future__ import annotations

from isa.source_files import source_files
from programs.registry import find
from vecsim.results.file_digests import InputFile, input_files


def program_files(name: str) -> tuple[InputFile, ...]:
    """Return the files of a program: its texts, one for each schedule, and what a user's own includes."""
    program = find(name)
    paths = sorted(program.folder.glob("*.s")) if program.text is None else source_files(program.text)
    return input_files(f"program {name}", paths)
