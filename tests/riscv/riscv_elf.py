"""Writes ELF files for RV64 from words: what tests execute here and on Spike."""

import struct

TEXT_BASE, DATA_BASE = 0x80000000, 0x80010000
EXECUTABLE, RISCV, RV64 = 2, 243, 2
RX, RW = 5, 6
PROGBITS, SYMTAB, STRTAB = 1, 2, 3
ATTRIBUTES = 0x70000003


def attributes(arch):
    """Return the content of .riscv.attributes: alignment of the stack, and the architecture."""
    parts = bytes([4, 16, 5]) + arch.encode() + b"\0"
    parts = b"\1" + struct.pack("<I", 5 + len(parts)) + parts
    return b"A" + struct.pack("<I", 4 + len(b"riscv\0") + len(parts)) + b"riscv\0" + parts


def elf(
    text,
    data=b"",
    symbols=None,
    entry=TEXT_BASE,
    data_bytes=None,
    machine=RISCV,
    kind=EXECUTABLE,
    arch="",
):
    """Return a file with a text and data at their addresses.

    ``symbols`` has addresses by name; ``data_bytes`` may be more than ``data`` has: zeros follow. ``arch`` is
    the architecture that it says it is for, if it says one.
    """
    symbols = symbols or {}
    names, table = b"\0", struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    for name, address in symbols.items():
        size = 0
        if isinstance(address, tuple):
            address, size = address
        table += struct.pack("<IBBHQQ", len(names), 0x11, 0, 1, address, size)
        names += name.encode() + b"\0"
    section_names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0.riscv.attributes\0"
    said = attributes(arch) if arch else b""
    places, content = [], b""
    begin = 64 + 2 * 56
    for part in (text, data, table, names, section_names, said):
        content += b"\0" * (-(begin + len(content)) % 16)
        places.append(begin + len(content))
        content += part
    content += b"\0" * (-(begin + len(content)) % 8)
    headers = begin + len(content)
    program = [
        struct.pack("<IIQQQQQQ", 1, RX, places[0], TEXT_BASE, TEXT_BASE, len(text), len(text), 16),
        struct.pack(
            "<IIQQQQQQ", 1, RW, places[1], DATA_BASE, DATA_BASE, len(data), data_bytes or len(data), 16
        ),
    ]
    sections = [
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (1, PROGBITS, 6, TEXT_BASE, places[0], len(text), 0, 0, 4, 0),
        (7, SYMTAB, 0, 0, places[2], len(table), 3, 1, 8, 24),
        (15, STRTAB, 0, 0, places[3], len(names), 0, 0, 1, 0),
        (23, STRTAB, 0, 0, places[4], len(section_names), 0, 0, 1, 0),
    ]
    if arch:
        sections.append((33, ATTRIBUTES, 0, 0, places[5], len(said), 0, 0, 1, 0))
    head = b"\x7fELF" + bytes([RV64, 1, 1]) + b"\0" * 9
    head += struct.pack(
        "<HHIQQQIHHHHHH", kind, machine, 1, entry, 64, headers, 5, 64, 56, 2, 64, len(sections), 4
    )
    return (
        head + b"".join(program) + content + b"".join(struct.pack("<IIQQQQIIQQ", *each) for each in sections)
    )
