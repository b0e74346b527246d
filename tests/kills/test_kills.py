"""Processes that are killed lose nothing, in a short run; and what is lost would be seen."""

import os
import random
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from tests.file_server import FileServer
from tests.kills.__main__ import campaigns
from tests.kills.campaign import MARK, Count, check_journal, check_journal_of_work, marked
from tests.kills.victims import JOURNAL
from vecsim.journal import Journal

pytestmark = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks at processes by /proc")


@pytest.mark.ci
@pytest.mark.parametrize("name", ["bench", "download"])
def test_a_few_kills(name, monkeypatch):
    monkeypatch.delenv("VECSIM_OFFLINE", raising=False)
    server = FileServer()
    try:
        count = campaigns(server)[name].run(3, random.Random(name))
    finally:
        server.close()
    assert count.wrong == []
    assert (count.kills, count.lost, count.workers) == (3, 0, 0)
    assert count.kept > 0


def lines_of(path):
    return [b"kept " + line for line in path.read_bytes().split(b"\n")[1:-1]]


def test_a_record_that_is_lost_is_seen(tmp_path):
    with Journal(tmp_path / JOURNAL, "test") as journal:
        for number in range(3):
            journal.append({"number": number})
    said, count = lines_of(tmp_path / JOURNAL), Count()
    check_journal(tmp_path, said, count)
    assert (count.kept, count.lost, count.wrong) == (3, 0, [])
    content = (tmp_path / JOURNAL).read_bytes()
    (tmp_path / JOURNAL).write_bytes(content[:-5])
    # Said by the process before this one.
    check_journal(tmp_path, [], count)
    assert (count.kept, count.lost, count.wrong) == (3, 1, ["1 records are lost"])


def test_work_that_is_done_twice_is_seen(tmp_path):
    with Journal(tmp_path / JOURNAL, "test") as journal:
        for _ in range(2):
            journal.append({"number": 1})
    count = Count()
    check_journal_of_work(tmp_path, lines_of(tmp_path / JOURNAL), count)
    assert count.wrong == ["1 records were made twice"]


def test_a_process_that_lives_is_seen():
    mark = uuid.uuid4().hex
    command = [sys.executable, "-S", "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env={**os.environ, MARK: mark}) as process:
        assert marked(mark) == [process.pid]
        process.stdin.close()
    assert marked(mark) == []
