"""A user-defined format: arrays and assembly text in one Python file (docs/tutorial/own-format.md).

from vecsim import Parameter, UserFormat

def arrays(csr, section_size, sigma):
...
return {"ROWS": csr.shape[0], "COLIDX": columns, "VALUES": values}

SELL = UserFormat("sell", "rows sorted in windows of sigma rows, in slices of s", arrays, TEXT,
(Parameter("sigma", 256, 1, 1 << 20, "rows that are sorted together"),))
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from programs.declaration import SCHEDULE, AssemblyText, Loader, Option, SmvmProgram, WholeNumbers
from programs.loading import MatrixImage
from vecsim.formats import Image, Layout
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.formats.image import image_of_arrays, value_field
from vecsim.machine import Machine
from vecsim.machine.user_inputs import Recording, questions_refused
from vecsim.machine.user_module import declared
from vecsim.support.arguments import function, series, shown, table, text, whole
from vecsim.support.errors import UserError, in_words, is_interrupt, place_of
from vecsim.support.input_files import FORMAT_FILE, read_input
from vecsim.support.suggestions import nearest

SUFFIX = ".py"
RESERVED = ("X", "Y", "WORK", "SECTION_BITS", "VALUE_SHIFT")
"""Symbols that every program is assembled with."""
LARGEST = 2**31 - 1
"""The largest symbol."""
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_SYMBOL = re.compile(r"[A-Z][A-Z0-9_]*")

Arrays = Callable[..., Mapping[str, Any]]
"""``arrays(csr, section_size, **parameters)``.

``csr`` is a scipy.sparse.csr_array of (m, n), float32 or float64, sorted, without duplicates, a copy;
``section_size`` is that of the machine; parameters are integers. It returns by symbol integers and arrays: an
array is placed in memory, and the symbol is its address. Floats are stored as values of the matrix, 4 or 8
bytes; int64 as int32; other integers as they are; arrays of several dimensions row by row."""


@dataclass(frozen=True)
class Parameter:
    """A number that a format can be made with, set as an option of its program.

    Attributes
    ----------
    name
        Of the option; in upper case it is the assembler's symbol.
    default, least, most
        Its value if nothing else is said, and the range that it must be in.
    summary
        What it decides.

    Raises
    ------
    UserError
        A name or a number that cannot be.
    """

    name: str
    default: int
    least: int
    most: int
    summary: str = ""

    def __post_init__(self) -> None:
        """Check it."""
        where = f"Parameter({shown(self.name)})"
        if not _NAME.fullmatch(text(where, self.name)):
            raise UserError(f"{where}: a name needs lower-case letters, digits and _, such as sigma")
        numbers = [whole(f"{where}: {each}", getattr(self, each)) for each in ("default", "least", "most")]
        default, least, most = numbers
        if not least <= default <= most <= LARGEST:
            raise UserError(f"{where}: default {default} must be in {least} to {most}, at most {LARGEST}")

    @property
    def option(self) -> Option:
        """Return the option of the program."""
        values = WholeNumbers(self.least, self.most)
        return Option(self.name, self.name.upper().replace("-", "_"), values, str(self.default), self.summary)


@dataclass(frozen=True, eq=False)
class UserFormat:
    """A format with the program that multiplies a matrix in it by a vector.

    Attributes
    ----------
    name, summary
        What it is called, and what it is.
    arrays
        Makes the arrays of a matrix, see `Arrays`; None for those of the program `like`.
    program
        The assembly text, or texts by schedule; its first schedule is the default. A text of one line that
        ends in ``.s`` names a file next to the Python file.
    parameters
        What it can be made with.
    like
        The program whose loader, symbols and options it has, in the place of `arrays`.

    Raises
    ------
    UserError
        Something of it cannot be.
    """

    name: str
    summary: str
    arrays: Arrays | None
    program: str | Mapping[str, str]
    parameters: tuple[Parameter, ...] = ()
    like: str = ""
    texts: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check it."""
        where = f"UserFormat({shown(self.name)})"
        if not _NAME.fullmatch(text(where, self.name)):
            raise UserError(f"{where}: a name needs lower-case letters, digits, - and _, such as sell")
        text(f"{where}: summary", self.summary)
        if (self.arrays is None) is not bool(self.like):
            raise UserError(f"{where}: give either arrays, or like='crs' for those of a program")
        if self.arrays is not None:
            function(f"{where}: arrays", self.arrays)
        given = (
            {"": self.program} if isinstance(self.program, str) else table(f"{where}: program", self.program)
        )
        for schedule, each in given.items():
            text(f"{where}: program", each)
            if schedule and not _NAME.fullmatch(schedule):
                raise UserError(f"{where}: program: {schedule!r} is no name of a schedule, such as plain")
        if not given:
            raise UserError(f"{where}: program: no text is given")
        object.__setattr__(self, "texts", given)
        several = (self.parameters,) if isinstance(self.parameters, Parameter) else self.parameters
        object.__setattr__(self, "parameters", series(f"{where}: parameters", several, "parameters"))
        for parameter in self.parameters:
            if not isinstance(parameter, Parameter):
                raise UserError(f"{where}: parameters: {shown(parameter)}: a vecsim.Parameter is expected")
        if self.parameters and self.like:
            raise UserError(f"{where}: parameters: it has the options of {self.like}; leave them out")
        names = [*(parameter.name for parameter in self.parameters), SCHEDULE.name]
        if len(set(names)) < len(names):
            raise UserError(f"{where}: parameters: two options have one name: {', '.join(names)}")


