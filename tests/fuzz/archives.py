"""Archives and gzip files, right and wrong: ``python -m tests.fuzz.archives --count 10000``."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zlib

from tests.data.plain_readers import Plain, Refused, harwell_boeing, matrix_market
from tests.data.plain_tar import BLOCK, is_archive, matrix_in
from tests.fuzz.campaign import Case, Fuzzer, main
from tests.fuzz.damage import damaged

NAMES = (
    "a/a.mtx", "a/a.mtx", "a/a.mtx", "a/a_b.mtx", "./a/a.mtx", "b.mtx", "a/readme.txt", "a/", "a/.mtx",
    "a/a.MTX", "a/a.rua",
    "../a/a.mtx", "/a/a.mtx", "a//a.mtx", "a/\x1b[1m.mtx", "a/x\n.mtx", "a/\udcff.mtx",
    "d" * 120 + "/x.mtx", "a.mtx", "mtx",
    "e" * 300 + ".mtx", "",
)  # fmt: skip
KINDS = (
    b"0",
    b"0",
    b"0",
    b"0",
    b"\0",
    b"7",
    b"5",
    b"2",
    b"1",
    b"S",
    b"x",
    b"g",
    b"L",
    b"K",
    b"D",
    b"?",
    b"6",
    b"X",
)
SIZES = (0, 1, 511, 512, 513, -1, -512, 1 << 20, 20 << 30, 1 << 62, -(1 << 62))
RECORDS = (
    "size=20000000000", "size=-1", "size=x", "size=0", "size=1_0", "path=a/a.mtx", "path=", "path=\0",
    "GNU.sparse.major=1",
    "GNU.sparse.minor=0", "GNU.sparse.realsize=20000000000", "GNU.sparse.name=a/a.mtx",
    "GNU.sparse.map=0,1,x", "=",
    "GNU.sparse.size=9999999999", "GNU.sparse.numblocks=3", "mtime=nan", "mtime=1e400", "uid=x",
    "hdrcharset=BINARY", "path=\ud800",
    "GNU.sparse.offset=5", "GNU.sparse.numbytes=7", "comment=x", "a", "GNU.sparse.map=0,99999999999",
    "GNU.sparse.major=0",
)  # fmt: skip


def make(source: random.Random) -> Case:
    """Make up an archive, or a matrix file, packed in some way, often with something wrong."""
    rightly = source.random() < 0.3
    if source.random() < 0.8:
        data = _by_library(source) if source.random() < 0.4 else _by_hand(source, rightly)
    else:
        data = _text(source)
    if not rightly and source.random() < 0.5:
        data = damaged(source, data, source.choice((1, 1, 2)))
    if source.random() < 0.5:
        return Case(source.choice(("case.tar", "case.mtx")), data)
    return Case("case.tar.gz", _packed(source, data, rightly))


def _text(source: random.Random) -> bytes:
    value = source.randrange(1, 9)
    if source.random() < 0.1:
        return source.choice((b"", b"\n", b"no matrix", b"<html>", b"%%MatrixMarket matrix", bytes(600)))
    blanks = b"\n" * source.choice((0, 0, 0, 300, 1000, 3000))
    return b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 " + b"%d\n" % value + blanks


def _by_library(source: random.Random) -> bytes:
    """Make an archive as tarfile does."""
    built = io.BytesIO()
    form = source.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    with tarfile.open(fileobj=built, mode="w", format=form, errors="surrogateescape") as archive:
        for _ in range(source.choice((0, 1, 1, 2, 3))):
            member = tarfile.TarInfo(source.choice(NAMES))
            if form == tarfile.USTAR_FORMAT:
                member.name = member.name[-60:]
            content = _text(source)
            member.size = len(content)
            if form == tarfile.PAX_FORMAT and source.random() < 0.5:
                pairs = [
                    record.partition("=") for record in source.sample(RECORDS, source.choice((1, 1, 2, 4)))
                ]
                member.pax_headers = {key: value for key, _, value in pairs if key and value.isascii()}
            archive.addfile(member, io.BytesIO(content))
    return built.getvalue()


def _by_hand(source: random.Random, rightly: bool) -> bytes:
    """Put headers and contents together, each with a right checksum, whatever it says."""
    parts = []
    for _ in range(source.choice((1, 1, 2, 2, 3, 4))):
        kind = b"0" if rightly else source.choice(KINDS)
        content = _records(source) if kind in b"xgX" else _text(source)
        if kind in b"LK":
            content = source.choice(NAMES).encode("utf-8", "surrogateescape") + b"\0"
        size = len(content) if rightly or source.random() < 0.8 else source.choice(SIZES)
        parts.append(_header(source, kind, size, rightly) + content + bytes(-len(content) % BLOCK))
    if source.random() < 0.9:
        parts.append(bytes(BLOCK * source.choice((1, 2, 20))))
    return b"".join(parts)


def _header(source: random.Random, kind: bytes, size: int, rightly: bool) -> bytes:
    built = bytearray(BLOCK)
    name = source.choice(NAMES[:7] if rightly else NAMES).encode("utf-8", "surrogateescape")[:100]
    built[: len(name)] = name
    built[100:108], built[108:116], built[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    built[124:136], built[136:148] = tarfile.itn(size, 12, tarfile.GNU_FORMAT), b"00000000000\0"
    built[148:156], built[156:157] = b" " * 8, kind
    built[257:265] = source.choice((b"ustar\x0000", b"ustar  \0"))
    if not rightly:
        if source.random() < 0.1:
            built[124:136] = source.choice(
                (b"0o17\0", b"1_0\0", b"-7\0", b" 7 ", b"\x80", b"x", b"99")
            ).ljust(12, b"\0")
        if source.random() < 0.1:
            built[source.randrange(BLOCK)] = source.randrange(256)
            built[148:156] = b" " * 8
    built[148:156] = b"%06o\0 " % sum(built)
    return bytes(built)


def _records(source: random.Random) -> bytes:
    """Write records of pax; their lengths are right most of the time."""
    built = b""
    for record in source.sample(RECORDS, source.choice((1, 1, 2, 3, 5))):
        body = f" {record}\n".encode("utf-8", "surrogatepass")
        length = len(body) + len(str(len(body)))
        length += len(str(length)) - len(str(len(body)))
        if source.random() < 0.05:
            length = source.choice((0, -1, 5, 10**20, length + 1))
        built += str(length).encode() + body
    return built + bytes(source.choice((0, 0, 512)))


def _packed(source: random.Random, data: bytes, rightly: bool) -> bytes:
    """Pack with gzip: in one member or several, with headers that are allowed, then perhaps damaged."""
    cut = source.randrange(len(data) + 1) if source.random() < 0.2 else 0
    packed = (gzip.compress(data[:cut], 1, mtime=0) if cut else b"") + gzip.compress(
        data[cut:], source.choice((0, 1, 9)), mtime=0
    )
    if rightly:
        return packed
    way = source.random()
    if way < 0.3:
        return damaged(source, packed, source.choice((1, 2)))
    if way < 0.4:
        return packed + source.choice((b"\0" * 10, b"x", b"\x1f\x8b", b"\x1f\x8b\x08" + bytes(7)))
    if way < 0.45:
        return gzip.compress(packed, mtime=0)
    if way < 0.5:
        return gzip.compress(data + bytes(source.choice((1 << 20, 8 << 20))), 1, mtime=0)
    return packed


def judge(case: Case) -> Plain:
    """Unpack at once, take the archive apart, read with the plain readers."""
    data, name = case.data, case.name
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise Refused(str(error)) from None
    if is_archive(data):
        name, data = matrix_in(data)
    if name.lower().endswith(".rua") and not data.startswith(b"%%MatrixMarket"):
        return harwell_boeing(data)
    return matrix_market(data)


FUZZER = Fuzzer("archives", make, judge)

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
