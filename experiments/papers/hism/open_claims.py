"""Claims on which machines disagree that the calibration cannot distinguish: the data do not decide them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from experiments.papers.hism.recorded_calibration import rows
from experiments.report.item import Item, Verdict
from vecsim.machine import Machine, load_machine

NOTE = (
    "The calibration cannot distinguish some machines. A claim that holds on some of them, but not on all, "
    "is not testable: the data do not decide it."
)


@dataclass(frozen=True)
class Agreement:
    """On how many of the machines that the calibration cannot distinguish a claim holds.

    Attributes
    ----------
    holds, of
        Counts of machines.
    """

    holds: int
    of: int

    @property
    def decides(self) -> bool:
        """Whether all of them agree."""
        return self.holds in (0, self.of)

    def __str__(self) -> str:
        """Both counts."""
        return f"{self.holds} of {self.of}"


def agreements() -> dict[str, Agreement]:
    """Return what the recorded calibration counted, by what :func:`key` returns."""
    return {
        _key_of(row["conclusion"]): Agreement(int(row["machines within the spread"]), int(row["of these"]))
        for row in rows("conclusions-by-standard")
    }


def key(item: Item, claim: str) -> str:
    """Return what names a claim of an item among the conclusions of the calibration."""
    return _key_of(f"{item.title.partition(':')[0]}: {claim}")


def _key_of(conclusion: str) -> str:
    """Name an order of Table 2 by its group alone, for the times in it differ."""
    title, _, claim = conclusion.partition(": ")
    title, _, group = title.partition(", ")
    group = group or claim.partition(":")[0]
    return f"{title}, {group}" if title == "Table 2" else conclusion


def is_calibrated(machine: Machine) -> bool:
    """Return whether a machine is the one that the recorded calibration proposes."""
    return machine == load_machine("vs2003")


def judged(item: Item, machine: Machine) -> Item:
    """Return an item whose undecided claims are not testable; on another machine, the item itself."""
    if not is_calibrated(machine):
        return item
    counted = agreements()
    verdicts = tuple(_judged(each, counted.get(key(item, each.claim))) for each in item.verdicts)
    return replace(item, verdicts=verdicts, notes=(*item.notes, NOTE))


def _judged(verdict: Verdict, agreement: Agreement | None) -> Verdict:
    if verdict.holds is None or agreement is None or agreement.decides:
        return verdict
    reason = f"holds on {agreement} machines that the calibration cannot distinguish"
    return replace(verdict, holds=None, detail=f"{reason}; on this one: {verdict.detail}")
