"""When a printed number counts as reproduced: one rule for all papers.

A number agrees if ours is within the tolerance of its measure. The tolerances were set before the papers
were judged by them: what is counted depends on the format and the matrix alone, times depend on a machine
that a paper describes in part, and per cents are differences of such numbers.

A time or a speed-up belongs to the GPU that it was measured on: on another one it is not testable, since in
papers that print it for several GPUs it differs by a factor of up to three. Claims in words are judged.
"""

from __future__ import annotations

from typing import Literal

Measure = Literal["counted", "timed", "share"]
"""What a printed number measures: things counted, such as bytes, entries and steps; times, speed-ups and
rates; or a share in per cent."""
MEASURES: dict[Measure, tuple[float, str]] = {
    "counted": (5.0, "%"),
    "timed": (15.0, "%"),
    "share": (5.0, "points"),
}
"""The tolerance of each measure: per cent of the printed number, or percentage points."""

Outcome = Literal["confirmed", "contradicted", "not testable"]
"""What becomes of a statement of a paper."""
OUTCOMES: tuple[Outcome, ...] = ("confirmed", "contradicted", "not testable")


def rule() -> str:
    """Return the rule in two sentences."""
    counted, timed, share = (f"{size:g} {unit}" for size, unit in MEASURES.values())
    return (
        f"A number is confirmed if ours is within {counted} of it where things are counted, within {timed} "
        f"where times or speed-ups are measured, and within {share} where it is a share in per cent. What a "
        "paper timed on a GPU that is not here is not testable; ours stands next to it."
    )


def outcome_of_claim(holds: bool | None) -> Outcome:
    """Return what becomes of a claim in words; None says that nothing here can decide it."""
    return "not testable" if holds is None else "confirmed" if holds else "contradicted"


def difference(measure: Measure, printed: float, ours: float) -> float:
    """Return by how much ours is above the printed number, in the unit of the tolerance of its measure."""
    points = MEASURES[measure][1] == "points"
    return ours - printed if points else 100 * (ours - printed) / printed


def outcome_of_number(measure: Measure, printed: float, ours: float | None) -> Outcome:
    """Return what becomes of a printed number; differences count as shown, with one decimal."""
    if ours is None:
        return "not testable"
    within = abs(round(difference(measure, printed, ours), 1)) <= MEASURES[measure][0]
    return "confirmed" if within else "contradicted"
