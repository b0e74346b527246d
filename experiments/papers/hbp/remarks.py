"""What a reader must know about the verdict on the HBP paper as a whole."""

from __future__ import annotations

from experiments.papers.hbp.preparation import verdict_on_the_hash
from experiments.papers.hbp.results import Results


def remarks_of(results: Results) -> tuple[str, ...]:
    """Return the remarks, the verdict on the hash first."""
    verdict = verdict_on_the_hash(results)
    return (
        f"{verdict.claim}: {verdict.detail}",
        "Matrices are generated; but for the Kronecker graphs they only resemble those of the paper.",
        f"Measured on {results.gpu}; the paper has a Jetson AGX Orin and an RTX 4090.",
    )
