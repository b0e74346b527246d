"""Archives of matrix files, as the SuiteSparse collection gives them out: NAME.tar.gz with NAME/NAME.mtx."""

import io
import tarfile
from pathlib import PurePosixPath

from vecsim.data.harwell_boeing import SUFFIXES as HARWELL_BOEING_SUFFIXES
from vecsim.errors import UserError

_MAGIC = slice(257, 262)
_BLOCK = 512


def is_archive(data: bytes) -> bool:
    """Say whether unpacked bytes are a tar archive."""
    return len(data) >= _BLOCK and data[_MAGIC] == b"ustar"


def matrix_in(source: str, data: bytes) -> tuple[str, bytes]:
    """Take the matrix out of a tar archive.

    An archive may hold right-hand sides and coordinates too (NAME_b.mtx, NAME_coord.mtx): the matrix is the
    file that is named like its folder, else the only matrix file there is.

    Parameters
    ----------
    source
        Where the archive comes from, for messages.
    data
        The archive, its compression already undone.

    Returns
    -------
    name, data
        The name of the file, without folders, and its contents.

    Raises
    ------
    UserError
        If the archive is damaged, or does not hold exactly one such file.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            members = [member for member in archive if member.isfile() and _is_matrix(member.name)]
            own = [member for member in members if _is_named_like_its_folder(member.name)]
            chosen = own or members
            if len(chosen) == 1:
                file = archive.extractfile(chosen[0])
                assert file is not None  # of a regular file
                return PurePosixPath(chosen[0].name).name, file.read()
    except (tarfile.TarError, EOFError) as error:
        raise UserError(f"{source}: the archive is damaged ({error}): fetch it again") from None
    held = ", ".join(member.name for member in members) or "none"
    raise UserError(f"{source}: the archive must hold one matrix file (.mtx, .rb, ...); it holds {held}")


def _is_matrix(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in {".mtx", *HARWELL_BOEING_SUFFIXES}


def _is_named_like_its_folder(name: str) -> bool:
    path = PurePosixPath(name)
    return path.stem == path.parent.name
