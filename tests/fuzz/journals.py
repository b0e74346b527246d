"""Journals, damaged and written by several at once: ``python -m tests.fuzz.journals --count 10000``.

A case is a file and steps: processes open it, append, are killed within a line, read what others wrote. After
each step the file must have every record that a plain reader finds before it, and the one that was appended.
"""

from __future__ import annotations

import json
import random
import traceback
import zlib
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.campaign import Case, fault_of, main
from tests.fuzz.damage import damaged
from tests.results.plain_journal import records_in
from vecsim.results.journal import KIND, Journal
from vecsim.support.errors import UserError

OWN = "test"
HEADERS = (
    {},
    {"a": 1},
    {"device": {"name": "x"}, "commit": None},
    {"\n" * 900: 1},
    {"text": "\u202e\x1b[1m\n"},
)
VALUES = (
    0, -1, 2**63, 1.5, 5e-324, True, None, "", "text", "\n", "\r", "\x85", "\ud800", "\u2028", [], {}, [[1]],
    {"journal": OWN}, "x" * 5_000,
)  # fmt: skip
FOREIGN = (
    b"", b"null", b"5", b'"text"', b"[1]", b"{}", b'{"a":1e400}', b'{"a":NaN}', b"[" * 20_000,
    b'{"a":' * 20_000, b'{"a":1,"a":2}', b"\xff\xfe", b"\xef\xbb\xbf{}", b' {"a":1}', b'{"a":1} ', b'{"a":1',
    b'{"a":' + b"9" * 5_000 + b"}", b'{"journal":"other"}',
)  # fmt: skip
RAW = (
    b"", b"\n", b"\r", b"\r\n", b"\0", b"\0" * 4096, b"text", b"text\n", b"00000000 {}\n", b"00000000",
    b"00000000 \n", b"a\rb\n", b"\x0b\x0c\x1c\x85\n", b"\r\r\r\n", b'12345678 {"a":1}\n', b"+0000000 \n",
)  # fmt: skip
STEPS = (
    "open", "open", "append", "append", "append", "append", "refresh", "refresh", "close", "tear", "raw",
)  # fmt: skip


def line_of(text: bytes) -> bytes:
    """Return a line as a writer would."""
    return b"%08x %s\n" % (zlib.crc32(text), text)


