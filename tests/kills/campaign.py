"""Processes killed at random moments: what they had kept is there, no worker stays, the next one goes on."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.kills.victims import JOURNAL
from tests.results.plain_journal import record_of

MARK = "VECSIM_KILLED"
"""Environment variable that marks all processes of a run."""
WORKER_SECONDS = 5.0
LONGEST = 600.0
"""Seconds after which a run is taken to hang, and ended with all its processes."""


@dataclass
class Count:
    """What came of the kills of one victim.

    Attributes
    ----------
    kills
        Processes that were killed while they worked.
    survived
        Records, or bytes, that they said they had kept, or had on the disk.
    lost
        Those of them that the next process did not find.
    workers
        Processes that lived `WORKER_SECONDS` after their parent.
    longest
        Seconds until the last worker had ended, at most.
    whole
        Runs that came to their end, all with the right result.
    wrong
        What went wrong, in words.
    """

    kills: int = 0
    survived: int = 0
    lost: int = 0
    workers: int = 0
    longest: float = 0.0
    whole: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Campaign:
    """How a victim is killed.

    Attributes
    ----------
    name
        Of `tests.kills.victims.VICTIMS`.
    window
        Seconds after it has begun to get on within which it is killed.
    progress
        Returns for its folder a number that grows when it gets on; None if it does so from the start.
    check
        Counts, after each end, what is kept in the folder and what is lost of it, given the process's lines.
    result
        Returns of the folder of a whole run what must be the same without kills; None where the victim itself
        compares its result.
    arguments
        Further ones of the victim.
    """

    name: str
    window: float
    progress: Callable[[Path], int] | None
    check: Callable[[Path, list[bytes], Count], None]
    result: Callable[[Path], object] | None = None
    arguments: tuple[str, ...] = ()

    def run(self, times: int, source: random.Random) -> Count:
        """Kill it this many times; then let it come to its end."""
        count = Count()
        with tempfile.TemporaryDirectory(prefix="vecsim-kills-") as name:
            folder = Path(name)
            undisturbed = None
            if self.result is not None:
                self._once(folder, count, None)
                undisturbed = None if count.wrong else self.result(folder)
                empty(folder)
            ended = True
            while not count.wrong and (count.kills < times or not ended):
                ended = self._once(folder, count, source if count.kills < times else None)
                if not ended or count.wrong:
                    continue
                if self.result is not None and self.result(folder) != undisturbed:
                    count.wrong.append("the result is another one")
                    continue
                count.whole += 1
                empty(folder)
        return count

    def _once(self, folder: Path, count: Count, source: random.Random | None) -> bool:
        """Let it work, and look at what it left; return whether it came to its end, and was not killed."""
        mark = uuid.uuid4().hex
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complaints:
            command = [sys.executable, "-m", "tests.kills.victims", self.name, str(folder), *self.arguments]
            environment = {**os.environ, MARK: mark}
            process = subprocess.Popen(
                command, stdout=said, stderr=complaints, env=environment, start_new_session=True
            )
            killed = False
            try:
                killed = self._end(process, folder, source)
            except subprocess.TimeoutExpired as error:
                count.wrong.append(f"it was still at work after {error.timeout:g} s")
            finally:
                if process.poll() is None:  # it hangs, or this process was interrupted
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            self._await_workers(mark, count)
            said.seek(0)
            complaints.seek(0)
            lines = said.read().split(b"\n")
            if not killed and (process.returncode != 0 or b"whole" not in lines):
                count.wrong.append(f"code {process.returncode}: {complaints.read().decode()[-500:]}")
                return True
        count.kills += killed
        self.check(folder, lines, count)
        return not killed

    def _end(self, process: subprocess.Popen[bytes], folder: Path, source: random.Random | None) -> bool:
        """Wait for its end, or kill it at a random moment; return whether it was killed at work.

        Raises
        ------
        subprocess.TimeoutExpired
            It has neither ended nor got on within `LONGEST` seconds, and is still at work.
        """
        began = time.monotonic()
        if source is not None:
            before = self.progress(folder) if self.progress else 0
            while process.poll() is None and self.progress and self.progress(folder) <= before:
                if time.monotonic() - began > LONGEST:
                    raise subprocess.TimeoutExpired(process.args, LONGEST)
                time.sleep(0.005)
            end = time.monotonic() + source.random() * self.window
            while process.poll() is None and time.monotonic() < end:
                time.sleep(0.002)
            process.kill()
        return process.wait(LONGEST) == -signal.SIGKILL and source is not None

    def _await_workers(self, mark: str, count: Count) -> None:
        began = time.monotonic()
        while left := marked(mark):
            if time.monotonic() - began > WORKER_SECONDS:
                count.workers += len(left)
                count.wrong.append(f"{len(left)} workers are left")
                for worker in left:
                    os.kill(worker, signal.SIGKILL)
                return
            time.sleep(0.02)
        count.longest = max(count.longest, time.monotonic() - began)


def empty(folder: Path) -> None:
    """Remove all that a run left."""
    for left in folder.iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()


def marked(mark: str) -> list[int]:
    """Return the processes that live and have the mark."""
    wanted, actual = f"{MARK}={mark}".encode(), []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            alive = (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
            if alive and wanted in (process / "environ").read_bytes().split(b"\0"):
                actual.append(int(process.name))
        except (OSError, IndexError):
            continue  # it has just ended, or is another user's
    return actual


def records_of(folder: Path) -> list[str]:
    """Return the whole records of the journal, by a plain reader; none if there is no journal yet."""
    path = folder / JOURNAL
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [repr(record) for record in map(record_of, lines[1:]) if record is not None]


def check_journal(folder: Path, lines: list[bytes], count: Count) -> None:
    """Count what the process, and those before it, said they had kept, and what of that the journal lacks."""
    said = [repr(record_of(line.removeprefix(b"kept "))) for line in lines if line.startswith(b"kept ")]
    actual = records_of(folder)
    memory = folder / "known"  # of what earlier processes said
    before = memory.read_text().split("\n") if memory.exists() else []
    count.survived += len(said)
    lost = {*said, *filter(None, before)} - set(actual)
    if lost:
        count.lost += len(lost)
        count.wrong.append(f"{len(lost)} records are lost")
    memory.write_text("\n".join(dict.fromkeys([*filter(None, before), *said])))


def check_journal_of_work(folder: Path, lines: list[bytes], count: Count) -> None:
    """As `check_journal`; nor is anything kept twice, since nothing is done twice."""
    check_journal(folder, lines, count)
    actual = records_of(folder)
    if len(actual) != len(set(actual)):
        count.wrong.append(f"{len(actual) - len(set(actual))} records were made twice")
