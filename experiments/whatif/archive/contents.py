"""What an archive of a result holds: the result, its specification, its pictures, and how to cite it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomlkit

from experiments.report.folder import files_of
from experiments.whatif.archive.citation import Cited, citation_cff, citation_text
from experiments.whatif.compare.document import Document, document_of, result_files
from experiments.whatif.compare.layouts import Layout, SweepLayout
from experiments.whatif.explain.cells import cells_of
from experiments.whatif.explain.report import report
from experiments.whatif.studies import remarks
from experiments.whatif.sweep.texts import is_text
from programs.declaration import PROGRAMS_FOLDER
from programs.registry import OWN, PROGRAMS
from programs.user_format import is_format_file
from vecsim.data.conversion import OBJECT
from vecsim.machine import Machine, presets, to_toml
from vecsim.machine.extension_files import SHIPPED as EXTENSIONS_FOLDER
from vecsim.machine.toml_text import printable_toml
from vecsim.results.archives import CITATION, with_sums
from vecsim.support.errors import UserError
from vecsim.support.input_files import InputKind, is_regular, read_input
from vecsim.support.shown_text import plain, utf8

INPUT = InputKind("an input of a result", 1 << 30)
SPECIFICATION, MACHINE = "specification.toml", "machine.toml"


def archive_files(path: Path, authors: Sequence[str] = ()) -> dict[str, bytes]:
    """Return the files of an archive by name, the same bytes for the same result and version of vecsim.

    Parameters
    ----------
    path
        A result, as `experiments.whatif.compare.read_document` takes it.
    authors
        Who made it, for its citation.

    Raises
    ------
    UserError
        It cannot be read, or is something else.
    """
    main, contents = result_files(path)
    document = document_of(main, contents)
    layout = document.layout
    _require_files(path, layout)
    name = f"{layout.kind.split()[1]}.json"
    files = {(name if each == main.name else each): content for each, content in contents.items()}
    if isinstance(layout, SweepLayout):
        files |= _figures(document, path.resolve().stem) | _specification(layout)
    files = {**{_archived(layout)[file]: content for file, content in _inputs(layout)}, **files}
    digest = hashlib.sha256(files[name]).hexdigest()
    ran = tuple(dict.fromkeys(key[1] for key in document.rows if len(key) > 1))
    if isinstance(layout, SweepLayout):
        ran = tuple(layout.sweep.programs)
    cited = Cited(layout, tuple(authors), name, digest, len(document.rows), ran)
    files |= {"CITATION.txt": citation_text(cited).encode(), CITATION: citation_cff(cited).encode()}
    return with_sums(files)


def _require_files(path: Path, layout: Layout) -> None:
    """Refuse a result of what no file has, so that nobody can repeat it."""
    lost = [each.name for each in layout.matrices if each.source == OBJECT]
    if lost:
        raise UserError(
            f"{path}: matrix {lost[0]} was given in Python: write it to a file by scipy.io.mmwrite, and "
            "sweep that file"
        )
    programs = layout.sweep.programs if isinstance(layout, SweepLayout) else []
    own = [
        name
        for name in programs
        if not (name in PROGRAMS or OWN in name or is_format_file(name) or is_text(name))
    ]
    if own:
        raise UserError(
            f"{path}: format {own[0]} was given in Python: write it to a file, and sweep with {own[0]}.py"
        )


def _inputs(layout: Layout) -> Iterator[tuple[str, bytes]]:
    """Yield the user's files that the result depends on, by path: those that are still as they were.

    Matrices are left out, as are the files that come with vecsim.
    """
    for each in layout.files:
        path = Path(each.file)
        data = each.what.startswith("matrix ") or path.suffix == ".json"
        if not _is_shipped(path) and not data and path.name.isprintable() and is_regular(path):
            content = read_input(path, INPUT)
            if hashlib.sha256(content).hexdigest() == each.sha256:
                yield each.file, content


def _is_shipped(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in (PROGRAMS_FOLDER, EXTENSIONS_FOLDER))


def _archived(layout: Layout) -> dict[str, str]:
    """Return by path what each file of the result is called in an archive.

    Names are paths from the folder that has all programs of the user, and of files outside of it plain names.
    """
    folders: dict[str, Path] = {}
    for each in layout.files:
        if each.what.partition(" ")[0] == "program" and not _is_shipped(Path(each.file)):
            folders.setdefault(each.what, Path(each.file).parent)
    base = Path(os.path.commonpath(folders.values())) if folders else None
    return {
        each.file: path.relative_to(base).as_posix() if base and path.is_relative_to(base) else path.name
        for each in layout.files
        for path in (Path(each.file),)
    }


def _figures(document: Document, name: str) -> dict[str, bytes]:
    """Return the report of a sweep, without the appendix that says when and where it was plotted."""
    try:
        cells = cells_of(document, document.path)
        built = report(cells, name, remarks(cells))
    except UserError:  # nothing is varied, or nothing has a result
        return {}
    return files_of(replace(built, appendices=built.appendices[:-1]))


def _specification(layout: SweepLayout) -> dict[str, bytes]:
    """Return the specification of a sweep, and its machine unless that is a preset or has extensions."""
    spec: dict[str, Any] = {**layout.sweep.model_dump(), "engine": layout.sweep.engine.rpartition(", ")[2]}
    if layout.sweep.is_of_texts:
        names, texts = _archived(layout), dict[str, str]()
        for each in layout.files:
            texts.setdefault(each.what, names[each.file])
        spec["programs"] = [texts.get(f"program {name}", name) for name in layout.sweep.programs]
        spec["load"] = [f"{each.text.partition('=')[0]}={names[each.file]}" for each in layout.load]
    files: dict[str, bytes] = {}
    if spec["machine"] not in presets() and not layout.machine.get("extensions"):
        spec["machine"] = MACHINE
        files[MACHINE] = utf8(to_toml(Machine.from_dict(layout.machine)))
    document = tomlkit.document()
    document.add(tomlkit.comment(f"Run it in this folder: vecsim sweep {SPECIFICATION} --out FOLDER"))
    for name, value in spec.items():
        document.add(name, plain(value))
    return files | {SPECIFICATION: utf8(printable_toml(document))}
