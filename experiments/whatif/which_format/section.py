"""What the page of the study shows: sentences and tables, made of the recorded tables."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.papers.hism.timing import METHODS
from experiments.whatif.which_format.machines import MATRICES, PARAMETERS
from experiments.whatif.which_format.results import ALL, RATIOS, recorded

NOTE = """\
A ratio over 1 means that HiSM is faster. Where a matrix has one level of blocks, CHiSM is HiSM, and the tie
counts as HiSM. A share of the variance is that of the means by the values of one parameter. Parameters are
independent, so these shares add up, and the rest is due to several parameters together."""
MOST = 3
"""Parameters that are named, of those that explain a variance."""


def section() -> str:
    """Return sentences and tables in Markdown."""
    parts = (
        "\n".join(f"- {sentence}" for sentence in sentences()),
        "### Share of the machines on which each format is fastest, per cent",
        wins(),
        "### Cycles as multiples of those of HiSM",
        ratios(),
        "### What explains the variance",
        variance(),
        NOTE,
        "### How the tables were made",
        _grid(("what", "which"), [(row["what"], row["which"]) for row in recorded("provenance")]),
    )
    return "\n\n".join(parts) + "\n"


def sentences() -> tuple[str, ...]:
    """Return what the tables say."""
    of = {row["matrix"]: row for row in recorded("wins") if row["parameter"] == ALL}
    whole = {name: float(of[ALL][name]) for name in METHODS.values()}
    order = sorted(whole, key=lambda name: -whole[name])
    listed = ", ".join(f"{name} {whole[name]:.1f} %" for name in order)
    best = {matrix: max(METHODS.values(), key=lambda name: float(of[matrix][name])) for matrix in MATRICES}
    leaders = ", ".join(f"{name} on {matrix} ({of[matrix][name]} %)" for matrix, name in best.items())
    return (
        f"Over all four matrices, the share of machines on which a format is fastest is: {listed}.",
        f"The format that is fastest on most machines depends on the matrix: {leaders}.",
        *_by_value(),
        *_explained(),
    )


def _by_value() -> tuple[str, ...]:
    """Return at which values of a parameter another format leads, where one does."""
    changes = []
    for name in PARAMETERS:
        of = [row for row in recorded("wins") if row["matrix"] == ALL and row["parameter"] == name]
        leaders = [max(METHODS.values(), key=lambda title: float(row[title])) for row in of]
        if len(set(leaders)) > 1:
            values = ", ".join(f"{row['value']}: {title}" for row, title in zip(of, leaders, strict=True))
            changes.append(f"`{name}` ({values})")
    if not changes:
        return ("No value of a single parameter makes another format lead.",)
    return (f"The format that leads over all four matrices changes with {'; '.join(changes)}.",)


def _explained() -> tuple[str, ...]:
    results = []
    for ratio in RATIOS:
        shares = _mean_shares(ratio)
        first = max(shares, key=lambda name: shares[name])
        least, most = _reach(ratio, first)
        results.append(f"{ratio} by `{first}` ({least:.0f} to {most:.0f} %)")
    return (
        "The parameter that explains most of the variance of a ratio alone, as a mean over the four "
        "matrices, with the least and the largest share: "
        f"{', '.join(results)}.",
    )


def _reach(response: str, parameter: str) -> tuple[float, float]:
    shares = [float(row[parameter]) for row in recorded("variance") if row["response"] == response]
    return min(shares), max(shares)


def _mean_shares(response: str) -> dict[str, float]:
    of = [row for row in recorded("variance") if row["response"] == response]
    return {name: sum(float(row[name]) for row in of) / len(of) for name in PARAMETERS}


def wins() -> str:
    """Return the shares by matrix."""
    of = [row for row in recorded("wins") if row["parameter"] == ALL]
    lines = [(row["matrix"], *(row[name] for name in METHODS.values())) for row in of]
    return _grid(("matrix", *METHODS.values()), lines)


def ratios() -> str:
    """Return the ratios by matrix."""
    of = recorded("ratios")
    return _grid(tuple(of[0]), [tuple(row.values()) for row in of])


def variance() -> str:
    """Return, for each response, the leading parameters with their mean share over the matrices."""
    rows = []
    for response in (*METHODS.values(), *RATIOS):
        shares = _mean_shares(response)
        order = sorted(shares, key=lambda name: -shares[name])[:MOST]
        listed = ", ".join(f"`{name}` {shares[name]:.0f}" for name in order)
        rows.append((response, listed, f"{100 - sum(shares.values()):.0f}"))
    return _grid(("logarithm of", "explained by one parameter, per cent", "by several together"), rows)


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
