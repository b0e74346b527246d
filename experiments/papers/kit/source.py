"""Results of a paper that a GPU measures: read from a file, measured here, or those of the package."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from experiments.papers.kit.recorded import has_gpu, newest
from experiments.papers.kit.request import Request, Watch
from experiments.report.folder import write
from vecsim.support.errors import UserError
from vecsim.support.input_files import RESULTS, read_text

T = TypeVar("T")


def read_results(path: str | os.PathLike[str], type_: type[T], kind: str) -> T:
    """Read a file of results.

    Parameters
    ----------
    path
        The file.
    type_
        The dataclass of the results.
    kind
        What such files say they are: the command that makes them.

    Raises
    ------
    UserError
        In one line: the file cannot be read, or is no file of results, naming the first wrong field.
    """
    text = read_text(path, RESULTS)
    try:
        return TypeAdapter(type_).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise UserError(f"{path}: is no file of `{kind}`: {where}: {first['msg'].lower()}") from None


def found_results(
    request: Request,
    kind: str,
    recorded: Path,
    read: Callable[[str | os.PathLike[str]], T],
    measure: Callable[[Watch], T],
    to_json: Callable[[T], bytes],
) -> T | None:
    """Give the results that a request is to show; None if there are none to be had.

    Those of the file that was given; else what the GPU of this machine measures, which is written to the
    folder of the report; else those that come with the package, the newest.

    Parameters
    ----------
    request
        What is asked for.
    kind
        What files of the results say they are, the last word naming the paper.
    recorded
        The folder of those that come with the package.
    read, measure, to_json
        Of the paper: read a file, measure on a GPU, write a file.

    Raises
    ------
    UserError
        A file cannot be read, is no file of results, or cannot be written.
    """
    given = request.recorded.get(kind)
    if given is not None:
        return read(given)
    if has_gpu():
        found = measure(request.watch)
        if request.folder is not None:
            write({f"{kind.split()[-1]}-results.json": to_json(found)}, str(request.folder))
        return found
    file = newest(recorded)
    return None if file is None else read(file)
