"""Matrices from files and from published definitions."""

from .builtin import BUILTINS, DEFAULT_BUILTIN, Builtin, find_builtin, load_builtin
from .loading import load, read
from .matrix import MAX_DIMENSION, Matrix
from .precision import values_as

__all__ = [
    "BUILTINS",
    "DEFAULT_BUILTIN",
    "MAX_DIMENSION",
    "Builtin",
    "Matrix",
    "find_builtin",
    "load",
    "load_builtin",
    "read",
    "values_as",
]
