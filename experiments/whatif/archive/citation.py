"""How to cite a result and the version of vecsim that made it, as plain text and as CITATION.cff."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from experiments.whatif.compare.layouts import ExecLayout, Layout, SweepLayout, WhyLayout
from vecsim.support.shown_text import one_line, unicode_text
from vecsim.support.suggestions import counted

VECSIM = "vecsim, a cycle-level simulator of a vector processor for sparse matrices"
OF_VECSIM = "The vecsim authors"
NO_AUTHOR = "AUTHORS OF THE RESULT"
"""Stands in the place of names that nobody gave."""
MOST_NAMED = 5
"""Programs or varied parameters that a title names; of more it gives the number."""


@dataclass(frozen=True)
class Cited:
    """A result to be cited.

    Attributes
    ----------
    layout
        What its file holds.
    authors
        Who made it.
    file, sha256
        The file's name in the archive, and its digest.
    runs
        How many runs it has.
    programs
        What ran.
    """

    layout: Layout
    authors: tuple[str, ...]
    file: str
    sha256: str
    runs: int
    programs: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The authors, or what stands in their place."""
        return self.authors or (NO_AUTHOR,)

    @property
    def title(self) -> str:
        """What was simulated, in a line."""
        layout = self.layout
        if isinstance(layout, ExecLayout):
            return f"Cycles of {one_line(layout.file)}"
        matrices = [each.name for each in layout.matrices]
        title = f"Cycles of {_several(self.programs, 'program')}"
        title += f" on {_several(matrices, 'matrix')}" if matrices else ""
        if isinstance(layout, SweepLayout):
            varied = [*layout.sweep.set, *layout.sweep.option, *layout.sweep.define]
            title += f", varying {_several(varied, 'parameter')}" if varied else ""
        return title

    @property
    def day(self) -> str:
        """When it was made; empty if its file does not say it."""
        return self.layout.date[:10]

    @property
    def version(self) -> str:
        """The version of vecsim."""
        return self.layout.versions.get("vecsim", "unknown")

    @property
    def machines(self) -> Iterator[tuple[str, str]]:
        """The label and the digest of each machine, once."""
        layout = self.layout
        stated = (
            [each.machine for each in layout.explanations]
            if isinstance(layout, WhyLayout)
            else [layout.machine]
        )
        yield from dict.fromkeys((str(each["label"]), str(each["sha256"])) for each in stated if each)


def citation_text(cited: Cited) -> str:
    """Return how to cite and to verify a result, with the digests of all inputs, as plain text."""
    layout = cited.layout
    made = f"Simulated with vecsim {cited.version} (commit {one_line(layout.commit)})"
    inputs = [("machine", label, digest) for label, digest in cited.machines]
    inputs += [(f"matrix {each.name}", each.source, each.sha256) for each in layout.matrices]
    inputs += [(each.what, each.file, each.sha256) for each in layout.files]
    if isinstance(layout, ExecLayout):
        inputs += [("array", each.text, each.sha256) for each in layout.load]
    lines = [
        "To cite this result:",
        "",
        f"    {', '.join(cited.names)}: {cited.title}. {made}{', ' * bool(cited.day)}{cited.day}.",
        f"    SHA-256 of {cited.file}: {cited.sha256}",
        "",
        "To cite vecsim:",
        "",
        f"    {OF_VECSIM}: {VECSIM}. Version {cited.version}, commit {one_line(layout.commit)}.",
        "",
        "To verify it: vecsim rerun ARCHIVE",
        "",
        f"    repeats {counted(cited.runs, 'run')} and compares the cycles; --sample N repeats N of them.",
        "    It seeks missing programs and matrices in the working folder: unpack the archive, read Python",
        "    files, which are run, add the matrices, and type vecsim rerun . in that folder.",
        "    sha256sum -c SHA256SUMS checks the files alone.",
        "",
        "Made by:",
        "",
        f"    {one_line(' '.join(layout.command)) or 'unknown'}",
        f"    {', '.join(f'{name} {version}' for name, version in layout.versions.items())}",
        "",
        "Inputs, each with its SHA-256:",
        "",
        *(f"    {digest}  {one_line(what)}: {one_line(source)}" for what, source, digest in inputs),
    ]
    return unicode_text("\n".join(lines) + "\n")


def citation_cff(cited: Cited) -> str:
    """Return the citation in the Citation File Format 1.2.0 (https://doi.org/10.5281/zenodo.5171937).

    Its strings are quoted as JSON quotes them, which YAML reads.
    """
    lines = [
        "cff-version: 1.2.0",
        f"message: {_quoted('If you use this result, cite it and vecsim.')}",
        "type: dataset",
        f"title: {_quoted(cited.title)}",
        "authors:",
        *(f"  - name: {_quoted(name)}" for name in cited.names),
        *([f"date-released: {cited.day}"] if cited.day else []),
        "identifiers:",
        "  - type: other",
        f"    value: {_quoted(f'sha256:{cited.sha256}')}",
        f"    description: {_quoted(f'SHA-256 of {cited.file}')}",
        "references:",
        "  - type: software",
        f"    title: {_quoted(VECSIM)}",
        "    authors:",
        f"      - name: {_quoted(OF_VECSIM)}",
        f"    version: {_quoted(cited.version)}",
        f"    commit: {_quoted(cited.layout.commit)}",
        "    license: Apache-2.0",
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(one_line(unicode_text(text)), ensure_ascii=True)


def _several(names: tuple[str, ...] | list[str], thing: str) -> str:
    """Name some things, or count them."""
    return ", ".join(map(one_line, names)) if 0 < len(names) <= MOST_NAMED else counted(len(names), thing)
