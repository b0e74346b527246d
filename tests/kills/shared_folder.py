"""One folder of results that several processes use: ``python -m tests.kills.shared_folder``.

Two writers put sets of files into it, and each set has a text that says which it is. A bystander makes,
changes and removes its own files there. A reader reads sets. Writers are killed at random moments and
begin again. Nothing of the bystander's may be lost, no set that is read may be mixed, and after each kill the
last set of each writer is there as a whole.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vecsim.results.result_folder import read_set, write_folder
from vecsim.support.input_files import InputKind

OWN = 12
"""Files of a set that only one writer writes."""
COMMON = 4
"""Files that both write."""
KIND = InputKind("a file of a set", 1 << 20)
LONGEST = 60
"""Seconds in which each writer must have written a set."""
WRITERS = ("one", "two")


def names_of(writer: str) -> list[str]:
    """Return the names of a writer's set."""
    return [f"{writer}-{number}" for number in range(OWN)] + [f"common-{number}" for number in range(COMMON)]


def write(folder: Path, writer: str, first: int) -> None:
    """Write sets, and say when each begins and ends."""
    for turn in itertools.count(first):
        said = f"{writer} {turn}"
        os.write(1, f"begin {turn}\n".encode())
        write_folder(folder, {name: (said * 300).encode() for name in names_of(writer)})
        os.write(1, f"end {turn}\n".encode())


def stand_by(folder: Path, writer: str, first: int) -> None:
    """Make, change, read and remove files and folders, and say what is not as it was left."""
    source = random.Random(first)
    known: dict[str, bytes] = {}
    for turn in itertools.count():
        name = source.choice(["", "inner/", ".hidden-"]) + f"mine-{source.randrange(40)}"
        path = folder / name
        if name in known and (not path.exists() or path.read_bytes() != known[name]):
            os.write(1, f"lost {name}\n".encode())
        if name in known and source.random() < 0.3:
            path.unlink()
            del known[name]
        else:
            known[name] = b"%d" % turn
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(known[name])
        os.write(1, f"end {turn}\n".encode())


def read(folder: Path, writer: str, first: int) -> None:
    """Read sets, and say which are mixed."""
    for turn in itertools.count():
        writer = WRITERS[turn % 2]
        names = [f"{writer}-{number}" for number in range(OWN)]
        if len(set(read_set(folder, dict.fromkeys(names, KIND)).values())) != 1:
            os.write(1, f"mixed {writer}\n".encode())
        common = [f"common-{number}" for number in range(COMMON)]
        if len(set(read_set(folder, dict.fromkeys(common, KIND)).values())) != 1:
            os.write(1, b"mixed common\n")
        os.write(1, f"end {turn}\n".encode())


ROLES = {"write": write, "stand_by": stand_by, "read": read}


@dataclass
class Count:
    """What came of it.

    Attributes
    ----------
    sets, kills, changes, reads
        Sets that were written whole, writers that were killed, changes of the bystander, sets that were
        read.
    wrong
        What went wrong, in words.
    """

    sets: int = 0
    kills: int = 0
    changes: int = 0
    reads: int = 0
    wrong: list[str] = field(default_factory=list)


class Process:
    """A process that works in the folder, and what it says."""

    def __init__(self, folder: Path, role: str, writer: str = "-", first: int = 0) -> None:
        self.said = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process works
        command = [
            sys.executable,
            "-m",
            "tests.kills.shared_folder",
            "--role",
            role,
            str(folder),
            writer,
            str(first),
        ]
        self.process = subprocess.Popen(command, stdout=self.said, stderr=subprocess.STDOUT)

    def has_ended_a_turn(self) -> bool:
        """Return whether it has got on, or will not."""
        size = os.fstat(self.said.fileno()).st_size
        return self.process.poll() is not None or b"end " in os.pread(self.said.fileno(), size, 0)

    def end(self) -> list[str]:
        """Kill it; return its lines."""
        self.process.send_signal(signal.SIGKILL)
        code = self.process.wait()
        self.said.seek(0)
        lines = self.said.read().decode().splitlines()
        self.said.close()
        return lines if code == -signal.SIGKILL else [*lines, f"ended by itself with code {code}"]


def run(seconds: float, seed: int) -> Count:
    """Let them work in one folder for some time."""
    count, source = Count(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="vecsim-folder-") as name:
        folder = Path(name) / "results"
        for writer in WRITERS:
            write_folder(folder, {name: f"{writer} 0".encode() * 300 for name in names_of(writer)})
        turns = dict.fromkeys(WRITERS, 1)
        others = {"changes": Process(folder, "stand_by", first=seed), "reads": Process(folder, "read")}
        until = time.monotonic() + seconds
        while time.monotonic() < until and not count.wrong:
            writers = {writer: Process(folder, "write", writer, turns[writer]) for writer in WRITERS}
            late = time.monotonic() + LONGEST
            while not all(each.has_ended_a_turn() for each in writers.values()):
                if time.monotonic() > late:
                    count.wrong.append(f"a writer has written no set for {LONGEST} s")
                    break
                time.sleep(0.01)
            time.sleep(source.random())
            begun = {}
            for writer in source.sample(WRITERS, 2):
                lines = writers[writer].end()
                begun[writer] = _tally(count, writer, lines)
                turns[writer] = max(turns[writer], begun[writer][1]) + 1
                count.kills += 1
            write_folder(folder, {"after": b""})
            _check(folder, begun, count)
        for what, process in others.items():
            lines = process.end()
            setattr(count, what, sum(line.startswith("end ") for line in lines))
            count.wrong += [line for line in lines if not line.startswith(("begin ", "end "))]
        count.wrong += [f"{each.name} is left" for each in folder.glob(".vecsim-*.partial")]
    return count


def _tally(count: Count, writer: str, lines: list[str]) -> tuple[int, int]:
    """Count the sets of a writer; return the last that ended, and the last that it began."""
    last = {"begin": 0, "end": 0}
    for line in lines:
        what, _, turn = line.partition(" ")
        if what not in last:
            count.wrong.append(f"{writer}: {line}")
            continue
        last[what] = int(turn)
        count.sets += what == "end"
    return last["end"], last["begin"]


def _check(folder: Path, begun: dict[str, tuple[int, int]], count: Count) -> None:
    """Look whether the plain files are those of each writer's last set, or of the one that it was writing."""
    for writer, turns in begun.items():
        actual = _texts(folder, [f"{writer}-{number}" for number in range(OWN)])
        if len(actual) != 1:
            count.wrong.append(f"files of {writer} are mixed")
        elif turns[0] and actual.pop() not in {f"{writer} {turn}" * 300 for turn in turns}:
            count.wrong.append(f"the last set of {writer} is not there")
    if len(_texts(folder, [f"common-{number}" for number in range(COMMON)])) != 1:
        count.wrong.append("the common files are mixed")


def _texts(folder: Path, names: Sequence[str]) -> set[str]:
    return {(folder / name).read_text() if (folder / name).exists() else "gone" for name in names}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--role", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.role:
        role, folder, writer, first = given.role
        ROLES[role](Path(folder), writer, int(first))
    count: Any = run(given.seconds, given.seed)
    print(json.dumps(asdict(count), indent=1))
    return bool(count.wrong)


if __name__ == "__main__":
    sys.exit(main())
