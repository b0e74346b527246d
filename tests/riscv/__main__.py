"""Random RISC-V programs here and on Spike: ``python -m tests.riscv --kind scalar --count 500 --vlen 128``.

The states at the end are compared: all registers, memory, fflags, vl, vtype, and what trapped where. Spike is
found on PATH, or the environment variable SPIKE names it.
"""

import argparse
import sys
import time
from pathlib import Path

from tests.differential.report import Report, add_span, missing, source_hash
from tests.riscv.kinds import KINDS, digest, mnemonics_in, program_digest, write_recorded
from tests.riscv.program_image import differences, ours
from tests.riscv.spike import find_spike, on_spike

MOST_MISMATCHES = 10
SAVE_EVERY = 50


def _parser():
    parser = argparse.ArgumentParser(prog="python -m tests.riscv", description=__doc__)
    parser.add_argument("--kind", choices=[*KINDS], default="scalar", help="what the programs consist of")
    parser.add_argument("--seed", type=int, default=0, help="the first program")
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--vlen", type=int, default=128, help="bits of a vector register")
    parser.add_argument(
        "--report", type=Path, default=Path(".riscv.json"), help="counts of what has been run"
    )
    parser.add_argument(
        "--record", action="store_true", help="keep digests of Spike's states for the default tests"
    )
    return parser


def compared(kind, seed, vlen, spike):
    """Run one program on both; return it, Spike's state, instructions, and the names of what differs."""
    program = KINDS[kind](seed, vlen)
    state, instructions = ours(program)
    expected = on_spike(program, spike)
    return (
        program,
        expected[: program.layout.size],
        instructions,
        differences(program.layout, expected, state),
    )


def campaign(given, spike):
    """Run the programs that are not in the report yet, and return how many differ."""
    report = Report(given.report)
    sources = source_hash("isa/riscv", "vecsim/riscv", "tests/riscv")
    entry = report.entry(f"riscv {given.kind}", sources, f"VLEN {given.vlen}")
    spans = [tuple(each) for each in entry.get("spans", [])]
    counts = dict.fromkeys(("programs", "instructions", "rows"), 0) | entry.get("counts", {})
    rows, bad = entry.get("by row", {}), entry.get("mismatches", [])
    begun = time.monotonic()
    for first, last in missing(spans, (given.seed, given.seed + given.count)):
        for seed in range(first, last):
            program, _, instructions, names = compared(given.kind, seed, given.vlen, spike)
            if names:
                bad.append(seed)
                print(f"seed {seed}: differ in {', '.join(names[:12])}", flush=True)
            for name in mnemonics_in(program):
                rows[name] = rows.get(name, 0) + 1
            spans = add_span(spans, (seed, seed + 1))
            counts["programs"] += 1
            counts["instructions"] += instructions
            counts["rows"] = len(rows)
            entry |= {"counts": counts, "spans": spans, "mismatches": bad, "by row": rows}
            if seed % SAVE_EVERY == 0 or seed == last - 1:
                report.save()
            if len(bad) >= MOST_MISMATCHES:
                sys.exit(f"stopped after {len(bad)} mismatches")
    seconds = time.monotonic() - begun
    print(
        f"{given.kind}, VLEN {given.vlen}: {counts['programs']} programs, {len(bad)} mismatches in all, "
        f"{counts['instructions']} instructions of {counts['rows']} rows; {seconds:.0f} s now"
    )
    return len(bad)


def record(given, spike):
    """Keep digests of Spike's states; return how many programs differ."""
    kept, bad = [], 0
    for seed in range(given.count):
        program, state, _, names = compared(given.kind, seed, given.vlen, spike)
        kept.append((program_digest(program), digest(state)))
        bad += bool(names)
    write_recorded(given.kind, given.vlen, kept)
    print(f"{given.kind}, VLEN {given.vlen}: {len(kept)} programs recorded, {bad} mismatches")
    return bad


def main(arguments):
    """Return the exit code: 1 if anything differs."""
    parser = _parser()
    given = parser.parse_args(arguments)
    spike = find_spike()
    if spike is None:
        parser.error("Spike is not found: put it on PATH, or let SPIKE name it")
    return min((record if given.record else campaign)(given, spike), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
