"""Arrays for ``--load`` and ``--expect``, right and wrong: ``python -m tests.fuzz.arrays --count 10000``."""

from __future__ import annotations

import gzip
import math
import random
import struct
import time
import traceback
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isa.assembler import assemble
from tests.data.plain_arrays import CODES, SIZES, Held, Numbers, differ, held, npy
from tests.data.plain_readers import Refused, matrix_market, refuse_unless
from tests.data.plain_tar import NotJudged
from tests.fuzz import matrix_market as matrix_files
from tests.fuzz.campaign import LONGEST_MESSAGE, MOST_SECONDS, Case, main
from tests.fuzz.commands import BEGINNING, called, captured
from tests.fuzz.damage import damaged
from vecsim.cli.application import ended
from vecsim.cli.data_files import DataFiles
from vecsim.cli.printing.output import Output

PLACE, BYTES = 1024, 4096
"""Where arrays go, and how much memory there is after that place."""
WHATS = ("", "", "", "word", "float", "double", "byte", "rowptr", "colidx", "values", "flaot")
CRS = ("rowptr", "colidx", "values")
TOLERANCE = 1e-5
NAMES = (
    "case.npy", "case.npy", "case.npy", "case.npy", "case.mtx", "case.mtx", "case.mtx.gz", "case.txt",
    "case.csv", "case.npz", "a=b.npy", "a:b.npy", "case",
)  # fmt: skip
INTEGERS = (
    0, 1, -1, 127, 128, 255, 256, -128, -129, 2**15, 2**24, 2**24 + 1, 2**31 - 1, 2**31, -(2**31),
    2**32 - 1, 2**32, 2**53, 2**53 + 1, 2**62 + 1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1,
)  # fmt: skip
REALS = (
    0.0, -0.0, 0.1, 1.0, -2.5, 1e-5, 1e-6, 1e-46, 1e-40, -1e-50, 1e39, 3.4028234663852886e38,
    3.4028235677973366e38, 16777217.0, 33554435.0, 1e300, 5e-324, 1e-310, 65504.0, math.inf, -math.inf,
    math.nan,
)  # fmt: skip
STRANGE_TYPES = (
    "<c8", "<c16", "|b1", "|O", "<U3", "|S2", "<M8[s]", "<f16", "|V4", "<f3", "<i3", "f4", "<x4", "", "<f",
    "[('a', '<f4')]", "('<f4', (2,))", "|i1", "=f8", "<b1",
)  # fmt: skip
STRANGE_SHAPES = (
    "(-1,)", "(1000000000000,)", "(4611686018427387904, 4)", "[2]", "2", "(2.0,)", "(True,)", "(2, )",
    "(" * 300, "(" * 3000 + ")" * 3000, "()", "(0, 5)", "None", "(1e3,)", "(2L,)", "(10**9,)", "(0x2,)",
)  # fmt: skip


@dataclass(frozen=True)
class Loaded:
    """What a case asks for."""

    what: str
    value_bits: int

    @property
    def words(self) -> str:
        """What stands in front of the equals sign."""
        return f"{PLACE}:{self.what}" if self.what else str(PLACE)


def make(source: random.Random) -> Case:
    """Make up a file, and what is asked of it; often with something wrong."""
    rightly = source.random() < 0.5
    name = source.choice(NAMES[:7] if rightly else NAMES)
    if ".mtx" in name:
        data = matrix_files.make(source).data if source.random() < 0.5 else _dense(source)
        whats = ("", *CRS) if source.random() < 0.8 else WHATS
    else:
        data = _npy(source, rightly)
        whats = ("", "", "", "float", "double", "word", "byte") if rightly else WHATS
    if not rightly:
        data = damaged(source, data, source.choice((0, 0, 1, 1, 2)))
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
        if not rightly and source.random() < 0.2:
            data = damaged(source, data, 1)
    return Case(name, data, (source.choice(whats), str(source.choice((32, 64)))))


def _dense(source: random.Random) -> bytes:
    rows, columns = source.choice((1, 2, 4)), source.choice((1, 1, 3))
    field = source.choice(("real", "real", "integer", "unsigned-integer", "complex"))
    if field == "real":
        values = [
            f"{source.choice([each for each in REALS if math.isfinite(each)])!r}"
            for _ in range(rows * columns)
        ]
    elif field == "complex":
        values = [
            f"{source.choice((0.0, 1.5))} {source.choice((0.0, 0.0, 2.0))}" for _ in range(rows * columns)
        ]
    else:
        low, high = (0, 2**64) if field == "unsigned-integer" else (-(2**63), 2**63)
        values = [str(source.choice([n for n in INTEGERS if low <= n < high])) for _ in range(rows * columns)]
    lines = [f"%%MatrixMarket matrix array {field} general", f"{rows} {columns}", *values, ""]
    return "\n".join(lines).encode()


