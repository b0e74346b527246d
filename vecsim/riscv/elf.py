"""Programs as ELF files: what goes into memory, where it begins, its symbols and its source lines.

Files are static, for RV64, little-endian, and need no relocation, as compilers link them for bare metal.
"""

from __future__ import annotations

import hashlib
import io
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.elf.constants import P_FLAGS, SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from isa.program import SourceLine
from isa.riscv.extensions import extensions_in_attribute
from isa.riscv.program import RiscvProgram, Segment, Symbol
from vecsim.support.errors import UserError, in_words
from vecsim.support.input_files import ELF_FILE, SOURCE, Name, read_input, read_text

MOST_ADDRESS = (1 << 63) - 1
HOST_SYMBOLS = "tohost", "fromhost"
"""Words in which a program and its host leave messages."""


@dataclass(frozen=True)
class ElfProgram(RiscvProgram):
    """A program, and the file that has it."""

    content: bytes = b""

    def line_of(self, address: int) -> SourceLine | None:
        """Return the source line of an instruction; None if the file does not say."""
        place = bisect_right(self._lines, address, key=lambda each: each[0]) - 1
        return self._lines[place][1] if place >= 0 else None

    @cached_property
    def _lines(self) -> list[tuple[int, SourceLine | None]]:
        """The addresses from which a line holds, in order; None: nothing is known from there.

        Damaged ones are as good as none: a program runs without.
        """
        try:
            elf = ELFFile(io.BytesIO(self.content))
            lines = _lines_of(elf.get_dwarf_info(), self.source_lines) if elf.has_dwarf_info() else ()
            return sorted(lines, key=lambda each: each[0])
        except Exception:  # the library fails in many ways
            return []

    def source_lines(self, file: str) -> list[str]:
        """Return the lines of a source file that lies next to the program; none if it does not."""
        try:
            return read_text(Path(self.name).parent / PurePosixPath(file).name, SOURCE).split("\n")
        except UserError:
            return []


def read_elf(path: Name) -> ElfProgram:
    """Read a program.

    Raises
    ------
    UserError
        The file cannot be read, or is none that this machine executes.
    """
    return parsed_elf(read_input(path, ELF_FILE), str(path))


def parsed_elf(content: bytes, name: str) -> ElfProgram:
    """Return the program that the bytes of a file are.

    Raises
    ------
    UserError
        They are no program that this machine executes; the message begins with ``name``.
    """
    try:
        return _parsed(ELFFile(io.BytesIO(content)), content, name)
    except UserError:
        raise
    except Exception as error:  # a damaged file: the library fails in many ways
        raise UserError(f"{name}: no whole ELF file ({in_words(error)}); link the program again") from None


def _parsed(elf: Any, content: bytes, name: str) -> ElfProgram:
    if (elf.get_machine_arch(), elf.elfclass, elf.little_endian) != ("RISC-V", 64, True):
        raise UserError(f"{name}: not a program for RV64; compile it with --target=riscv64-unknown-elf")
    loaded = [each for each in elf.iter_segments("PT_LOAD") if each["p_memsz"]]
    if elf["e_type"] != "ET_EXEC" or any(elf.iter_segments("PT_INTERP")):
        raise UserError(f"{name}: not linked to fixed addresses; link it with -static -no-pie")
    text = list(_text_ranges(elf))
    if not loaded or not text:
        raise UserError(f"{name}: there is nothing in it to execute; link the program")
    segments = tuple(
        Segment(each["p_vaddr"], each.data()[: each["p_memsz"]], each["p_memsz"]) for each in loaded
    )
    begin, end = min(low for low, _ in text), max(high for _, high in text)
    if begin % 2 or not any(each.address <= begin and end <= each.address + each.size for each in segments):
        raise UserError(f"{name}: its instructions are in several segments, or at an odd address")
    symbols = dict(_symbols(elf))
    addresses = [elf["e_entry"], *(each.address + each.size for each in segments)]
    if max([*addresses, *(symbols[each].address for each in HOST_SYMBOLS if each in symbols)]) > MOST_ADDRESS:
        raise UserError(f"{name}: it has addresses above {MOST_ADDRESS:#x}; link it to lower ones")
    end += end % 2
    extensions = extensions_in_attribute(_architecture(elf))
    return ElfProgram(
        name,
        elf["e_entry"],
        segments,
        begin,
        end,
        symbols,
        inputs={Path(name).name: hashlib.sha256(content).hexdigest()},
        extensions=extensions,
        content=content,
    )


def _architecture(elf: Any) -> str:
    """Return the architecture string that a file says it is for; an empty one if it says none."""
    for section in elf.iter_sections("SHT_RISCV_ATTRIBUTES"):
        for vendor in section.iter_subsections():
            for part in vendor.iter_subsubsections():
                for each in part.iter_attributes("TAG_ARCH"):
                    return str(each.value)
    return ""


def _text_ranges(elf: Any) -> Iterator[tuple[int, int]]:
    """Yield where instructions are: sections that say so, or segments of a file without sections."""
    parts = [
        (each["sh_addr"], each["sh_addr"] + each["sh_size"])
        for each in elf.iter_sections()
        if each["sh_flags"] & SH_FLAGS.SHF_EXECINSTR and each["sh_size"]
    ]
    yield from parts or [
        (each["p_vaddr"], each["p_vaddr"] + each["p_filesz"])
        for each in elf.iter_segments("PT_LOAD")
        if each["p_flags"] & P_FLAGS.PF_X and each["p_filesz"]
    ]


def _symbols(elf: Any) -> Iterator[tuple[str, Symbol]]:
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            for each in section.iter_symbols():
                if each.name and each["st_shndx"] != "SHN_UNDEF" and each["st_info"]["type"] != "STT_FILE":
                    yield each.name, Symbol(each["st_value"], each["st_size"])


def _lines_of(
    dwarf: DWARFInfo, texts_of: Callable[[str], list[str]]
) -> Iterator[tuple[int, SourceLine | None]]:
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        names = [each.name.decode("utf-8", "replace") for each in program["file_entry"]]
        texts = [texts_of(name) for name in names]
        first = 0 if program["version"] >= 5 else 1
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            file = state.file - first
            if state.end_sequence or not 0 <= file < len(names):
                yield state.address, None
                continue
            text = texts[file][state.line - 1].strip() if 0 < state.line <= len(texts[file]) else ""
            yield state.address, SourceLine(names[file], state.line, text)
