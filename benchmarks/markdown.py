"""Tables in Markdown, and files in which a command replaces those between two marker comments."""

from collections.abc import Iterable
from pathlib import Path

from vecsim.atomic_files import write_file
from vecsim.errors import UserError


def markers(name: str) -> tuple[str, str]:
    """Give the comments between which a command writes."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def replace_between(file: Path, name: str, text: str) -> None:
    """Replace what stands between the markers of this name.

    Raises
    ------
    UserError
        If the file has no such markers.
    """
    begins, ends = markers(name)
    before, begin, rest = file.read_text(encoding="utf-8").partition(begins)
    _, end, after = rest.partition(ends)
    if not (begin and end):
        raise UserError(f"{file}: has no lines {begins} and {ends}")
    write_file(file, f"{before}{begin}\n\n{text}\n{end}{after}".encode())


def table(names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Give a table with these columns."""
    head = list(names)
    lines = [head, ["---"] * len(head), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
