"""Matrices: from files, from published definitions, from the public collections."""

from .builtin import BUILTINS, DEFAULT_BUILTIN, Builtin, find_builtin, load_builtin
from .download import DownloadError
from .loading import NotAtHandError, load, read
from .matrix import MAX_DIMENSION, Matrix
from .precision import values_as

__all__ = [
    "BUILTINS",
    "DEFAULT_BUILTIN",
    "MAX_DIMENSION",
    "Builtin",
    "DownloadError",
    "Matrix",
    "NotAtHandError",
    "find_builtin",
    "load",
    "load_builtin",
    "read",
    "values_as",
]