def is_format_file(name: str) -> bool:
    """Return whether a program's name is that of a user-defined format, ``FILE.py`` or ``FILE.py:NAME``."""
    return name.endswith(SUFFIX) or f"{SUFFIX}:" in name


def format_file(name: str) -> str:
    """Return the file in the name of a user-defined format."""
    return name if name.endswith(SUFFIX) else name.rpartition(":")[0]


def user_program(name: str, shipped: Mapping[str, SmvmProgram]) -> SmvmProgram:
    """Return the program of a user-defined format.

    Parameters
    ----------
    name
        ``FILE.py``, or ``FILE.py:NAME`` if the file declares several.
    shipped
        The programs that a format may be like, by name.

    Raises
    ------
    UserError
        The file cannot be read or run, or declares no format of this name.
    """
    file = format_file(name)
    wanted = name[len(file) + 1 :]
    content = read_input(file, FORMAT_FILE)
    formats, sha256, imported = declared(file, content, _formats_of)
    if not formats:
        raise UserError(
            f"{file}: declares no format; write NAME = UserFormat(...), with `from vecsim import UserFormat`"
        )
    if wanted not in formats and (wanted or len(formats) > 1):
        names = ", ".join(f"{file}:{each}" for each in formats)
        raise UserError(
            f"{name}: the file declares {', '.join(formats)}: use {names}{nearest(wanted, formats)}"
        )
    chosen = formats[wanted] if wanted else next(iter(formats.values()))
    texts = _texts(chosen, Path(file), content)
    program = _program(chosen, name, file, texts, shipped)
    return replace(program, declared_in=Path(file), imported=imported, sha256=sha256)


def _program(
    chosen: UserFormat,
    name: str,
    file: str,
    texts: Mapping[str, AssemblyText],
    shipped: Mapping[str, SmvmProgram],
) -> SmvmProgram:
    """Return a program of this name; messages call the place of its declaration `file`."""
    if chosen.like:
        return _like(chosen, name, file, texts, shipped)
    options = tuple(parameter.option for parameter in chosen.parameters)
    return SmvmProgram(
        name=name,
        title=chosen.name,
        summary=chosen.summary,
        format=name,
        load=_loader(chosen, file),
        options=(*options, *_schedule(texts)),
        texts=texts,
    )


def object_program(chosen: UserFormat, shipped: Mapping[str, SmvmProgram]) -> SmvmProgram:
    """Return the program of a user-defined format that is given as an object.

    Parameters
    ----------
    chosen
        The format. A text that names a file names one in the working folder.
    shipped
        The programs that a format may be like, by name.

    Raises
    ------
    UserError
        The format has the name of one of these, or is like none of them.
    """
    where = f"UserFormat({chosen.name!r})"
    if chosen.name in shipped:
        raise UserError(f"{where}: is the name of a program of vecsim: choose another name")
    texts = {
        schedule: AssemblyText(Path(given)) if _names_file(given) else AssemblyText(Path(where), given)
        for schedule, given in chosen.texts.items()
    }
    return _program(chosen, chosen.name, where, texts, shipped)


def _formats_of(
    module: ModuleType, recording: Recording, content: bytes
) -> tuple[dict[str, UserFormat], str, tuple[Path, ...]]:
    """Return the formats that a file declares, by name, the digest of all that it depends on, and the files.

    These are the modules that it imports and what else it reads.
    """
    formats: dict[str, UserFormat] = {}
    for each in vars(module).values():
        if isinstance(each, UserFormat) and formats.setdefault(each.name, each) is not each:
            raise UserError(f"{module.__file__}: two formats are named {each.name!r}: rename one")
    if formats and recording.outside:
        raise UserError(
            f"{module.__file__}: {recording.outside} while it is loaded: no key of results covers that"
        )
    files = tuple(
        Path(name) for (kind, name), digest in recording.inputs.items() if kind == "file" and digest
    )
    return formats, recording.digest(content), files