def _npy(source: random.Random, rightly: bool) -> bytes:
    kind = source.choice("iufff")
    size = source.choice(tuple(CODES[kind]))
    order = source.choice("<<<>")
    shape = source.choice(((3,), (5,), (1,), (2, 3), (3, 1, 2), (), (4, 2)))
    if not rightly and source.random() < 0.1:
        shape = source.choice(((0,), (2, 0), (600,), (2000,)))
    count = math.prod(shape)
    bits = 8 * size
    if kind == "f":
        numbers = [each for each in REALS if size == 8 or _fits(each, size)]
        elements = [
            source.choice(numbers) if source.random() < 0.7 else source.uniform(-9, 9) for _ in range(count)
        ]
        if source.random() < 0.2:
            elements = [
                float(round(source.choice([n for n in numbers if abs(n) < 1e18]))) for _ in range(count)
            ]
        if source.random() < 0.03:
            elements = [math.nan] * count
    else:
        low, high = (0, 1 << bits) if kind == "u" else (-(1 << bits - 1), 1 << bits - 1)
        held_by_all = [n for n in INTEGERS if low <= n < high and (-128 <= n < 256 or source.random() < 0.7)]
        elements = [source.choice(held_by_all) for _ in range(count)]
    body = b"".join(struct.pack(order + CODES[kind][size], each) for each in elements)
    descr, written = f"'{order if size > 1 else '|'}{kind}{size}'", repr(shape)
    fortran = str(source.random() < 0.3)
    extra = ""
    if not rightly and source.random() < 0.4:
        which = source.randrange(5)
        strange = source.choice(STRANGE_TYPES)
        descr = (strange if strange[:1] in "[(" and strange else repr(strange)) if which == 0 else descr
        written = source.choice(STRANGE_SHAPES) if which == 1 else written
        fortran = source.choice(("1", "None", "'C'", "true")) if which == 2 else fortran
        extra = source.choice(("'a': 1, ", "'shape': (1,), ", "x", "{", "\\u0000")) if which == 3 else ""
        body = body + bytes(source.choice((1, 4, 64))) if which == 4 else body
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {written}, {extra}}}"
    version = source.choice((1, 1, 1, 2, 3)) if rightly else source.choice((1, 1, 1, 2, 3, 0, 4, 255))
    width = 2 if version == 1 else 4
    header += " " * (-(len(header) + 9 + width) % 64) + "\n"
    text = header.encode("latin-1")
    if not rightly and source.random() < 0.05:
        return _other_file(source)
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(width, "little") + text + body


def _fits(number: float, size: int) -> bool:
    try:
        struct.pack("<" + CODES["f"][size], number)
    except OverflowError:
        return False
    return True


def _other_file(source: random.Random) -> bytes:
    return source.choice(
        (
            b"",
            b"1,2,3\n",
            b"PK\x03\x04",
            b"PK\x05\x06" + bytes(18),
            b"\x80\x04K\x01.",
            b"\x93NUMPY",
            b"\x93NUMPY\1\0\xff\xff{",
        )
    )


def asked(case: Case) -> Loaded:
    """Return what the arguments of a case say."""
    what, bits = case.arguments
    return Loaded(what, int(bits))


