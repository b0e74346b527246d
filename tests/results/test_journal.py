"""What a journal promises: about ends of its writers, damage, several writers, a full disk."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecsim.results.journal import Journal
from vecsim.support.errors import UserError

KIND = "test"


def records_of(path, **header):
    said = []
    with Journal(path, KIND, header or None, said.append) as journal:
        return journal.records, said


def fill(path, count, **header):
    with Journal(path, KIND, header or None) as journal:
        for number in range(count):
            journal.append({"number": number})


def numbers(records):
    return [record["number"] for record in records]


def test_records_come_back_in_order(tmp_path):
    path = tmp_path / "j"
    fill(path, 3)
    fill(path, 2)
    assert numbers(records_of(path)[0]) == [0, 1, 2, 0, 1]


def test_a_file_can_be_read_by_hand(tmp_path):
    path = tmp_path / "j"
    fill(path, 1)
    checksum, text = path.read_text().splitlines()[1].split(" ", 1)
    assert json.loads(text) == {"number": 0}
    assert int(checksum, 16) == zlib.crc32(text.encode())


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_torn_end_costs_one_record_and_is_said(tmp_path, cut):
    path = tmp_path / "j"
    fill(path, 3)
    path.write_bytes(path.read_bytes()[:-cut])
    records, said = records_of(path)
    assert numbers(records) == [0, 1]
    assert len(said) == 1 and "torn end" in said[0]
    assert records_of(path) == (records, [])
    fill(path, 1)
    assert numbers(records_of(path)[0]) == [0, 1, 0]


def test_a_damaged_line_costs_its_own_record(tmp_path):
    path = tmp_path / "j"
    fill(path, 3)
    path.write_bytes(path.read_bytes().replace(b'{"number":1}', b'{"number":7}'))
    records, said = records_of(path)
    assert numbers(records) == [0, 2]
    assert "1 damaged line" in said[0]


def test_a_writer_that_ended_within_a_line_costs_the_others_nothing(tmp_path):
    path = tmp_path / "j"
    with Journal(path, KIND) as journal:
        journal.append({"number": 1})
        with path.open("ab") as other:
            other.write(b'12345678 {"num')
        journal.append({"number": 2})
    assert numbers(records_of(path)[0]) == [1, 2]


@pytest.mark.parametrize(
    "text", [b"[" * 100_000, b'{"a":1e400}', b'"text"', b"nonsense", b"\xff\xfe", b"\xef\xbb\xbf{}"]
)
def test_hostile_records_with_a_right_checksum(tmp_path, text):
    path = tmp_path / "j"
    fill(path, 1)
    with path.open("ab") as file:
        file.write(b"%08x %s\n" % (zlib.crc32(text), text))
    fill(path, 1)
    records = records_of(path)[0]
    assert {} not in records
    assert numbers(record for record in records if "number" in record) == [0, 0]


@given(st.data())
def test_any_damage_leaves_whole_records_alone(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("j") / "j"
    fill(path, 4)
    content = bytearray(path.read_bytes())
    first = content.index(b"\n") + 1
    at = data.draw(st.integers(first, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    damaged = content[:at].count(b"\n") - 1
    actual = numbers(records_of(path)[0])
    assert set(range(4)) - {damaged, damaged + 1} <= set(actual) <= set(range(4))


@pytest.mark.parametrize("content", [b"nonsense\n", b'{"a": 1}\n', b"00000000 {}\n", b"\x00" * 100])
def test_another_file_is_refused_and_not_touched(tmp_path, content):
    path = tmp_path / "j"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"j: is not a journal of `test`"):
        Journal(path, KIND)
    assert path.read_bytes() == content


def test_a_journal_of_another_run_is_refused_by_what_differs(tmp_path):
    path = tmp_path / "j"
    fill(path, 1, device="a", commit="c")
    with pytest.raises(UserError, match=r"left by another run \(device differ\)"):
        records_of(path, device="b", commit="c")
    with pytest.raises(UserError, match="is a journal of `test`, not of `other`"):
        Journal(path, "other")


def test_an_empty_file_is_begun(tmp_path):
    path = tmp_path / "j"
    path.touch()
    fill(path, 1)
    assert numbers(records_of(path)[0]) == [0]


def test_what_others_append_is_read_when_asked_for(tmp_path):
    path = tmp_path / "j"
    with Journal(path, KIND) as one, Journal(path, KIND) as other:
        other.append({"number": 5})
        assert one.records == []
        assert numbers(one.refresh()) == [5] == numbers(one.records)
        assert one.refresh() == []


@pytest.mark.parametrize("foreign", [b"text\r", b"\r\n", b"12345678 {}\r{}\n"])
def test_what_another_program_writes_stops_no_reader(tmp_path, foreign):
    path = tmp_path / "j"
    with Journal(path, KIND) as one, Journal(path, KIND) as other:
        with path.open("ab") as file:
            file.write(foreign)
        other.append({"number": 5})
        assert numbers(one.refresh()) == [5]


def test_who_opens_a_journal_moves_nothing_under_another_reader(tmp_path):
    path = tmp_path / "j"
    with Journal(path, KIND) as one:
        with path.open("ab") as file:
            file.write(b"damaged\n" * 50)
        assert one.refresh() == []
        fill(path, 2)
        assert numbers(one.refresh()) == [0, 1]


def test_the_kind_of_another_journal_is_one_printable_line(tmp_path):
    path = tmp_path / "j"
    with Journal(path, "x" * 900 + "\n\x1b[1m"):
        pass
    with pytest.raises(UserError) as error:
        records_of(path)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < len(str(path)) + 200


FULL = """
import resource, sys
from pathlib import Path
from vecsim.support.errors import UserError
from vecsim.results.journal import Journal
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
journal = Journal(Path(sys.argv[1]), "test")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    for number in range(1000):
        journal.append({"number": number})
except UserError as error:
    print(number, error)
"""


def test_a_full_disk_ends_in_one_line_and_the_journal_goes_on(tmp_path):
    path = tmp_path / "j"
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=True, timeout=60
    )
    number, _, message = ran.stdout.partition(" ")
    assert message.strip() == f"{path}: cannot be written: File too large; free space or choose another place"
    records, said = records_of(path)
    assert numbers(records) == list(range(int(number))) and said == []
    fill(path, 1)
    assert len(records_of(path)[0]) == int(number) + 1


WRITER = """
import sys
from pathlib import Path
from vecsim.results.journal import Journal
journal = Journal(Path(sys.argv[1]), "test")
number = 0
while True:
    journal.append({"writer": sys.argv[2], "number": number})
    print(number, flush=True)
    number += 1
"""


def start(path, name, output):
    return subprocess.Popen([sys.executable, "-c", WRITER, str(path), name], stdout=output)


def test_killed_writers_lose_nothing_that_was_appended(tmp_path):
    path = tmp_path / "j"
    seed = random.Random(20261122)
    for turn in range(3):
        messages = [(tmp_path / f"{turn}{k}").open("w+") for k in range(2)]
        writers = [start(path, f"{turn}{k}", messages[k]) for k in range(2)]
        while not all(os.fstat(file.fileno()).st_size for file in messages):
            time.sleep(0.01)
        time.sleep(seed.uniform(0.01, 0.2))
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.wait()
        records, _ = records_of(path)
        for k, file in enumerate(messages):
            with file:
                file.seek(0)
                said = file.read().split("\n")[:-1]
            actual = [record["number"] for record in records if record["writer"] == f"{turn}{k}"]
            assert actual[: len(said)] == list(range(len(said)))
            assert len(actual) <= len(said) + 1