def _texts(chosen: UserFormat, file: Path, content: bytes) -> dict[str, AssemblyText]:
    """Return the assembly texts with the places where they stand."""
    lines = _lines_of_texts(content)
    return {
        schedule: AssemblyText(file.parent / given)
        if _names_file(given)
        else AssemblyText(file, given, lines.get(given, 1), hashlib.sha256(content).hexdigest())
        for schedule, given in chosen.texts.items()
    }


def _names_file(given: str) -> bool:
    """Return whether a text is the name of a file."""
    return given.endswith(".s") and "\n" not in given


def _lines_of_texts(content: bytes) -> dict[str, int]:
    """Return the first line of every text of several lines that a Python file spells out."""
    return {
        node.value: node.lineno
        for node in ast.walk(ast.parse(content))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value
    }


def _schedule(texts: Mapping[str, AssemblyText]) -> tuple[Option, ...]:
    """Return the option that chooses among several texts; the first is the default."""
    if "" in texts:
        return ()
    values = {schedule: number for number, schedule in enumerate(texts)}
    return (Option(SCHEDULE.name, None, values, next(iter(texts)), "how the loop is arranged"),)


def _like(
    chosen: UserFormat,
    name: str,
    file: str,
    texts: Mapping[str, AssemblyText],
    shipped: Mapping[str, SmvmProgram],
) -> SmvmProgram:
    """Return a program with the loader and the options of another."""
    if chosen.like not in shipped:
        known = ", ".join(shipped)
        raise UserError(f"{file}: like = {chosen.like!r}: use one of {known}{nearest(chosen.like, shipped)}")
    like = shipped[chosen.like]
    others = tuple(option for option in like.options if option.name != SCHEDULE.name)
    return replace(
        like,
        name=name,
        title=chosen.name,
        summary=chosen.summary,
        options=(*others, *_schedule(texts)),
        texts=texts,
    )


def _loader(chosen: UserFormat, file: str) -> Loader:
    """Return what makes the image of a matrix from the arrays that the user's function returns."""

    def load(matrix: Any, machine: Machine, layout: Layout, options: Mapping[str, int]) -> MatrixImage:
        given = {each.name: options[each.option.symbol or ""] for each in chosen.parameters}
        arrays = _called(chosen, file, matrix, machine.section_size, given)
        placed = {symbol: _placed(file, symbol, each, layout) for symbol, each in arrays.items()}
        contents = [(symbol, each) for symbol, each in placed.items() if not isinstance(each, int)]
        sizes = {symbol: each for symbol, each in placed.items() if isinstance(each, int)}
        image: Image = image_of_arrays(layout, contents, sizes)
        return MatrixImage(image, sum(each.nbytes for _, each in contents))

    return load


def _called(
    chosen: UserFormat, file: str, matrix: Any, section_size: int, given: Mapping[str, int]
) -> dict[str, Any]:
    """Call the user's function, which can read nothing but its arguments; its failure is one line."""
    assert chosen.arrays is not None
    csr = canonical_csr(matrix).copy()
    try:
        with questions_refused():
            result = chosen.arrays(csr, section_size, **given)
    except BaseException as error:
        if is_interrupt(error):
            raise
        code = getattr(chosen.arrays, "__code__", None)
        where = place_of(error, [file, getattr(code, "co_filename", file)]) or file
        words = str(error) if isinstance(error, UserError) else in_words(error)
        raise UserError(f"{where}: arrays of {chosen.name}: {words}") from None
    where = f"{file}: arrays of {chosen.name}: what it returns"
    if result is None:
        raise UserError(f"{where} = None: a table (a dictionary in Python) is expected")
    return table(where, result)


def _placed(file: str, symbol: str, given: object, layout: Layout) -> int | npt.NDArray[Any]:
    """Return an integer symbol, or an array as it is placed in memory."""
    where = f"{file}: {symbol}"
    if not _SYMBOL.fullmatch(symbol) or symbol in RESERVED:
        raise UserError(
            f"{where}: is no name for a symbol: use capitals, digits and _, and none of {', '.join(RESERVED)}"
        )
    if not isinstance(given, np.ndarray):
        number = whole(where, given)
        if number > LARGEST:
            raise UserError(f"{where} = {number}: a symbol is at most {LARGEST}")
        return number
    given = given.ravel()
    if given.dtype.kind == "f":
        return value_field(layout, given)
    if given.dtype.kind not in "iu":
        raise UserError(f"{where}: an array of {given.dtype}: integers or floats are expected")
    if given.dtype.itemsize < 8:
        return given.astype(given.dtype.newbyteorder("<"))
    if given.size and (given.max() > LARGEST or given.min() < -LARGEST - 1):
        raise UserError(f"{where}: an integer of it has more than 32 bits")
    return given.astype("<i4")
