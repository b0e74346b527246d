"""Arrays of files and pieces of simulated memory: put in before a run, compared with it after.

``PLACE`` is an address or a symbol of the program. Memory has elements of a type: ``word`` (int32),
``float``, ``double`` or ``byte``. Whole numbers of a file become words, real numbers become matrix values, of
4 or 8 bytes, unless a type is named.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.program import Program
from vecsim.data.limits import large_file
from vecsim.data.loading import read
from vecsim.data.source_bytes import GZIP_MAGIC
from vecsim.results.file_digests import InputFile
from vecsim.support.decimal_text import integer
from vecsim.support.errors import UserError
from vecsim.support.input_files import read_input
from vecsim.support.memory_types import TYPES
from vecsim.support.number_conversion import KINDS, to_floats, to_integers
from vecsim.support.suggestions import amount, nearest, shown

MEMORY_LIMITS = (16, 2**31)
"""Fewest and most bytes of simulated memory."""
_BYTES = re.compile(r"([0-9]{1,12})([kKmMgG]?)")
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}


def byte_count(where: str, text: str) -> int:
    """Read the size of memory: a number of bytes, or of K, M or G of them.

    Parameters
    ----------
    where
        What messages call it.
    text
        The number.

    Raises
    ------
    UserError
        It is none, or not in `MEMORY_LIMITS`.
    """
    match = _BYTES.fullmatch(text)
    if match is None:
        raise UserError(f"{where} {text}: write a number of bytes, such as 4096, 64K or 1M")
    count = int(match[1]) * _UNITS[match[2].lower()]
    low, high = MEMORY_LIMITS
    if not low <= count <= high:
        raise UserError(f"{where} {text}: must be from {low} to {high} bytes")
    return count


def address_of(text: str, program: Program, asked: str) -> int:
    """Read a place in memory: a number or a symbol of the program.

    Parameters
    ----------
    text
        Of the place.
    program
        Whose symbols may be named.
    asked
        What messages begin with: the option and its value.

    Raises
    ------
    UserError
        There is no such symbol.
    """
    try:
        return int(text, 0)
    except ValueError:
        if text not in program.symbols:
            raise UserError(f"{asked}: unknown symbol {text!r}{nearest(text, program.symbols)}") from None
    return program.symbols[text]


CRS_ARRAYS = ("rowptr", "colidx", "values")
"""What may be taken of a sparse matrix: its arrays in compressed row storage."""
ZIP = b"PK"
"""What a file of several arrays (.npz) begins with."""
SUFFIXES = (".npy", ".mtx", ".mtx.gz")
TOLERANCE = 1e-5
"""How far a real number may be off if the user does not say: as the products of matrices may."""


@dataclass(frozen=True)
class Piece:
    """A piece of memory to show.

    Attributes
    ----------
    name
        What it is called: its place, as the user wrote it.
    address, count
        Where it begins, and how many of its type.
    type
        ``word``, ``float``, ``double`` or ``byte``.
    """

    name: str
    address: int
    count: int
    type: str

    @property
    def end(self) -> int:
        """The first address after it."""
        return self.address + self.count * np.dtype(TYPES[self.type]).itemsize

    def values(self, memory: npt.NDArray[np.uint8]) -> list[Any]:
        """Read it."""
        content = memory[self.address : self.end].tobytes()
        values: list[Any] = np.frombuffer(content, TYPES[self.type]).tolist()
        return values


def read_piece(text: str, program: Program, memory_bytes: int, option: str = "--dump") -> Piece:
    """Read one ``--dump``, or another option of the same form.

    Parameters
    ----------
    text
        The value of the option.
    program, memory_bytes
        Whose symbols may be named, and how large memory is.
    option
        What messages call it.

    Raises
    ------
    UserError
        It is not of the form, or names no symbol of the program, or lies outside memory.
    """
    place, *rest = (part.strip() for part in text.split(":"))
    if len(rest) not in (1, 2):
        raise UserError(f"{option} {text}: write it as PLACE:COUNT or PLACE:COUNT:TYPE, such as y:8:float")
    kind = rest[1] if len(rest) == 2 else "word"
    if kind not in TYPES:
        raise UserError(
            f"{option} {text}: the type must be one of {', '.join(TYPES)}, not {kind!r}{nearest(kind, TYPES)}"
        )
    count = integer(rest[0])
    if count is None or count < 1:
        raise UserError(f"{option} {text}: the count {rest[0]!r} must be an integer, at least 1")
    address = address_of(place, program, f"{option} {text}")
    end = address + count * int(TYPES[kind][-1])
    if address < 0 or end > memory_bytes:
        raise UserError(
            f"{option} {text}: bytes {address} to {end - 1} are outside memory; "
            f"use addresses below {memory_bytes}, or more --memory"
        )
    return Piece(place, address, count, kind)


@dataclass(frozen=True)
class Array:
    """An array that is meant for a place in memory.

    Attributes
    ----------
    text
        What the user wrote, PLACE[:WHAT]=FILE.
    place
        Where it begins, as it was written.
    type
        Of its elements in memory.
    values
        (n,) in the type of memory.
    file, sha256
        Where they come from, and the digest of that file.
    warnings
        What reading the file and the type of memory changed, one line each.
    """

    text: str
    place: str
    type: str
    values: npt.NDArray[Any]
    file: str
    sha256: str
    warnings: tuple[str, ...] = ()

    @property
    def input_file(self) -> InputFile:
        """Its file, as results name it."""
        return InputFile(f"array {self.place}", str(Path(self.file).absolute()), self.sha256)

    def to_dict(self) -> dict[str, Any]:
        """Return what a result must say of it so that it can be run again."""
        return {"text": self.text, "file": str(Path(self.file).absolute()), "sha256": self.sha256}


@dataclass(frozen=True)
class Placed(Array):
    """An array at a place in memory.

    Attributes
    ----------
    address
        Where it begins.
    """

    address: int = 0

    @property
    def end(self) -> int:
        """The first address after it."""
        return self.address + self.values.nbytes


@dataclass(frozen=True)
class Difference:
    """The first element that differs from what was expected, and how many do."""

    element: int
    address: int
    actual: float
    expected: float
    count: int


def placed(text: str, program: Program, memory_bytes: int, value_bytes: int, option: str) -> Placed:
    """Read ``PLACE[:WHAT]=FILE``: an array that is to be put into memory, or compared with it.

    Parameters
    ----------
    text, value_bytes, option
        As of :func:`read_array`.
    program, memory_bytes
        As of :func:`at_place`.

    Raises
    ------
    UserError
        As of both.
    """
    return at_place(read_array(text, value_bytes, option), program, memory_bytes, option)


def read_array(text: str, value_bytes: int, option: str) -> Array:
    """Read the array of ``PLACE[:WHAT]=FILE``.

    Parameters
    ----------
    text
        WHAT is a type of memory; of a sparse matrix one of :data:`CRS_ARRAYS`. FILE is an array of NumPy
        (.npy) of any shape, row by row, or a matrix (.mtx); of one whose file is dense the values, column by
        column.
    value_bytes
        Bytes of a matrix value, 4 or 8.
    option
        What messages call it.

    Raises
    ------
    UserError
        It is not of this form, the file cannot be read, holds nothing, or does not fit into the type.
    """
    asked = f"{option} {text}"
    where, separator, file = text.partition("=")
    place, _, what = (part.strip() for part in where.partition(":"))
    if not (separator and place and file.strip()):
        raise UserError(f"{asked}: write it as PLACE=FILE.npy or PLACE:TYPE=FILE.npy, such as X=x.npy")
    file = file.strip()
    if not file.endswith(SUFFIXES):
        raise UserError(f"{asked}: {file} must be an array of NumPy (.npy) or a matrix (.mtx, .mtx.gz)")
    raw = read_input(file, large_file("an array (.npy) or a matrix (.mtx)"), f"{asked}: {file}")
    digest = hashlib.sha256(raw).hexdigest()
    if what not in ("", *TYPES, *CRS_ARRAYS):
        known = (*TYPES, *CRS_ARRAYS)
        raise UserError(f"{asked}: {what!r} must be one of {', '.join(known)}{nearest(what, known)}")
    lost: list[str] = []
    if file.endswith(".npy"):
        if what in CRS_ARRAYS:
            raise UserError(
                f"{asked}: {what} needs a matrix (.mtx); use one of {', '.join(TYPES)} for an array"
            )
        content = _array(raw, file, asked)
    else:
        content, lost = _of_matrix(raw, file, what, asked)
    if not content.size:
        raise UserError(f"{asked}: {file} has no elements; it needs at least one")
    kind = what if what in TYPES else _usual_type(content, value_bytes, asked)
    values, more = _as_type(content, kind, asked)
    return Array(text, place, kind, values, file, digest, (*lost, *more))


def at_place(array: Array, program: Program, memory_bytes: int, option: str) -> Placed:
    """Return an array at its place in the memory of a program.

    Parameters
    ----------
    array
        The array.
    program, memory_bytes
        Whose symbols may be named; how large memory is.
    option
        What messages call it.

    Raises
    ------
    UserError
        The program has no such symbol, or the array does not fit into memory.
    """
    asked = f"{option} {array.text}"
    result = Placed(**vars(array), address=address_of(array.place, program, asked))
    if result.address < 0 or result.end > memory_bytes:
        raise UserError(
            f"{asked}: {len(array.values)} x {array.type} take bytes {result.address} to {result.end - 1}, "
            f"which are outside memory; use addresses below {memory_bytes}, or more --memory"
        )
    return result


def _array(raw: bytes, file: str, asked: str) -> npt.NDArray[Any]:
    """Return the one array of a .npy file, row by row."""
    if raw.startswith(ZIP):
        raise UserError(f"{asked}: {file} has several arrays; save one of them with numpy.save")
    stream = io.BytesIO(raw)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a header by Python 2
            content: npt.NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    except MemoryError:
        raise UserError(
            f"{asked}: {file} announces too many elements for the memory; use a smaller array"
        ) from None
    except Exception as error:  # a damaged header is parsed as Python, with whatever that raises
        raise UserError(
            f"{asked}: {file} is not an array of NumPy; write it with numpy.save: {shown(str(error), 120)}"
        ) from None
    behind = len(raw) - stream.tell()
    if behind:
        raise UserError(f"{asked}: {file} has {amount(behind, 'byte')} after its array; save the array again")
    return content.reshape(-1)


def _of_matrix(raw: bytes, file: str, what: str, asked: str) -> tuple[npt.NDArray[Any], list[str]]:
    """Return the array that is meant of a matrix file, and what reading it changed."""
    matrix = read(file, complex=True)
    csr, lost = matrix.csr, list(matrix.warnings)
    if what in CRS_ARRAYS:
        actual = {"rowptr": csr.indptr, "colidx": csr.indices, "values": csr.data}[what]
        return np.asarray(actual), lost
    if not _is_dense(raw):
        raise UserError(
            f"{asked}: {file} is sparse: name one of its arrays, PLACE:rowptr=..., PLACE:colidx=... or "
            "PLACE:values=..."
        )
    dense: npt.NDArray[Any] = csr.toarray().reshape(-1, order="F")
    return dense, lost


def _is_dense(raw: bytes) -> bool:
    """Return whether the banner of a Matrix Market file, gzipped or not, names the dense layout."""
    content = io.BytesIO(raw)
    with gzip.GzipFile(fileobj=content) if raw.startswith(GZIP_MAGIC) else content as text:
        return b"array" in text.readline(200).lower().split()


def _usual_type(content: npt.NDArray[Any], value_bytes: int, asked: str) -> str:
    _require_real(content, asked)
    if content.dtype.kind in "iub":
        return "word"
    return "float" if value_bytes == 4 else "double"


def _require_real(content: npt.NDArray[Any], asked: str) -> None:
    if content.dtype.kind not in KINDS:
        raise UserError(
            f"{asked}: values of type {content.dtype} are not possible; use integers or real numbers"
        )


def _as_type(content: npt.NDArray[Any], kind: str, asked: str) -> tuple[npt.NDArray[Any], list[str]]:
    """Return values in a type of memory (`vecsim.support.number_conversion`), and what they lost.

    Raises
    ------
    UserError
        A number that does not fit, or a real one that is to be whole.
    """
    _require_real(content, asked)
    dtype = np.dtype(TYPES[kind])
    if dtype.kind != "f" and content.dtype.kind == "f":
        raise UserError(f"{asked}: the file has real numbers, {kind} takes whole ones; name float or double")
    try:
        if dtype.kind == "f":
            values, lost = to_floats(content, dtype, _element, "name double for 64 bits")
        else:
            values, lost = to_integers(content, 8 * dtype.itemsize, _element).view(dtype), []
    except UserError as error:
        raise UserError(f"{asked}: {error}") from None
    return values, [f"{asked}: {line}" for line in lost]


def _element(number: int) -> str:
    return f"at element {number}"


def put(memory: npt.NDArray[np.uint8], arrays: list[Placed], program: Program) -> Program:
    """Put arrays into memory (bytes); return the program without the zeros that it would write over them.

    Raises
    ------
    UserError
        Two of them overlap, or one of them and data of the program that are not zeros.
    """
    for number, each in enumerate(arrays):
        for segment in program.data:
            begin, end = (max(place - segment.address, 0) for place in (each.address, each.end))
            if any(segment.content[begin:end]):
                raise UserError(
                    f"--load {each.text}: bytes {each.address} to {each.end - 1} overlap data of the program "
                    f"at {segment.address} to {segment.end - 1} that are not zeros; .space leaves room"
                )
        for other in arrays[:number]:
            if each.address < other.end and other.address < each.end:
                raise UserError(f"--load {each.text}: overlaps --load {other.text}; move one of them")
        memory[each.address : each.end] = each.values.view(np.uint8)
    return program.without_room([(each.address, each.end) for each in arrays])


def difference(
    memory: npt.NDArray[np.uint8], expected: Placed, tolerance: float = TOLERANCE
) -> Difference | None:
    """Compare memory with an array; None if no element differs.

    A real number differs if it is further off than ``tolerance`` times the expected one, or times 1 where
    that is smaller; a whole number if it is another one. NaN is expected where the array has it.

    Parameters
    ----------
    memory
        Bytes.
    expected
        What should be there.
    """
    actual = memory[expected.address : expected.end].view(np.uint8).copy().view(expected.values.dtype)
    wrong = actual != expected.values
    if expected.values.dtype.kind == "f":
        a, b = actual.astype(np.float64), expected.values.astype(np.float64)
        with np.errstate(invalid="ignore"):
            near = np.abs(a - b) <= tolerance * np.maximum(np.abs(b), 1.0)
        wrong &= ~(near & np.isfinite(b)) & ~(np.isnan(a) & np.isnan(b))
    at = np.flatnonzero(wrong)
    if not len(at):
        return None
    k = int(at[0])
    size = expected.values.dtype.itemsize
    return Difference(k, expected.address + k * size, actual[k].item(), expected.values[k].item(), len(at))
