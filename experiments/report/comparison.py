"""A number of a paper next to ours: what every reproduced table and figure is made of."""

from dataclasses import dataclass
from typing import Literal

from experiments.report.agreement import MEASURES, Measure, Outcome, difference, outcome_of_number

Kind = Literal["decoded", "calibrated", "predicted"]
"""What an agreement proves: nothing where the formula was decoded from this very number, or ours follows by
arithmetic from the paper's text; that the search succeeded where the machine was calibrated to it; something
about the model only where it is predicted."""
KINDS: tuple[Kind, ...] = ("decoded", "calibrated", "predicted")

NOT_FOUND = "not found"
"""What stands in the place of a number whose matrix is not there."""


@dataclass(frozen=True)
class Comparison:
    """One row of the CSV of a reproduced table or figure.

    Attributes
    ----------
    row
        The paper's row label, or the name of a matrix.
    quantity
        The paper's column or group, for example ``small`` or ``vs CRS``.
    paper
        The printed number, as the paper prints it; empty where it gives none for this very accounting,
        model or averaging.
    ours
        The number computed here; None where it cannot be had, with the reason in `note`.
    note
        What a reader must know next to the two numbers.
    absent
        In a word or two what stands in the place of `ours` if it is None.
    kind
        Where ours comes from, with respect to the printed number.
    implied
        Whether other printed numbers imply this one or a claim judges it: it is shown, but not counted.
    measure
        What the number measures, which sets its tolerance.
    elsewhere
        Whether it was timed on a GPU that is not here: then it is shown next to ours, but not testable.
    without_one
        Of a mean, the least and the greatest if one matrix is left out; None for other numbers.
    """

    row: str
    quantity: str
    paper: str
    ours: float | None
    note: str = ""
    absent: str = NOT_FOUND
    kind: Kind = "predicted"
    implied: bool = False
    measure: Measure = "timed"
    without_one: tuple[float, float] | None = None
    elsewhere: bool = False

    @property
    def difference_percent(self) -> float | None:
        """By how much ours is above the paper's, in per cent of the paper's; None if either is missing."""
        if not self.paper or self.ours is None:
            return None
        printed = float(self.paper)
        return 100 * (self.ours - printed) / printed

    @property
    def difference_in_words(self) -> str:
        """The difference with its unit: per cent, or points of a share; empty if either number is missing."""
        if not self.paper or self.ours is None:
            return ""
        unit = MEASURES[self.measure][1]
        return f"{difference(self.measure, float(self.paper), self.ours):+.1f} {unit}"

    @property
    def outcome(self) -> Outcome | None:
        """Whether ours agrees with the printed number; None if the paper prints none."""
        if not self.paper:
            return None
        ours = None if self.elsewhere else self.ours
        return outcome_of_number(self.measure, float(self.paper), ours)
