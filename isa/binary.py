"""The program file (``.vsx``): a JSON object in UTF-8.

========== ======================================================================================
``format`` ``"vecsim program"``
``version`` 1
``words``  the instructions, each eight hexadecimal digits
``entry``  number of the instruction to begin with
``symbols`` object of names and integers
``source`` list of [file, line, text], one an instruction, or empty
``data``   list of [address, bytes in base 64]
``own``    list of [opcode, mnemonic, syntax, extension], one for each user-defined instruction that the
           program uses; missing if there is none
========== ======================================================================================

The instruction set is not in the file: a program with user-defined instructions is loaded with the same
extensions, which ``own`` names.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import re
from typing import Any

import numpy as np

from isa.data_section import ADDRESS_LIMIT
from isa.declaration import EXTENSION_OPCODES, InstructionSet
from isa.declared import IN_TEXT
from isa.instructions import BASE
from isa.program import DataSegment, Program, SourceLine
from vecsim.support.errors import UserError
from vecsim.support.input_files import decoded
from vecsim.support.structured_text import json_value
from vecsim.support.suggestions import shown

FORMAT = "vecsim program"
VERSION = 1
_KEYS = {"format", "version", "words", "entry", "symbols", "source", "data"}
_WORD = re.compile(r"[0-9a-f]{8}")


def dump(program: Program) -> bytes:
    """Return the bytes of a program file; the same program always gives the same bytes."""
    content = {"format": FORMAT, "version": VERSION, **program.to_dict()}
    used = sorted(set(program.opcode.tolist()) & set(EXTENSION_OPCODES))
    rows = [program.instruction_set.by_opcode[opcode] for opcode in used]
    if inside := [row.mnemonic for row in rows if row.extension == IN_TEXT]:
        raise UserError(f"{inside[0]} is declared in the text itself, which a program file does not hold")
    if rows:
        content["own"] = [[row.opcode, row.mnemonic, row.syntax, row.extension] for row in rows]
    return (json.dumps(content, indent=1, sort_keys=True) + "\n").encode("utf-8")


def is_program_file(content: bytes) -> bool:
    """Return whether bytes are those of a program file: no assembly text begins so."""
    return content.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{")


def load(content: bytes, instruction_set: InstructionSet = BASE, *, file: str = "program file") -> Program:
    """Read the bytes of a program file.

    Parameters
    ----------
    content
        What :func:`dump` gave.
    instruction_set
        What its words mean.
    file
        Its name in messages.

    Raises
    ------
    UserError
        The bytes are no program file, or hold a word that is no instruction of the set.
    """
    try:
        fields = json_value(decoded(content, file), file)
    except UserError as error:
        reason = str(error).removeprefix(f"{file}: ")
        raise UserError(
            f"{file}: is not a vecsim program ({reason}); name a file that vecsim asm wrote"
        ) from None
    try:
        return _program(fields, instruction_set)
    except UserError as error:
        raise UserError(f"{file}: {error}") from None


def _program(fields: Any, instruction_set: InstructionSet) -> Program:
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise UserError(f"is not a vecsim program (its format must be {FORMAT!r})")
    if fields.get("version") != VERSION:
        raise UserError(
            f"has version {fields.get('version')!r}; this vecsim reads version {VERSION}: "
            "assemble the program again"
        )
    odd = sorted((set(fields) - {"own"}) ^ _KEYS)
    if odd:
        raise UserError(f"missing or unknown entries: {', '.join(odd)}; assemble the program again")
    _check_own(_list(fields, "own") if "own" in fields else [], instruction_set)
    words = _list(fields, "words")
    for index, word in enumerate(words):
        _check(isinstance(word, str) and _WORD.fullmatch(word) is not None, f"words[{index}]")
    symbols = fields["symbols"]
    _check(isinstance(symbols, dict) and all(_is_integer(value) for value in symbols.values()), "symbols")
    _check(_is_integer(fields["entry"]), "entry")
    return Program(
        np.array([int(word, 16) for word in words], np.uint32),
        symbols,
        tuple(_source_line(row, index) for index, row in enumerate(_list(fields, "source"))),
        _segments(_list(fields, "data")),
        instruction_set,
        fields["entry"],
    )


def _check_own(rows: list[Any], instruction_set: InstructionSet) -> None:
    """Refuse a program whose user-defined instructions are missing in the set, or are others there."""
    for index, row in enumerate(rows):
        match row:
            case [int(opcode), str(mnemonic), str(syntax), str(extension)] if opcode in EXTENSION_OPCODES:
                here = instruction_set.by_opcode.get(opcode)
            case _:
                raise UserError(f"own[{index}] is malformed; assemble the program again")
        if here is None or (here.mnemonic, here.syntax) != (mnemonic, syntax):
            has = "" if here is None else f", which is {here.mnemonic} {here.syntax} here"
            raise UserError(
                f"needs the extension {shown(extension)}, for {shown(mnemonic)} {shown(syntax)} "
                f"(opcode {opcode:#x}){has}: name it or its file by --extend"
            )


def _list(fields: dict[str, Any], key: str) -> list[Any]:
    value = fields[key]
    _check(isinstance(value, list), key)
    assert isinstance(value, list)
    return value


def _source_line(row: Any, index: int) -> SourceLine:
    match row:
        case [str(file), int(line), str(text)] if _is_integer(line):
            return SourceLine(file, line, text)
    raise UserError(f"source[{index}] is malformed; assemble the program again")


def _segments(rows: list[Any]) -> tuple[DataSegment, ...]:
    results: list[DataSegment] = []
    for index, row in enumerate(rows):
        match row:
            case [int(address), str(text)] if _is_integer(address):
                segment = DataSegment(address, _bytes(text, index))
            case _:
                raise UserError(f"data[{index}] is malformed; assemble the program again")
        _check(
            address >= (results[-1].end if results else 0) and segment.end <= ADDRESS_LIMIT, f"data[{index}]"
        )
        results.append(segment)
    return tuple(results)


def _bytes(text: str, index: int) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise UserError(f"data[{index}] is not base 64; assemble the program again") from None


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check(condition: bool, what: str) -> None:
    if not condition:
        raise UserError(f"{what} is malformed; assemble the program again")
