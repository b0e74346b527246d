"""What made a report, as a part of it: so that its numbers can be had again."""

from __future__ import annotations

import os
import platform
import shlex

from experiments.report.item import Appendix, Table
from vecsim.results.provenance import provenance


def made_by() -> Appendix:
    """Return command, date, commit, host and versions as a part of a report."""
    result = provenance()
    rows = [
        ("made", f"{result.begun:%Y-%m-%d %H:%M} UTC"),
        ("command", shlex.join(result.command)),
        ("commit", str(result.commit)),
        ("host", f"{platform.system()} {platform.machine()}, {processors()} processors"),
        *result.versions.items(),
    ]
    return Appendix("", "What made this report", table=Table(("what", "which"), tuple(rows)))


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
