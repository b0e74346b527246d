"""From RISC-V assembly text to a :class:`isa.riscv.program.RiscvProgram`.

Two passes: the first reads the lines and gives everything its place in a section, the second evaluates
expressions, when the addresses of all labels are known. Nothing is relaxed: an instruction has the length
that it is written with, ``call`` and ``la`` have two instructions, and only ``c.`` makes short ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from isa.data_section import SPACE_LIMIT, pack
from isa.program import SourceLine
from isa.riscv.declaration import Row
from isa.riscv.directives import (
    DROPPED,
    ELEMENTS,
    IGNORED,
    KNOWN,
    SECTION_NAMES,
    TEXT,
    ZEROS,
    kind_of,
)
from isa.riscv.extensions import CUSTOM, switched_on_by
from isa.riscv.insn import word_of
from isa.riscv.macros import ENDS, Block, Macros
from isa.riscv.mnemonics import expand
from isa.riscv.operands import NAMED_REGISTERS
from isa.riscv.program import RiscvProgram
from isa.riscv.sections import Section, lay_out, segments
from isa.riscv.statements import Statement, parsed_arguments, statements, without_comments
from isa.riscv.symbols import Label, Symbols
from isa.text.conditions import CONDITIONAL
from isa.text.directives import check_directive
from isa.text.expressions import in_range
from isa.text.inclusion import Inclusion
from isa.text.places import Place, Source
from isa.text.reader import TextReader
from isa.text.syntax import Argument, Name, Problem, characters
from vecsim.support.arguments import path as path_of
from vecsim.support.arguments import path_text, shown, table, whole
from vecsim.support.errors import UserError
from vecsim.support.input_files import ASSEMBLY, decoded, read_input

BASE = 0x10000
"""Where a program begins by default."""
ENTRY_LABELS = ("_start", "main", "start")
"""The run begins at the first of these labels that is defined, otherwise at the first instruction."""
_TEXTS = {".ascii": b"", ".asciz": b"\0", ".string": b"\0"}
_SPACES = (".space", ".zero", ".skip")
_TESTS = {
    **dict.fromkeys((".ifdef", ".ifndef"), "NAME"),
    **dict.fromkeys((".ifeq", ".ifne"), "expression"),
    **dict.fromkeys((".ifb", ".ifnb"), "text"),
}
"""Directives like ``.if``, with what follows them."""
_ALIGNING = (".align", ".p2align", ".balign")


class _Assembler(TextReader):
    """The state between the lines of one text."""

    def __init__(
        self, source: Source, files: Inclusion, given: Mapping[str, int], extensions: frozenset[str]
    ) -> None:
        super().__init__(source, files, KNOWN)
        self.sections = {".text": Section(".text", TEXT)}
        self.section = self.sections[".text"]
        self.outer_sections: list[Section] = []
        self.symbols = Symbols(given, self.sections)
        self.sizes: dict[str, tuple[Place, Argument]] = {}
        self.macros = Macros()
        self.extensions = extensions
        self.block: Block | None = None
        """The block that the next lines are in."""
        self.lines: list[Label] = []
        """Where instructions are."""

    @property
    def here(self) -> Label:
        """The place of what comes next."""
        return Label(self.section, self.section.offset, self.place)

    def known(self, node: Argument) -> int:
        """Return a value that is needed in the first pass."""
        return self.symbols.known(node, self.here)

    def resolved(self, node: Argument) -> Argument:
        """Return an expression for the second pass."""
        return self.symbols.resolved(node, self.here)

    def read_line(self) -> None:
        """Read the statements of a line, or take it into a block that is read later."""
        block = self.block
        if block is None:
            for statement in statements(self.place.text):
                self._read(statement)
        elif not block.takes(self.place):
            self.block = None
            if self.conditions.active:
                self.at(block.place, partial(self._finish_block, block))

    def _finish_block(self, block: Block) -> None:
        if block.directive.text == ".macro":
            self.macros.define(block)
        else:
            self.read_lines(self.macros.repetition(block, self._count, block.place))

    def _count(self, text: str) -> int:
        return sum(map(self.known, parsed_arguments(text)))

    def pass_over(self, place: Place, directive: str) -> None:
        """Keep the place of an instruction, so that distances stay about right."""
        if not directive and self.section.kind.instructions:
            self.section.add(place, 4, lambda _: b"")

    def is_true(self, directive: Name, condition: Argument) -> bool:
        """Return whether a condition is not 0."""
        return self.known(condition) != 0

    def _read(self, statement: Statement) -> None:
        labels, name, rest = statement
        if name is not None and name.text in CONDITIONAL:
            self.conditional(name, parsed_arguments(rest))
            return
        if name is not None and name.text in _TESTS:
            self.conditions.open(self.place, name, self.conditions.active and self._test(name, rest))
            return
        if name is not None and name.text in ENDS:
            self.block = Block(name, rest, self.place)
            return
        if not self.conditions.active:
            return
        for label in labels:
            self.symbols.define_label(label, self.here)
        if name is None:
            return
        if name.text in self.macros:
            self.read_lines(self.macros.used(name, rest, self.place))
        elif name.text.startswith("."):
            self._directive(name, rest)
        elif self.section.kind.instructions:
            self._instruction(Name(name.text.lower(), name.column), parsed_arguments(rest))
        else:
            reason = f"{name.text!r} in the section {self.section.name}; instructions must follow .text"
            raise Problem(name.column, reason, ".text")

    def _test(self, name: Name, rest: str) -> bool:
        """Return whether a condition other than that of ``.if`` is true."""
        if name.text in (".ifb", ".ifnb"):
            return (not rest.strip()) == (name.text == ".ifb")
        arguments = parsed_arguments(rest)
        if len(arguments) != 1:
            raise Problem(name.column, f"write {name.text} {_TESTS[name.text]}")
        if name.text in (".ifeq", ".ifne"):
            return (self.known(arguments[0]) == 0) == (name.text == ".ifeq")
        return self.symbols.has(_name_in(name, arguments[0]).text) == (name.text == ".ifdef")

    def _instruction(self, name: Name, arguments: tuple[Argument, ...]) -> None:
        for each in expand(name, arguments, self.resolved, self.known):
            extension = each.row.extension if isinstance(each.row, Row) else ""
            if extension in CUSTOM and extension not in self.extensions:
                reason = f"{name.text!r} is an instruction of {extension}: {switched_on_by(extension)}"
                raise Problem(name.column, reason)
            self.lines.append(self.here)
            if each.high is not None:
                self.symbols.high.append((self.here, each.high))
            self.section.add(self.place, each.size, partial(each.content, self.symbols.value))

    def _directive(self, name: Name, rest: str) -> None:
        text = name.text
        if text in IGNORED or text.startswith(".cfi_"):
            return
        if text in (*SECTION_NAMES, ".section", ".pushsection", ".popsection", ".previous"):
            self._enter(name, rest)
            return
        if text in ENDS.values():
            raise Problem(name.column, f"{text} without a directive that it ends: {' or '.join(ENDS)}")
        if text == ".insn":
            word = word_of(name, rest, self.known).to_bytes(4, "little")
            self.lines.append(self.here)
            self.section.add(self.place, len(word), lambda _: word)
            return
        arguments = parsed_arguments(rest)
        check_directive(name, arguments, KNOWN)
        if text == ".include":
            self.include(arguments[0])
        elif text in (".equ", ".set", ".equiv"):
            constant = _name_in(name, arguments[0])
            self.symbols.define_constant(constant, arguments[1], self.here, once=text == ".equiv")
        elif text == ".size":
            self.sizes[_name_in(name, arguments[0]).text] = self.place, self.resolved(arguments[1])
        elif text in (".comm", ".lcomm"):
            self._common(name, *arguments)
        elif text in _ALIGNING:
            self._align(text, *arguments)
        elif text in _SPACES or text == ".fill":
            self._fill(name, arguments)
        else:
            self._data(name, arguments)

    def _enter(self, name: Name, rest: str) -> None:
        """Go on in another section."""
        self.mistakes.begin_section()
        if name.text in (".popsection", ".previous"):
            if not self.outer_sections:
                raise Problem(name.column, f"{name.text} without a section before it: write .section NAME")
            self.section = self.outer_sections.pop()
            return
        section, flags, zeros = name.text, "", False
        if name.text in (".section", ".pushsection"):
            section, flags, kind = ([part.strip().strip('"') for part in rest.split(",")] + ["", ""])[:3]
            zeros = "nobits" in kind
            if not section:
                raise Problem(name.column, f"a name is needed: write {name.text} .data")
        if name.text != ".pushsection":
            self.outer_sections.clear()
        self.outer_sections.append(self.section)
        self.section = self.sections.setdefault(section, Section(section, kind_of(section, flags, zeros)))

    def _common(self, directive: Name, name: Argument, size: Argument, *alignment: Argument) -> None:
        """Reserve zeros in ``.bss``."""
        outer, variable = self.section, _name_in(directive, name)
        self.section = self.sections.setdefault(".bss", Section(".bss", ZEROS))
        try:
            for each in alignment:
                self._align(".balign", each)
            self.symbols.define_label(variable, self.here)
            self.sizes[variable.text] = self.place, size
            self._fill(Name(".zero", directive.column), (size,))
        finally:
            self.section = outer

    def _align(self, directive: str, argument: Argument, *filling: Argument) -> None:
        value = self.known(argument)
        if directive != ".balign":
            value = 1 << in_range(value, (0, 28), "alignment", argument.column)
        if not 0 < value <= SPACE_LIMIT or value & (value - 1):
            reason = f"alignment {value} must be a power of two, at most {SPACE_LIMIT}"
            raise Problem(argument.column, reason)
        if any(self.known(each) for each in filling[:1]) and not self.section.kind.instructions:
            raise Problem(filling[0].column, "what is filled in is 0: leave this out")
        if len(filling) > 1:
            reason = "a limit of what is filled in is not supported: leave it out"
            raise Problem(filling[1].column, reason)
        self.section.align(self.place, value)

    def _fill(self, name: Name, arguments: tuple[Argument, ...]) -> None:
        """Place a value repeatedly: ``.fill times, bytes, value``, or ``.space times, value``."""
        numbers = [self.known(each) for each in arguments]
        count, size, value = numbers[0], 1, numbers[-1] if len(numbers) > 1 else 0
        if name.text == ".fill":
            size, value = ([*numbers, 1, 0][1] if len(numbers) > 1 else 1), ([*numbers, 0, 0][2])
            in_range(size, (0, 8), "size", arguments[-1].column)
        in_range(count, (0, SPACE_LIMIT // max(size, 1)), "count", arguments[0].column)
        content = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        self._place(name, count * size, (lambda _: content * count) if any(content) else None)

    def _data(self, name: Name, arguments: tuple[Argument, ...]) -> None:
        """Place numbers, characters or the bytes of a file."""
        text = name.text
        if text in _TEXTS:
            content = b"".join(characters(argument) + _TEXTS[text] for argument in arguments)
        elif text == ".incbin":
            content = self.included(arguments[0], arguments[1:], self.known)
        else:
            element, nodes = ELEMENTS[text], [self.resolved(each) for each in arguments]

            def elements(_: int) -> bytes:
                return b"".join(pack(element, each, self.symbols.value) for each in nodes)

            self._place(name, element.size * len(nodes), elements)
            return
        self._place(name, len(content), lambda _: content)

    def _place(self, name: Name, size: int, content: Callable[[int], bytes] | None) -> None:
        """Append the bytes of a directive, zeros without ``content``; a section of zeros refuses others."""
        section = self.section
        if section.offset + size > SPACE_LIMIT:
            raise Problem(name.column, f"{section.name} has over {SPACE_LIMIT} bytes; use less data")

        def zeros(address: int) -> bytes:
            if content is not None and any(content(address)):
                reason = f"{section.name} holds zeros only, this is not 0; values must follow .data"
                raise Problem(name.column, reason)
            return b""

        section.add(self.place, size, zeros if content is not None and section.kind.zeros else content)

    def finish(self, name: str, base: int) -> RiscvProgram:
        """Second pass: give sections their addresses, and everything its bytes."""
        if self.block is not None:
            directive = self.block.directive
            reason = f"{directive.text} without {ENDS[directive.text]}: add it"
            self.mistakes.add(self.block.place, Problem(directive.column, reason))
        parts = sorted(self.sections.values(), key=lambda each: each.kind.order)
        lay_out(parts, base)
        self.symbols.settle()
        kept = [each for each in parts if each.kind != DROPPED]
        contents = {}
        for section in parts:
            for item in section.items:
                at = section.address + item.offset
                if item.content is not None:
                    contents[at] = self.at(item.place, partial(item.content, at)) or b""
        sizes = {each: partial(self._size, place, node) for each, (place, node) in self.sizes.items()}
        symbols = self.symbols.addresses(kept, sizes)
        self.mistakes.raise_all()
        texts = [each for each in kept if each.kind.instructions]
        text, end = texts[0].address, texts[-1].address + texts[-1].offset
        if text == end:
            raise UserError(f"{name}: there is no instruction in it; write some after .text")
        return RiscvProgram(
            name,
            next((symbols[each].address for each in ENTRY_LABELS if each in symbols), text),
            segments(kept, contents),
            text,
            end + end % 2,
            symbols,
            [(each.address, _source_line(each.place)) for each in sorted(self.lines, key=_address)],
            self.files.inputs,
            self.extensions,
        )

    def _size(self, place: Place, node: Argument) -> int:
        return self.at(place, partial(self.symbols.value, node)) or 0


def _address(label: Label) -> int:
    return label.address


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
    base: int = BASE,
    folder: str | Path | None = None,
    given: Mapping[str, bytes] | None = None,
    extensions: frozenset[str] = frozenset(),
) -> RiscvProgram:
    r"""Assemble a text.

    Parameters
    ----------
    text
        Assembly text as the GNU assembler takes it.
    file
        Its name in messages.
    symbols
        Constants given from outside.
    base
        The address at which the program begins.
    folder
        Where the files of ``.include`` and ``.incbin`` lie; without it there are none.
    given
        Contents of such files, by their paths: no file is opened.
    extensions
        The custom extensions that are switched on.

    Raises
    ------
    AssemblyError
        The mistakes in the text, in its order.
    UserError
        A mistake in the other parameters, or a text without an instruction.

    Examples
    --------
    >>> from isa.riscv.assembler import assemble
    >>> program = assemble("main: addi a0, a0, 1\n ret")
    >>> program.bytes_at(program.entry, 4).hex()
    '13051500'
    """
    if not isinstance(text, str):
        raise UserError(f"assemble: {shown(text)}: a text is expected; assemble_file takes a path")
    file = path_text("file", file)
    contents = None if given is None else table("given", given)
    files = Inclusion(file, None if folder is None else path_of("folder", folder), contents)
    return _program(text, Source(file, Path(file).name), files, symbols, base, extensions)


def assemble_file(
    path: str | Path,
    *,
    symbols: Mapping[str, int] | None = None,
    base: int = BASE,
    extensions: frozenset[str] = frozenset(),
) -> RiscvProgram:
    """Assemble a file.

    Parameters
    ----------
    path
        Of the file, text in UTF-8.
    symbols, base, extensions
        As :func:`assemble` takes them.

    Raises
    ------
    UserError
        The file cannot be read; or as :func:`assemble` does.
    """
    path = path_of("assemble_file", path)
    content = read_input(path, ASSEMBLY)
    files = Inclusion(str(path), path.parent)
    files.inputs[path.name] = hashlib.sha256(content).hexdigest()
    source = Source(str(path), path.name)
    return _program(decoded(content, str(path)), source, files, symbols, base, extensions)


def _program(
    text: str,
    source: Source,
    files: Inclusion,
    symbols: Mapping[str, int] | None,
    base: int,
    extensions: frozenset[str],
) -> RiscvProgram:
    base = whole("base", base)
    if not 0 <= base < 1 << 48:
        raise UserError(f"base {base} must be from 0 to {(1 << 48) - 1}")
    constants = {
        name: whole(f"symbol {name}", value, None) for name, value in table("symbols", symbols).items()
    }
    for name in constants:
        if not name.isidentifier() or name in NAMED_REGISTERS:
            raise UserError(f"symbol {name!r}: use letters, digits and '_', and no name of a register")
    assembler = _Assembler(source, files, constants, extensions)
    assembler.read(source, without_comments(text))
    return assembler.finish(source.name, base)
