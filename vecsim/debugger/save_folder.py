"""Where a debugger may write: below one folder, which is chosen when it starts."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePath

from vecsim.results.atomic_files import write_file
from vecsim.support.errors import UserError


class SaveFolder:
    """A folder below which files are written, each as a whole.

    Raises
    ------
    UserError
        There is no such folder.
    """

    def __init__(self, folder: str = ".") -> None:
        try:
            self._root = Path(folder).resolve(strict=True)
            if not self._root.is_dir():
                raise NotADirectoryError
        except (OSError, ValueError, RuntimeError):  # RuntimeError: links that lead to themselves
            raise UserError(f"--save-folder {folder}: the folder does not exist; create it first") from None

    def write(self, name: str, content: bytes) -> None:
        """Write a file, which may be there already.

        Parameters
        ----------
        name
            Its path, from the folder on; a whole path if it leads below the folder.
        content
            Of the file.

        Raises
        ------
        UserError
            It would lie elsewhere, or is there and no regular file, or cannot be written.
        """
        write_file(self._place(name), content, name)

    def _place(self, name: str) -> Path:
        """Return where a file is written: no part of the path is a symbolic link."""
        asked = PurePath(name)
        if ".." in asked.parts or not asked.name:
            raise UserError(f"{name}: write the name of a file below {self._root}, without '..'")
        try:
            folder = (self._root / asked).parent.resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            raise UserError(f"{name}: the folder must exist below {self._root}") from None
        if not folder.is_relative_to(self._root):
            raise UserError(f"{name}: is outside {self._root}; choose another folder with --save-folder")
        path = folder / asked.name
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            return path
        except (OSError, ValueError) as error:
            raise UserError(f"{name}: {getattr(error, 'strerror', None) or error}") from None
        if not stat.S_ISREG(mode):
            raise UserError(f"{name}: is not a regular file; choose another name")
        return path
