"""Processes that are killed lose nothing, in a short run; and what is lost would be seen."""

import os
import random
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from tests.file_server import FileServer
from tests.kills import campaign
from tests.kills.__main__ import campaigns, main
from tests.kills.campaign import MARK, Campaign, Count, check_journal, check_journal_of_work, marked
from tests.kills.victims import JOURNAL
from vecsim.results.journal import Journal

pytestmark = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks at processes by /proc")


@pytest.mark.parametrize(
    "name", [pytest.param("bench", marks=pytest.mark.nightly), pytest.param("download", marks=pytest.mark.ci)]
)
def test_a_few_kills(name, monkeypatch):
    monkeypatch.delenv("VECSIM_OFFLINE", raising=False)
    server = FileServer()
    try:
        count = campaigns(server)[name].run(3, random.Random(name))
    finally:
        server.close()
    assert count.wrong == []
    assert (count.kills, count.lost, count.workers) == (3, 0, 0)
    assert count.survived > 0


def lines_of(path):
    return [b"kept " + line for line in path.read_bytes().split(b"\n")[1:-1]]


def test_a_record_that_is_lost_is_seen(tmp_path):
    with Journal(tmp_path / JOURNAL, "test") as journal:
        for number in range(3):
            journal.append({"number": number})
    said, count = lines_of(tmp_path / JOURNAL), Count()
    check_journal(tmp_path, said, count)
    assert (count.survived, count.lost, count.wrong) == (3, 0, [])
    content = (tmp_path / JOURNAL).read_bytes()
    (tmp_path / JOURNAL).write_bytes(content[:-5])
    # Said by the process before this one.
    check_journal(tmp_path, [], count)
    assert (count.survived, count.lost, count.wrong) == (3, 1, ["1 records are lost"])


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


@pytest.mark.parametrize("undisturbed", [True, False])
def test_a_run_that_hangs_is_wrong_and_ended_with_its_workers(undisturbed, monkeypatch, tmp_path):
    hanging = tmp_path / "hanging"
    hanging.write_text("#!/bin/sh\nsleep 30 &\nwait\n")
    hanging.chmod(0o700)
    mark = uuid.uuid4()
    monkeypatch.setattr(campaign.sys, "executable", str(hanging))
    monkeypatch.setattr(campaign.uuid, "uuid4", lambda: mark)
    monkeypatch.setattr(campaign, "LONGEST", 0.5)
    result = (lambda folder: pytest.fail("there is none")) if undisturbed else None
    count = Campaign("hanging", 0.1, lambda folder: 0, check_journal, result).run(3, random.Random(0))
    assert count.wrong[0] == "it was still at work after 0.5 s"
    assert (count.kills, count.workers, count.whole) == (0, 0, 0)
    assert marked(mark.hex) == []


def test_a_file_that_is_renamed_meanwhile_is_no_progress(monkeypatch, tmp_path):
    (tmp_path / "a.mtx.partial").symlink_to(tmp_path / "gone")
    monkeypatch.setattr(Path, "exists", lambda path: True)  # as it was the moment before
    server = FileServer()
    try:
        assert campaigns(server)["download"].progress(tmp_path) == 0
    finally:
        server.close()


def test_an_unknown_campaign_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["bench", "calibrat"])
    assert ended.value.code == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert "'calibrat'" in error
    assert "calibrate, reproduce, bench, compile, download, sweep" in error
