"""Matrices: from files, from published definitions, from the public collections."""

from vecsim.data.builtin import BUILTINS, DEFAULT_BUILTIN, Builtin, find_builtin, load_builtin
from vecsim.data.conversion import MatrixLike, as_matrix
from vecsim.data.download import DownloadError
from vecsim.data.loading import NotFoundLocallyError, load, read
from vecsim.data.matrix import MAX_DIMENSION, Matrix
from vecsim.data.precision import value_bytes, values_as

__all__ = [
    "BUILTINS",
    "DEFAULT_BUILTIN",
    "MAX_DIMENSION",
    "Builtin",
    "DownloadError",
    "Matrix",
    "MatrixLike",
    "NotFoundLocallyError",
    "as_matrix",
    "find_builtin",
    "load",
    "load_builtin",
    "read",
    "value_bytes",
    "values_as",
]
