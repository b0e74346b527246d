"""The bytes of a matrix file, unpacked where it is gzipped."""

import gzip
import zlib
from pathlib import Path

from vecsim.errors import UserError

GZIP_MAGIC = b"\x1f\x8b"


def read_bytes(path: Path, source: str | None = None) -> bytes:
    """Return the contents of a file, unpacked if it is gzipped, whatever its suffix.

    Parameters
    ----------
    path
        The file.
    source
        What messages call it; its path without it.

    Raises
    ------
    UserError
        If there is no such file, it cannot be read, is empty or its compression is damaged.
    """
    source = str(path) if source is None else source
    try:
        data = path.read_bytes()
        if data.startswith(GZIP_MAGIC):
            data = gzip.decompress(data)
    except FileNotFoundError:
        raise UserError(f"{source}: no such file") from None
    except IsADirectoryError:
        raise UserError(f"{source}: is a directory, a matrix file is needed") from None
    except EOFError:
        raise UserError(f"{source}: the gzip file ends too early: it was cut off, fetch it again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise UserError(f"{source}: the gzip file is damaged ({error}): fetch it again") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{source}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not data.strip():
        raise UserError(f"{source}: the file is empty, a matrix was expected")
    return data
