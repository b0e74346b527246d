"""Which inputs of two results differ: matrices by their contents, files by their bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from experiments.whatif.compare.layouts import FileEntry, Layout, SweepLayout, WhyLayout
from vecsim.results.file_digests import short

MATRIX = "matrix"


@dataclass(frozen=True)
class DifferentInput:
    """A matrix or a file that two results do not share.

    Attributes
    ----------
    name
        Of the matrix; of a file what it is read as.
    is_matrix
        Whether it is a matrix.
    before, after
        Where it came from, and its digest; None where a file does not name it.
    """

    name: str
    is_matrix: bool
    before: tuple[str, str] | None
    after: tuple[str, str] | None

    def in_words(self) -> str:
        """Describe the difference in a line."""
        what = f"{MATRIX} {self.name}" if self.is_matrix else self.name
        sides = (f"{side} {_said(of)}" for side, of in (("A", self.before), ("B", self.after)))
        return f"{what} differs: {', '.join(sides)}"


def _said(of: tuple[str, str] | None) -> str:
    return "does not say which it has" if of is None else f"has {of[0]} (digest {short(of[1])})"


def different_inputs(before: Layout, after: Layout) -> tuple[DifferentInput, ...]:
    """Return the inputs that differ: matrices of one name, then files that are read as the same thing."""
    return (*_matrices(before, after), *_files(before.files, after.files))


def of_two(before: Layout, after: Layout, one: str, other: str) -> Iterable[DifferentInput]:
    """Return the matrices of two names, if they are not the same.

    Parameters
    ----------
    before, after
        Two results.
    one, other
        The name of a matrix in each of them.
    """
    first, second = _named(before, one), _named(after, other)
    if one != other and first and second and first[1] != second[1]:
        yield DifferentInput(f"{one} or {other}", True, first, second)


def _named(layout: Layout, name: str) -> tuple[str, str] | None:
    return next(((each.source, each.sha256) for each in layout.matrices if each.name == name), None)


def _matrices(before: Layout, after: Layout) -> Iterable[DifferentInput]:
    others = {each.name: each for each in after.matrices}
    same_width = _value_bits(before) == _value_bits(after)
    for each in before.matrices:
        other = others.get(each.name)
        if other is None or each.sha256 == other.sha256:
            continue
        if not same_width and _same_source(each.name, before, after, each.source, other.source):
            continue
        yield DifferentInput(each.name, True, (each.source, each.sha256), (other.source, other.sha256))


def _same_source(name: str, before: Layout, after: Layout, one: str, other: str) -> bool:
    """Return whether matrices of different widths, whose digests differ, were read from the same."""
    what = f"{MATRIX} {name}"
    digests = [{each.sha256 for each in layout.files if each.what == what} for layout in (before, after)]
    return digests[0] == digests[1] if any(digests) else one == other


def _value_bits(layout: Layout) -> int:
    if isinstance(layout, SweepLayout):
        return layout.sweep.value_bits
    return layout.explanations[0].value_bits if isinstance(layout, WhyLayout) else layout.value_bits


def _files(before: Iterable[FileEntry], after: Iterable[FileEntry]) -> Iterable[DifferentInput]:
    """Return files that differ, by what they are and by name; matrices are compared by their contents."""
    one, other = _by_name(before), _by_name(after)
    for key in one:
        if key in other and one[key].sha256 != other[key].sha256:
            yield DifferentInput(key[0], False, _place(one[key]), _place(other[key]))


def _by_name(files: Iterable[FileEntry]) -> Mapping[tuple[str, str], FileEntry]:
    return {
        (each.what, Path(each.file).name): each for each in files if not each.what.startswith(f"{MATRIX} ")
    }


def _place(file: FileEntry) -> tuple[str, str]:
    return file.file, file.sha256