def judge(case: Case) -> Held:
    """Return what memory must hold, or refuse the case."""
    wanted = asked(case)
    refuse_unless(case.name.endswith((".npy", ".mtx", ".mtx.gz")), "another kind of file")
    refuse_unless(wanted.what in ("", *SIZES, *CRS), "no such type")
    if case.name.endswith(".npy"):
        refuse_unless(wanted.what not in CRS, "an array is no matrix")
        numbers = npy(case.data)
    else:
        numbers = _of_matrix(case, wanted.what)
    actual = held(numbers, wanted.what if wanted.what in SIZES else "", wanted.value_bits // 8)
    refuse_unless(PLACE + len(actual.content) <= PLACE + BYTES, "beyond memory")
    return actual


def _of_matrix(case: Case, what: str) -> Numbers:
    data = case.data
    if case.name.endswith(".gz"):
        try:
            data = gzip.decompress(data)
        except Exception as error:
            raise NotJudged("damaged compression") from error
    elif data[:2] == b"\x1f\x8b":
        raise NotJudged("compressed without saying so")
    matrix = matrix_market(data)
    words = data.split(b"\n")[0].lower().split()
    if any(len(parts) > 2 for parts in matrix.entries.values()):
        raise NotJudged("a sum of three numbers depends on their order")
    values = {place: sum(parts[1:], parts[0]) for place, parts in matrix.entries.items()}  # -0 stays
    refuse_unless(all(map(math.isfinite, values.values())), "an infinite sum")
    places = sorted(values)
    if what == "rowptr":
        return Numbers([sum(row < limit for row, _ in places) for limit in range(matrix.rows + 1)], True)
    if what == "colidx":
        return Numbers([column for _, column in places], True)
    refuse_unless(b"complex" not in words[3:4], "complex values")
    if what == "values":
        return Numbers([values[place] for place in places], False)
    refuse_unless(words[2:3] == [b"array"], "sparse")
    if matrix.rows * matrix.columns > 10_000:
        raise NotJudged("large")
    dense = [values.get((row, column), 0.0) for column in range(matrix.columns) for row in range(matrix.rows)]
    return Numbers(dense, False)


@dataclass(frozen=True)
class Command:
    """``vecsim exec`` of a program that only halts."""

    program: Path
    value_bits: int
    whole: bool
    """Whether the command line is called; otherwise only what it does with data."""

    def __call__(self, **options: str) -> tuple[int, str, str]:
        """Return exit code, stdout and stderr for the options ``load``, ``save`` and ``expect``."""
        if self.whole:
            named = [word for name, value in options.items() for word in (f"--{name}", value)]
            size = ["--memory", str(PLACE + BYTES), "--value-bits", str(self.value_bits)]
            return called(["exec", str(self.program), "--engine", "simpy", *size, *named])
        return captured(lambda: ended(lambda: self._data(options)))

    def _data(self, options: dict[str, str]) -> int:
        given = {name: [options[name]] if name in options else None for name in ("load", "save", "expect")}
        how = {"tolerance": None, "source": str(self.program)}
        files = DataFiles(HALT, PLACE + BYTES, self.value_bits // 8, **given, **how)
        _, memory = files.memory()
        output = Output(None)
        files.save(output, memory, {})
        return 0 if files.compare(output, memory, {}) else 1


HALT = assemble("halt")
ONE_IN = 25
"""Of this many cases one goes through the whole command line."""


class Arrays:
    """The fuzzer: loads a file, compares memory with it, and looks at what is said."""

    name = "arrays"

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever."""
        return make(random.Random(f"{self.name} {seed}"))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Return a word for what came of a case, and what is wrong with that or nothing."""
        try:
            return self._outcome(case, folder)
        except Exception:
            return "traceback", traceback.format_exc()
        finally:
            for built in folder.iterdir():
                built.unlink()

    def _outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        path, program, out = folder / case.name, folder / "p.s", folder / "out.npy"
        path.write_bytes(case.data)
        program.write_text("halt\n")
        wanted = asked(case)
        command = Command(program, wanted.value_bits, zlib.crc32(case.data) % ONE_IN == 0)
        text = f"{wanted.words}={path}"
        began = time.monotonic()
        code, printed, err = command(load=text, save=f"{PLACE}:{BYTES}:byte={out}")
        seconds = time.monotonic() - began
        if seconds > MOST_SECONDS:
            return "slow", f"took {seconds:.1f} s"
        if code not in (0, 2):
            return "exit code", f"it is {code}: {err!r}"
        if code == 2 and (fault := _fault_of(printed, err, text)):
            return "message", f"{fault}: {err!r}"
        try:
            right = judge(case)
        except NotJudged:
            return "not judged", ""
        except Refused as refusal:
            return ("refused", "") if code == 2 else ("accepted", f"the judge refuses it: {refusal}")
        if code == 2:
            return ("beyond limits", "") if "VECSIM_" in err else ("too strict", f"the judge takes it: {err}")
        return "read", _wrong(right, np.load(out).tobytes(), err) or _compared(right, command, text)


def _fault_of(printed: str, err: str, text: str) -> str:
    """Return what is wrong with a message; empty if nothing is."""
    message = err.removesuffix("\n").split("\n")[-1]
    if printed or not message.startswith(BEGINNING) or not err.endswith("\n"):
        return "is not all there is"
    if not all(
        line.startswith("vecsim: ") and line.isprintable() for line in err.removesuffix("\n").split("\n")
    ):
        return "is not printable lines"
    if "--load" not in message and text.partition("=")[2] not in message:
        return "names neither the option nor the file"
    return "is long" if len(message) - 2 * len(text) > LONGEST_MESSAGE else ""


def _wrong(right: Held, memory: bytes, err: str) -> str:
    """Return where memory is wrong, or which loss was not reported; empty if all is right."""
    padded = right.content + bytes(BYTES - len(right.content))
    if memory != padded and not _same_but_nan(right, memory):
        return f"memory holds {memory[:64]!r}, not {padded[:64]!r}"
    for word, count in (("rounded", right.rounded), ("too small", right.small)):
        lines = [
            line
            for line in err.splitlines()
            if f" {word}" in line and ": the first" not in line and "--load" in line
        ]
        if len(lines) != (count > 0) or (lines and f" {count} " not in lines[0]):
            return f"{count} {word}, and it said {err!r}"
    return ""


def _same_but_nan(right: Held, memory: bytes) -> bool:
    """NaN may have other bits."""
    return any(each != each for each in right.elements) and differ(right, memory, 0.0) == 0


def _compared(right: Held, command: Command, text: str) -> str:
    """Return whether ``--expect`` finds what was loaded, and what zeros are not."""
    all_nan = right.kind in ("float", "double") and all(each != each for each in right.elements)
    code, _, err = command(load=text, expect=text)
    if code != (2 if all_nan else 0):
        return f"--expect of what was loaded ends with {code}: {err!r}"
    if all_nan:
        return ""
    wrong = differ(right, bytes(BYTES), TOLERANCE)
    code, _, err = command(expect=text)
    if code != (1 if wrong else 0) or (wrong and f" {wrong} of {len(right.elements):,} " not in err):
        return f"{wrong} elements are not zero, and --expect ends with {code}: {err!r}"
    return ""


FUZZER = Arrays()

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