def text_of(record: dict[str, object]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode("ascii")


def make(source: random.Random) -> Case:
    """Make up a file, often damaged, and steps; the header is the first of the arguments."""
    header = source.choice(HEADERS)
    kind = OWN if source.random() < 0.97 else source.choice(VALUES)
    lines = [line_of(text_of({KIND: kind, **header}))]
    lines += [line_of(text_of(_record(source))) for _ in range(source.choice((0, 1, 2, 5)))]
    if source.random() < 0.4:
        for _ in range(source.choice((1, 1, 2, 3))):
            lines.insert(source.randrange(1, len(lines) + 1), _foreign(source))
    data = b"".join(lines)
    if source.random() < 0.3:
        data = data[: len(data) - source.randrange(min(len(data), 200))]
    if source.random() < 0.4:
        first = len(lines[0]) if source.random() < 0.8 else 0
        data = data[:first] + damaged(source, data[first:], source.choice((1, 1, 2, 5)))
    elif source.random() < 0.05:
        data = source.choice(RAW)
    if source.random() < 0.1:
        header = source.choice(HEADERS)
    steps = [_step(source) for _ in range(source.choice((2, 4, 8, 16)))]
    return Case("journal", data, (json.dumps(header), "open 0", *steps))


def _record(source: random.Random) -> dict[str, object]:
    names = ("a", "b", "number", "", KIND)
    return {source.choice(names): source.choice(VALUES) for _ in range(source.choice((0, 1, 1, 2)))}


def _foreign(source: random.Random) -> bytes:
    way = source.random()
    if way < 0.4:
        return line_of(source.choice(FOREIGN))
    if way < 0.6:
        return source.choice(RAW)
    line = line_of(text_of(_record(source)))
    # Of a writer that was killed; the next one begins a new line.
    return line[: source.randrange(len(line))] + b"\n"


def _step(source: random.Random) -> str:
    what, writer = source.choice(STEPS), source.choice((0, 0, 1, 2))
    if what == "append":
        return f"append {writer} {json.dumps(_record(source))}"
    if what == "tear":
        line = line_of(text_of(_record(source)))
        return f"raw {writer} {json.dumps(line[: source.randrange(len(line))].decode('latin-1'))}"
    if what == "raw":
        return f"raw {writer} {json.dumps(source.choice(RAW[1:]).decode('latin-1'))}"
    return f"{what} {writer}"


class Wrong(Exception):
    """A step that did not do what it must."""


@dataclass(frozen=True)
class JournalFuzzer:
    """How journals are tried."""

    name: str = "journals"

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever."""
        return make(random.Random(f"{self.name} {seed}"))

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Take the steps; return a word for what came of them, and what is wrong with that or nothing."""
        path = folder / case.name
        path.write_bytes(case.data)
        try:
            return _Run(path, json.loads(case.arguments[0])).word_of(case.arguments[1:]), ""
        except Wrong as wrong:
            return "wrong", str(wrong)
        except Exception:
            return "traceback", traceback.format_exc()
        finally:
            for built in folder.iterdir():
                built.unlink()


class _Run:
    """The steps of one case."""

    def __init__(self, path: Path, header: dict[str, object]) -> None:
        self.path = path
        self.header = header
        self.writers: dict[int, Journal] = {}

    def word_of(self, steps: tuple[str, ...]) -> str:
        with ExitStack() as stack:
            stack.callback(lambda: [writer.close() for writer in self.writers.values()])
            for step in steps:
                what, number, *rest = step.split(" ", 2)
                before = self.path.read_bytes()
                if not self._take(what, int(number), rest):
                    if self.path.read_bytes() != before:
                        raise Wrong("the file was refused, and changed")
                    return "refused"
        return "read"

    def _take(self, what: str, number: int, rest: list[str]) -> bool:
        writer = self.writers.get(number)
        before, ended = self._plain(), self._plain(b"\n")
        if what == "open" and writer is None:
            return self._open(number, before)
        if what == "raw":
            with self.path.open("ab") as file:
                file.write(json.loads(rest[0]).encode("latin-1"))
        elif writer is not None and what == "append":
            record = json.loads(rest[0])
            writer.append(record)
            # A line that lacked only its newline becomes whole.
            self._same(f"append {record!r}", self._plain(), [*(ended or []), record])
        elif writer is not None and what == "refresh":
            known = len(writer.records)
            new = writer.refresh()
            self._same("refresh", writer.records, before)
            self._same("refresh gives", new, writer.records[known:])
        elif writer is not None and what == "close":
            self.writers.pop(number).close()
            self._same("close", self._plain(), before)
        return True

    def _open(self, number: int, before: list[dict[str, object]] | None) -> bool:
        if self.path.stat().st_size == 0:
            before = []
        said: list[str] = []
        try:
            writer = Journal(self.path, OWN, self.header, said.append)
        except UserError as error:
            if before is not None:
                raise Wrong(f"the judge takes it: {error}") from None
            said.append(str(error))
        else:
            self.writers[number] = writer
            self._same("open", writer.records, before)
            self._same("open leaves", self._plain(), before)
        for line in said:
            if fault := fault_of(line, self.path):
                raise Wrong(f"{fault}: {line!r}")
        return number in self.writers

    def _plain(self, end: bytes = b"") -> list[dict[str, object]] | None:
        # The header is compared as it is read.
        return records_in(self.path.read_bytes() + end, json.loads(text_of({KIND: OWN, **self.header})))

    def _same(self, what: str, actual: object, wanted: object) -> None:
        if repr(actual) != repr(wanted):  # NaN equals itself so
            raise Wrong(f"{what}: {actual!r:.300}, not {wanted!r:.300}")


FUZZER = JournalFuzzer()

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
