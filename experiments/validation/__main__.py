"""``python -m experiments.validation``: compare presets with published measurements, or record that again."""

from __future__ import annotations

import argparse
from collections import Counter

from experiments.validation.comparison import compared, write


def main() -> None:
    """Print a line for each measurement, and how many have which verdict."""
    parser = argparse.ArgumentParser(prog="python -m experiments.validation", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the recorded file again")
    parser.add_argument("--largest", type=int, help="leave out sizes that are larger")
    arguments = parser.parse_args()
    if arguments.record and arguments.largest:
        parser.error("--record needs all sizes: leave out --largest")
    rows = compared(largest=arguments.largest)
    for row in rows:
        print(
            f"{row.machine}: {row.measurement}, {row.size}: {row.published:g} published, {row.ours:g} ours "
            f"{row.unit}, {row.difference:+.1f} %, {row.verdict}"
        )
    print(", ".join(f"{count} {verdict}" for verdict, count in Counter(row.verdict for row in rows).items()))
    if arguments.record:
        write(rows)


if __name__ == "__main__":
    main()
