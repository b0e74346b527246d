"""What the report is made of: a file measured on a GPU, with the cycles of the machine asked for."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.crosscheck.matrices import listed
from experiments.crosscheck.paper import KIND
from experiments.crosscheck.results import Results, read_results
from experiments.papers.hism.measurements import VALUE_BYTES, measure_members
from experiments.papers.kit.recorded import newest
from experiments.papers.kit.request import Request
from vecsim.data import values_as
from vecsim.results.digests import matrix_sha256
from vecsim.support.errors import UserError

RECORDED = Path(__file__).with_name("recorded")
"""The results that come with the package."""


@dataclass(frozen=True)
class Recorded:
    """Results, and where they came from.

    Attributes
    ----------
    results
        With the cycles of the machine asked for.
    source
        Name of the file.
    gaps
        What is missing in them, and why.
    """

    results: Results
    source: str
    gaps: tuple[str, ...]


@dataclass(frozen=True)
class _Subject:
    """A matrix to be simulated; processes load it by its name. It must be the one that was measured."""

    name: str
    size: int
    sha256: str


def recorded(request: Request) -> Recorded:
    """Return the results for a request, once for each.

    The cycles in the file are taken where they are of the machine asked for; otherwise they are simulated,
    with the matrices that are available.

    Raises
    ------
    UserError
        The file is none, there is none, or as :func:`experiments.papers.hism.measurements.measure_members`.
    """
    return request.once(Recorded, lambda: _recorded(request))


def _recorded(request: Request) -> Recorded:
    path = request.recorded.get(KIND) or newest(RECORDED)
    if path is None:
        raise UserError(
            "crosscheck: no results of a GPU: make some with `vecsim crosscheck --suite --json FILE`"
        )
    results = read_results(path)
    request.matrices.update({m.name: {"matrix_sha256": m.sha256} for m in results.matrices if m.sha256})
    gaps = [f"{name}: {reason}" for name, reason in results.missing.items()]
    if results.machine.sha256 == request.machine.sha256:
        return Recorded(results, path.name, tuple(gaps))
    simulated, failed = _simulated(results, request)
    gaps += [f"{name}: {reason}" for name, reason in failed.items()]
    return Recorded(simulated, path.name, tuple(gaps))


def _simulated(results: Results, request: Request) -> tuple[Results, Mapping[str, str]]:
    """Return the results with the cycles of the machine asked for, and why matrices have none."""
    if results.value_bits != 8 * VALUE_BYTES:
        raise UserError(
            f"the results are of another machine and of {results.value_bits}-bit values; "
            f"only {8 * VALUE_BYTES}-bit ones can be simulated again"
        )
    known = {each.name for each in listed()}
    subjects = [
        _Subject(each.name, each.entries, each.sha256) for each in results.matrices if each.name in known
    ]
    measured = measure_members(subjects, load_subject, request, identify_subject)
    unknown = {
        each.name: "is no matrix of the list, its cycles on this machine are not known"
        for each in results.matrices
        if each.name not in known
    }
    return results.with_cycles(measured.cycles(), request.machine), {**measured.failed, **unknown}


def load_subject(subject: _Subject) -> Any:
    """Return the matrix of a subject.

    Raises
    ------
    UserError
        It is not found, or is another one than was measured.
    """
    csr = next(each for each in listed() if each.name == subject.name).load().csr
    if subject.sha256 and matrix_sha256(values_as(csr, VALUE_BYTES)[0]) != subject.sha256:
        raise UserError(f"{subject.name}: differs from the matrix that was measured; measure again")
    return csr


def identify_subject(subject: _Subject) -> str:
    """Name a subject by what it was, and by the matrix that it is here."""
    with suppress(UserError):
        csr = next(each for each in listed() if each.name == subject.name).load().csr
        return f"{subject!r} {matrix_sha256(csr)}"
    return repr(subject)
