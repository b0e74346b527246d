"""Traces as other programs read them: ``python -m tests.fuzz.trace_consumers --count 10000``.

Any program on any machine, any window, either engine, sources and names of files of any letters: readers that
behave as Perfetto and Konata do find everything of the run, at its place, and nothing else.
"""

from __future__ import annotations

import json
import random
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isa.program import Program, SourceLine
from tests.differential.cases import draw_case
from tests.fuzz.campaign import Case, main
from tests.fuzz.odd_text import odd_text
from tests.traces.expected_traces import check_konata, check_perfetto, write
from vecsim.traces import WHOLE, Window

NAME = "trace_consumers"
ENGINES = ("jit", "jit", "jit", "simpy")
SUFFIXES = (".json", ".json.gz", ".kanata", ".kanata.gz")


@dataclass(frozen=True)
class TraceFuzzer:
    """Makes runs up, writes traces and reads them, as `tests.fuzz.campaign` runs it."""

    name: str = NAME

    def case(self, seed: int) -> Case:
        """Return the case of a seed, the same for ever: how a run is made up, as JSON."""
        source = random.Random(f"{self.name} {seed}")
        begin = source.choice((0, 1, source.randrange(60), source.randrange(400), source.randrange(5000)))
        lasts = source.choice((1, 2, source.randrange(1, 40), source.randrange(1, 1000), None))
        document = {
            "seed": source.getrandbits(48),
            "window": None if source.random() < 0.3 else [begin, None if lasts is None else begin + lasts],
            "engine": source.choice(ENGINES),
            "suffix": source.choice(SUFFIXES),
            "about": [odd_text(source) for _ in range(source.choice((0, 1, 3)))],
        }
        return Case(f"trace{document['suffix']}", json.dumps(document).encode())

    def outcome(self, case: Case, folder: Path) -> tuple[str, str]:
        """Write the trace of a case and read it as others do."""
        document: dict[str, Any] = json.loads(case.data)
        source = random.Random(document["seed"])
        built = draw_case(source, faults=False)
        program = with_source(source, built.program)
        window = WHOLE if document["window"] is None else Window(*document["window"])
        run, path = (program, built.memory, built.machine, window, document["engine"]), folder / case.name
        try:
            truth = write(path, *run, {"command": document["about"]})
            content = path.read_bytes()
            if document["suffix"].startswith(".json"):
                check_perfetto(content, truth, program, built.machine)
            else:
                check_konata(content, case.name, truth, program)
        except Exception:
            return "misread", traceback.format_exc()
        finally:
            path.unlink(missing_ok=True)
        if not truth.rows:
            return "empty", ""
        return ("whole" if window is WHOLE else "window"), ""


def with_source(source: random.Random, program: Program) -> Program:
    """Return some programs source lines of any letters."""
    if source.random() < 0.4:
        return program
    files = [f"{odd_text(source)}.s" for _ in range(2)]
    lines = [SourceLine(source.choice(files), pc + 1, odd_text(source)) for pc in range(len(program))]
    return replace(program, source=tuple(lines))


FUZZER = TraceFuzzer()

if __name__ == "__main__":
    raise SystemExit(main(FUZZER))
