"""A result run again from what its file says, and whether the cycles are the same."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.whatif.compare.document import Document, Pathlike, as_document
from experiments.whatif.compare.layouts import (
    ExecLayout,
    Layout,
    RunLayout,
    SweepLayout,
)
from experiments.whatif.compare.repetition import Repeated, Repetition, Watch, place_here
from vecsim.results.file_digests import InputFile, changed
from vecsim.results.provenance import provenance
from vecsim.support.errors import UserError
from vecsim.support.overview import Overview


@dataclass(frozen=True, repr=False)
class Again(Overview):
    """A results file, again.

    Attributes
    ----------
    runs
        Each of its runs.
    inputs
        In a line each, which of its matrices and files are not what they were, or not here.
    made
        In a line each, which versions and which commit are others than then.
    all_runs
        How many runs the file has.
    """

    runs: tuple[Repeated, ...]
    inputs: tuple[str, ...]
    made: tuple[str, ...]
    all_runs: int

    @property
    def left_out(self) -> int:
        """How many of `runs` had cycles then, and cannot be repeated or have none now."""
        return sum(each.then is not None and each.now is None for each in self.runs)

    @property
    def same(self) -> bool:
        """Whether all runs take the same cycles."""
        return all(each.same for each in self.runs)

    def overview(self) -> dict[str, object]:
        """Return how many runs take the same cycles, the others, and what else is not as it was."""
        others: dict[str, object] = {
            " ".join(each.key): f"{each.then} then, {each.now} now" for each in self.runs if not each.same
        }
        count = len(self.runs)
        changed_since = (*self.inputs, *self.made)
        return {"runs": count, "same_cycles": count - len(others), "changed": changed_since} | others


def rerun(
    document: Document | Pathlike,
    *,
    extend: Sequence[str] = (),
    store: Path | None = None,
    sample: int | None = None,
    watch: Watch = lambda what, number, of: None,
) -> Again:
    """Run everything in a results file again.

    Parameters
    ----------
    document
        The file, or what `read_document` reads.
    extend
        The files of the extensions of its machine: what is not named here is not run.
    store
        Where the cells of a sweep are stored, empty so that all are computed; without it a temporary file.
    sample
        How many runs are repeated, chosen by the digest of their keys: always the same ones. All without it.
    watch
        Called with the progress.

    Raises
    ------
    UserError
        An array of `vecsim exec` is another one, or an extension is another one or not named.

    Examples
    --------
    >>> import vecsim
    >>> table = vecsim.sweep(vecsim.Sweep(("laplace2d-5",), ("crs", "hism")), jobs=1)
    >>> vecsim.rerun(table.save("swept")).same
    True
    """
    document = as_document(document)
    if store is None:
        with tempfile.TemporaryDirectory() as folder:
            return rerun(document, extend=extend, store=Path(folder) / "store", sample=sample, watch=watch)
    again = Repetition(_sampled(document, sample), extend, store, watch)
    layout = document.layout
    try:
        if isinstance(layout, SweepLayout):
            runs = again.sweep(layout)
        elif isinstance(layout, ExecLayout):
            runs = (again.exec(layout),)
        elif isinstance(layout, RunLayout):
            runs = again.run(layout)
        else:
            runs = again.why(layout)
    except UserError as error:
        raise UserError(f"{document.path}: {error}") from None
    inputs = (*again.other_matrices.values(), *changed(_recorded_files(layout)))
    return Again(runs, inputs, tuple(_made_otherwise(layout)), len(document.rows))


def _sampled(document: Document, sample: int | None) -> Document:
    """Return a document with some of its rows, in their order."""
    if sample is None or sample >= len(document.rows):
        return document
    by_digest = sorted(document.rows, key=lambda key: hashlib.sha256(repr(key).encode()).digest())
    chosen = set(by_digest[:sample])
    return replace(document, rows={key: row for key, row in document.rows.items() if key in chosen})


def _recorded_files(layout: Layout) -> Iterator[InputFile]:
    """Return the files that a result depends on, at their places here.

    Those of matrices, which are compared by contents, are left out.
    """
    for each in layout.files:
        if not each.what.startswith("matrix "):
            yield InputFile(each.what, str(place_here(Path(each.file))), each.sha256)


def _made_otherwise(layout: Layout) -> Iterator[str]:
    """Name each version that is another one now, and the commit."""
    now = provenance()
    for name, version in layout.versions.items():
        other = now.versions.get(name, "not installed")
        if other != version:
            yield f"{name}: {version} then, {other} now"
    if str(now.commit) != layout.commit:
        yield f"commit: {layout.commit} then, {now.commit} now"
