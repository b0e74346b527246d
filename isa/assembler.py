"""From assembly text to a :class:`isa.program.Program`.

Two passes: the first reads the lines, gives labels their values and finds registers; the second
evaluates expressions, when forward references are known, and encodes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from isa import mnemonics
from isa.data_section import ADDRESS_LIMIT, DOUBLE, ELEMENTS, FLOAT, DataSection, segments
from isa.declaration import Instruction, InstructionSet
from isa.declared import DeclarationError, declared
from isa.directives import BY_NAME, is_data_section
from isa.encoding import encode
from isa.instructions import BASE, TYPED
from isa.operands import Field, field_value
from isa.program import Program, SourceLine
from isa.restrictions import Restrictions
from isa.symbols import Symbols
from isa.text.conditions import CONDITIONAL
from isa.text.expressions import evaluate, in_range
from isa.text.inclusion import Inclusion
from isa.text.places import Place, Source
from isa.text.reader import TextReader
from isa.text.syntax import Argument, Name, Problem, characters, parse_line
from vecsim.support.arguments import path as path_of
from vecsim.support.arguments import path_text, shown, table, whole
from vecsim.support.errors import UserError
from vecsim.support.input_files import ASSEMBLY, decoded, read_input

ENTRY_LABELS = ("start", "main")
"""The run begins at the first of these labels that is defined, otherwise at instruction 0."""


@dataclass(frozen=True)
class _Pending:
    """An instruction whose operands are matched and not yet evaluated."""

    place: Place
    instruction: Instruction
    fields: list[Field]


class _Assembler(TextReader):
    """The state between the lines of one text."""

    def __init__(
        self,
        source: Source,
        files: Inclusion,
        symbols: Symbols,
        instruction_set: InstructionSet,
        data_base: int,
        restrictions: Restrictions | None,
    ) -> None:
        super().__init__(source, files, BY_NAME)
        self.restricted = restrictions is not None
        self.declares = restrictions is None or restrictions.declares
        self.varying = set() if restrictions is None else set(restrictions.varying)
        self.symbols = symbols
        self.instruction_set = instruction_set
        self.value_bytes = symbols.values["VALUE_BYTES"]
        self.pending: list[_Pending] = []
        self.code_labels: dict[str, int] = {}
        self.data = DataSection(data_base, (0, ADDRESS_LIMIT) if restrictions is None else restrictions.data)
        self.in_data = False

    def pass_over(self, place: Place, directive: str) -> None:
        """Keep the numbers of instructions, so that labels stay right."""
        if not directive and not self.in_data:
            self.pending.append(_Pending(place, BASE.by_mnemonic["halt"], []))

    def is_true(self, directive: Name, condition: Argument) -> bool:
        """Return whether a condition is not 0."""
        return evaluate(condition, self._fixed(directive)) != 0

    def read_line(self) -> None:
        """Read a line in the first pass."""
        line = parse_line(self.place.text)
        if self.conditions.active:
            for label in line.labels:
                self._label(label)
        name = line.operation
        if name is None:
            return
        if name.text in CONDITIONAL:
            self.conditional(name, line.arguments)
        elif self.conditions.active:
            if name.text.startswith("."):
                self._directive(name, line.arguments)
            elif self.in_data:
                reason = f"{name.text!r} in the data section; instructions must follow .text"
                raise Problem(name.column, reason, ".text")
            else:
                self._instruction(name, line.arguments)

    def _label(self, label: Name) -> None:
        value = self.data.address if self.in_data else len(self.pending)
        self.symbols.define(label, value, self.place, data_label=self.in_data)
        if not self.in_data:
            self.code_labels[label.text] = value
            if self.restricted:  # li takes one instruction or two, by its value
                self.varying.add(label.text)

    def _instruction(self, name: Name, arguments: tuple[Argument, ...]) -> None:
        rows = mnemonics.expand(name, arguments, self.instruction_set, self.value_bytes, self.symbols)
        for instruction, matched in rows:
            self.pending.append(_Pending(self.place, instruction, matched))

    def _directive(self, name: Name, arguments: tuple[Argument, ...]) -> None:
        self.checked(name, arguments)
        if name.text in (".equ", ".default", ".reg"):
            self._define(name, *arguments)
        elif name.text == ".include":
            self.include(arguments[0])
        elif name.text == ".instruction":
            self._declare(name, *arguments)
        elif name.text in (".globl", ".global"):
            for argument in arguments:
                _name_in(name, argument)
        elif name.text in (".text", ".data", ".section"):
            self.in_data = is_data_section(name, arguments)
            self.mistakes.begin_section()
            if arguments and name.text == ".data":
                address = evaluate(arguments[0], self._fixed(name))
                in_range(address, (0, ADDRESS_LIMIT - 1), "address", arguments[0].column)
                self.data.address = address
        elif not self.in_data:
            raise Problem(name.column, f"{name.text} in the text section; data must follow .data", ".data")
        else:
            self._place_data(name, arguments)

    def _define(self, directive: Name, argument: Argument, value: Argument) -> None:
        name = _name_in(directive, argument)
        if directive.text == ".reg":
            if mnemonics.is_mnemonic(name.text, self.instruction_set):
                raise Problem(name.column, f"{name.text!r} is an instruction; choose another name")
            self.symbols.rename(name, self.symbols.register(value, "xfvs"), self.place)
        elif directive.text == ".equ" or name.text not in self.symbols.values:
            used: set[str] = set()
            self.symbols.define(name, evaluate(value, self._noting(used)), self.place)
            if used & self.varying:
                self.varying.add(name.text)

    def _declare(self, directive: Name, head: Argument, rule: Argument) -> None:
        if not self.declares:
            raise Problem(directive.column, "this text must not declare instructions")
        try:
            row = declared(characters(head).decode(), characters(rule).decode(), self.instruction_set)
        except DeclarationError as error:
            raise Problem(directive.column, str(error)) from None
        self.instruction_set = self.instruction_set.extended(row)

    def _fixed(self, directive: Name) -> Callable[[Name], int]:
        """Return what looks symbols up for a directive that must not depend on varying ones."""

        def lookup(name: Name) -> int:
            if name.text in self.varying:
                reason = f"{name.text} differs from case to case, so {directive.text} must not depend on it"
                raise Problem(name.column, reason)
            return self.symbols.lookup(name)

        return lookup

    def _noting(self, used: set[str]) -> Callable[[Name], int]:
        """Return what looks symbols up and adds their names to a set."""

        def lookup(name: Name) -> int:
            used.add(name.text)
            return self.symbols.lookup(name)

        return lookup

    def _value(self, node: Argument) -> int:
        return evaluate(node, self.symbols.lookup)

    def _place_data(self, name: Name, arguments: tuple[Argument, ...]) -> None:
        if name.text in _RESERVING:
            size, column = evaluate(arguments[0], self._fixed(name)), arguments[0].column
            if name.text == ".p2align":
                size = 1 << in_range(size, (0, 31), "alignment", column)
            if name.text not in (".space", ".zero"):
                in_range(size, (1, ADDRESS_LIMIT), "alignment", column)
                size = -self.data.address % size
            self.data.reserve(self.place, name, size, column)
        elif name.text in _TEXTS:
            content = b"".join(characters(argument) + _TEXTS[name.text] for argument in arguments)
            self.data.include(self.place, name, content)
        elif name.text == ".incbin":
            content = self.included(arguments[0], arguments[1:], self._value)
            self.data.include(self.place, name, content)
        else:
            values = FLOAT if self.value_bytes == 4 else DOUBLE
            self.data.add(self.place, name, ELEMENTS.get(name.text, values), arguments)

    def finish(self) -> Program:
        """Second pass."""
        words = [
            self.at(each.place, partial(self._word, pc, each)) or 0 for pc, each in enumerate(self.pending)
        ]
        contents = [
            (
                each.address,
                self.at(each.place, partial(each.content, self._value)) or b"",
            )
            for each in self.data.items
        ]
        self.mistakes.raise_all()
        overlap = self.data.overlap()
        if overlap is not None:
            where = overlap[0].place.seen_from(overlap[1].place)
            reason = f"data overlaps that of {where}; choose another address"
            self.mistakes.add(overlap[1].place, Problem(overlap[1].column, reason))
            self.mistakes.raise_all()
        return Program(
            np.array(words, np.uint32),
            dict(self.symbols.values),
            tuple(_source_line(each.place) for each in self.pending),
            segments(contents),
            self.instruction_set,
            next((self.code_labels[name] for name in ENTRY_LABELS if name in self.code_labels), 0),
            self.symbols.register_names,
            dict(self.code_labels),
            self.files.inputs,
        )

    def _word(self, pc: int, pending: _Pending) -> int:
        operands = pending.instruction.operands
        fields = [
            field_value(operand, field, pc, self.symbols)
            for operand, field in zip(operands, pending.fields, strict=True)
        ]
        return encode(pending.instruction, fields)


_RESERVING = (".space", ".zero", ".align", ".balign", ".p2align")
_TEXTS = {".ascii": b"", ".asciz": b"\0", ".string": b"\0"}
"""Directives of characters, with what follows each text."""


def _name_in(directive: Name, argument: Argument) -> Name:
    if not isinstance(argument, Name):
        raise Problem(argument.column, f"a name is needed: write {directive.text} NAME, ...")
    return argument


def _source_line(place: Place) -> SourceLine:
    return SourceLine(place.source.name, place.number, place.text.strip())


def assemble(
    text: str,
    *,
    file: str = "<input>",
    symbols: Mapping[str, int] | None = None,
    instruction_set: InstructionSet = BASE,
    value_bytes: int = 4,
    data_base: int = 64,
    folder: str | Path | None = None,
    given: Mapping[str, bytes] | None = None,
    restrictions: Restrictions | None = None,
) -> Program:
    r"""Assemble a text.

    Parameters
    ----------
    text
        Assembly text; its language is described by :mod:`isa.reference`.
    file
        Its name in messages.
    symbols
        Constants given from outside; the text may name a value for their absence with ``.default``.
    instruction_set
        The instructions to choose from.
    value_bytes
        Bytes of a matrix value, 4 or 8: what the suffix ``.f`` and ``.value`` stand for.
    data_base
        First address of the data section.
    folder
        Where the files of ``.include`` and ``.incbin`` lie; without it there are none.
    given
        Contents of such files, by their paths as `Program.inputs` has them: no file is opened.
    restrictions
        What the text must not do; without them it may do all that the language has.

    Raises
    ------
    AssemblyError
        The mistakes in the text, in its order.
    UserError
        A mistake in the other parameters.

    Examples
    --------
    >>> import vecsim
    >>> program = vecsim.assemble("start: addi x1, x1, 1\nj start")
    >>> len(program), program.symbols["start"], str(program.source[1])
    (2, 0, '<input>:2: j start')
    """
    if not isinstance(text, str):
        raise UserError(f"assemble: {shown(text)}: a text is expected; vecsim.assemble_file takes a path")
    file = path_text("file", file)
    contents = None if given is None else table("given", given)
    for name, content in (contents or {}).items():
        if not isinstance(content, bytes):
            raise UserError(f"given: {name!r}: {shown(content)}: bytes are expected")
    return _program(
        text,
        Source(file, Path(file).name),
        Inclusion(file, None if folder is None else path_of("folder", folder), contents),
        symbols=symbols,
        instruction_set=instruction_set,
        value_bytes=value_bytes,
        data_base=data_base,
        restrictions=restrictions,
    )


def assemble_file(
    path: str | Path,
    *,
    symbols: Mapping[str, int] | None = None,
    instruction_set: InstructionSet = BASE,
    value_bytes: int = 4,
    data_base: int = 64,
) -> Program:
    """Assemble a file.

    Parameters
    ----------
    path
        Of the file, text in UTF-8.
    symbols, instruction_set, value_bytes, data_base
        As :func:`assemble` takes them.

    Raises
    ------
    UserError
        The file cannot be read; or as :func:`assemble` does.

    Examples
    --------
    >>> from pathlib import Path
    >>> import vecsim
    >>> _ = Path("two.s").write_text("lw x1, (zero)  # the first word of memory")
    >>> vecsim.assemble_file("two.s")
    Program(instructions=1, data_bytes=0, symbols=1, entry=0, source='two.s')
    """
    path = path_of("assemble_file", path)
    content = read_input(path, ASSEMBLY)
    files = Inclusion(str(path), path.parent)
    files.inputs[path.name] = hashlib.sha256(content).hexdigest()
    return _program(
        decoded(content, str(path)),
        Source(str(path), path.name),
        files,
        symbols=symbols,
        instruction_set=instruction_set,
        value_bytes=value_bytes,
        data_base=data_base,
    )


def _program(
    text: str,
    source: Source,
    files: Inclusion,
    *,
    symbols: Mapping[str, int] | None,
    instruction_set: InstructionSet,
    value_bytes: int,
    data_base: int,
    restrictions: Restrictions | None = None,
) -> Program:
    if not isinstance(instruction_set, InstructionSet):
        raise UserError(f"instruction_set: {shown(instruction_set)}: an isa.InstructionSet is expected")
    value_bytes, data_base = whole("value_bytes", value_bytes), whole("data_base", data_base, None)
    if value_bytes not in TYPED:
        raise UserError(f"value_bytes is {value_bytes}; use 4 or 8, the bytes of a matrix value")
    if not 0 <= data_base < ADDRESS_LIMIT:
        raise UserError(f"data_base {data_base} must be from 0 to {ADDRESS_LIMIT - 1}")
    known = Symbols(table("symbols", symbols), value_bytes)
    assembler = _Assembler(source, files, known, instruction_set, data_base, restrictions)
    assembler.read(source, text)
    return assembler.finish()
