"""tar archives again, plain: the judge of what `vecsim.data` finds in them; see `plain_readers`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.data.plain_readers import integer_of, refuse_unless

BLOCK = 512
NUMBERS = ((100, 108), (108, 116), (116, 124), (124, 136), (136, 148), (148, 156), (329, 337), (337, 345))
"""Where a header has numbers."""
FILES = ("0", "\0", "7")
OTHERS = ("1", "2", "3", "4", "5", "6")
KNOWN = ("path", "size", "mtime", "atime", "ctime", "uid", "gid", "uname", "gname", "linkpath", "comment")
MATRICES = (
    ".mtx", ".rb", ".hb", ".rsa", ".rua", ".rza", ".rra", ".psa", ".pua", ".pra", ".pza",
    ".csa", ".cua", ".cha", ".cza", ".cra", ".isa", ".iua", ".iza", ".ira",
)  # fmt: skip


class NotJudged(Exception):
    """The archive uses what this reader does not know."""


@dataclass
class Member:
    """A file, by its header and what stands before it."""

    name: str
    kind: str
    size: int
    data: bytes = b""


def is_archive(data: bytes) -> bool:
    return len(data) >= BLOCK and data[257:262] == b"ustar"


def matrix_in(data: bytes) -> tuple[str, bytes]:
    """Return name and text of the matrix: the file named like its folder, or the only one.

    Raises
    ------
    Refused
        If the archive is damaged, or holds no or several such files.
    NotJudged
        If it cannot be said.
    """
    held, own = [], []
    for member in members(data):
        parts = [part for part in member.name.split("/") if part not in ("", ".")]
        stem, dot, suffix = (parts[-1] if parts else "").rpartition(".")
        if member.kind in FILES and stem and (dot + suffix).lower() in MATRICES:
            held.append(member)
            if len(parts) > 1 and parts[-2] == stem:
                own.append(member)
    chosen = own or held
    refuse_unless(len(chosen) == 1, "no matrix, or several")
    return chosen[0].name.rpartition("/")[2], chosen[0].data


def members(data: bytes) -> Iterator[Member]:
    """Yield all members."""
    place = 0
    common: dict[str, str] = {}
    own: dict[str, str] = {}
    long_name = None
    waiting = ""
    while place < len(data):
        block = data[place : place + BLOCK]
        refuse_unless(len(block) == BLOCK, "half a header")
        if not any(block):
            refuse_unless(not waiting, "a header for nothing")
            return
        member = header(block)
        place += BLOCK
        if member.kind in "SXDMV":
            raise NotJudged(member.kind)
        records = {**common, **own}
        if member.kind not in "xgLK" and "size" in records:
            member.size = integer_of(records["size"], "")
        size = 0 if member.kind in OTHERS else member.size
        refuse_unless(size >= 0 and -(-size // BLOCK) * BLOCK <= len(data) - place, "cut off")
        content = data[place : place + size]
        place += -(-size // BLOCK) * BLOCK
        refuse_unless(member.kind not in waiting, "two headers of one kind for one file")
        if member.kind in "xLK":
            waiting += member.kind
        if member.kind in "xg":
            (own if member.kind == "x" else common).update(records_of(content))
        elif member.kind == "L":
            long_name = content.split(b"\0")[0].decode("utf-8", "surrogateescape")
        elif member.kind != "K":
            member.name = records.get("path", member.name) if long_name is None else long_name
            member.data = content
            own, long_name, waiting = {}, None, ""
            yield member
    refuse_unless(not waiting, "a header for nothing")


def header(block: bytes) -> Member:
    total = sum(block[:148]) + sum(block[156:]) + 8 * ord(" ")
    signed = total - 256 * sum(byte > 127 for byte in block[:148] + block[156:])
    refuse_unless(number(block[148:156]) in (total, signed), "another checksum")
    for start, end in NUMBERS:
        number(block[start:end])
    name = text(block[:100])
    kind = chr(block[156])
    prefix = text(block[345:500])
    if prefix and block[257:265] != b"ustar\x0000":
        raise NotJudged("a prefix in a format that has none")
    if kind in "\0" and name.endswith("/"):
        kind = "5"
    return Member(f"{prefix}/{name}" if prefix else name, kind, number(block[124:136]))


def text(field: bytes) -> str:
    return field.split(b"\0")[0].decode("utf-8", "surrogateescape")


def number(field: bytes) -> int:
    if field[0] in (0o200, 0o377):
        value = int.from_bytes(field[1:], "big")
        return value - 256 ** (len(field) - 1) if field[0] == 0o377 else value
    digits = field.split(b"\0")[0].decode("latin-1").strip(" ")
    refuse_unless(all(digit in "01234567" for digit in digits), "no octal number")
    return int(digits or "0", 8)


def records_of(content: bytes) -> dict[str, str]:
    """Read ``LENGTH KEY=VALUE\\n`` records of pax."""
    actual: dict[str, str] = {}
    content = content.rstrip(b"\0")
    while content:
        length_text, _, _ = content.partition(b" ")
        length = integer_of(length_text.decode("latin-1"), "")
        record = content[:length]
        refuse_unless(len(length_text) + 3 < length == len(record) and record.endswith(b"\n"), "no record")
        key, equals, value = record[len(length_text) + 1 : -1].partition(b"=")
        refuse_unless(equals and key, "no record")
        if key.decode("latin-1") not in KNOWN:
            raise NotJudged(key.decode("latin-1"))
        if key == b"size":
            integer_of(value.decode("latin-1"), "")
        actual[key.decode("ascii")] = value.decode("utf-8", "surrogateescape")
        content = content[length:]
    return actual
