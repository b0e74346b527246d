"""The one place that says with which options the programs stand for the paper's: its schedules are not known.

Plain loops but for BBCS, which loads the next section ahead. What `vecsim calibrate` finds, also among a
million machines, speaks for that of BBCS; that the others are plain is a convention
(docs/papers/calibration.md). All do the same work.
"""

from __future__ import annotations

from collections.abc import Mapping

from programs.registry import PROGRAMS

ASSIGNMENT: Mapping[str, Mapping[str, str]] = {
    "crs": {"schedule": "plain"},
    "jd": {"schedule": "plain"},
    "bbcs": {"schedule": "ahead"},
    "hism": {"schedule": "plain"},
    "chism": {"schedule": "plain"},
}
"""Options by program; those not named have their default."""


def options_of_the_paper() -> dict[str, dict[str, str]]:
    """Return every option of every program."""
    return {name: program.choose(ASSIGNMENT[name]) for name, program in PROGRAMS.items()}


def described() -> str:
    """Return a line on what differs from the programs' defaults."""
    parts = []
    for name, program in PROGRAMS.items():
        default = program.choose({})
        chosen = [
            f"{option}={value}" for option, value in ASSIGNMENT[name].items() if value != default[option]
        ]
        if chosen:
            parts.append(f"{program.title} {' '.join(chosen)}")
    return "; ".join(parts) or "the defaults of all programs"
