"""The user's own folders of matrix files: what ``VECSIM_MATRICES`` names."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from vecsim.data.harwell_boeing import ASSEMBLED

MATRIX_FOLDERS = "VECSIM_MATRICES"
"""Environment variable that names folders, separated as those of ``PATH`` are."""

MATRIX_MARKET_SUFFIXES = (".mtx.gz", ".mtx")
ARCHIVE_SUFFIXES = (".tar.gz", ".tgz")

SUFFIXES = (
    *MATRIX_MARKET_SUFFIXES,
    *(suffix + packed for suffix in sorted(ASSEMBLED) for packed in ("", ".gz")),
    *ARCHIVE_SUFFIXES,
)
"""Of matrix files, in the order in which a folder is searched."""


def matrix_folders() -> list[Path]:
    """Return the folders that ``VECSIM_MATRICES`` names, whether they exist or not."""
    named = os.environ.get(MATRIX_FOLDERS, "").split(os.pathsep)
    return [Path(name).expanduser() for name in named if name]


def find_file(name: str, folders: Iterable[Path]) -> Path | None:
    """Return the first file of a matrix.

    Parameters
    ----------
    name
        ``NAME`` or ``GROUP/NAME``, without or with a suffix. Sought are, below a folder, ``NAME`` with each
        of `SUFFIXES`, and the same in its own folder (``NAME/NAME.mtx``), as archives unpack.
    folders
        Where, the first of them first. Their other sub-folders are not searched.
    """
    parts = PurePath(name).parts
    if not parts or PurePath(name).is_absolute() or ".." in parts:
        return None
    candidates = [name] if name.lower().endswith(SUFFIXES) else []
    candidates += [stem + suffix for stem in (name, f"{name}/{parts[-1]}") for suffix in SUFFIXES]
    return next(
        (
            folder / candidate
            for folder in folders
            if exists(folder)
            for candidate in candidates
            if exists(folder / candidate) and (folder / candidate).is_file()
        ),
        None,
    )


def files_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the matrices that lie in a folder itself: name and file, sorted by file.

    A folder that is not there or may not be read has none.
    """
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return
    for path in paths:
        suffix = next((suffix for suffix in SUFFIXES if path.name.lower().endswith(suffix)), None)
        if suffix is not None and path.is_file():
            yield path.name[: -len(suffix)], path


def exists(path: str | Path) -> bool:
    """Return whether a path exists; what cannot be a path does not."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        # A name too long or with a NUL in it, or below a folder that may not be searched.
        return False
