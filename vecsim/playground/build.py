"""The folder that any web server can serve, with everything that the page needs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

from experiments.report.folder import check_folder
from vecsim.engines.targets.wasm.build import build as build_engine
from vecsim.engines.targets.wasm.linking import linker
from vecsim.playground import description, lessons
from vecsim.playground.packages import PYODIDE, call, download_wheels, install_modules, tool
from vecsim.playground.python_files import write_archive
from vecsim.playground.worker.classroom import Classroom
from vecsim.results.result_folder import write_folder
from vecsim.support.errors import UserError

AS_THEY_ARE = ("index.html", "style.css", "classroom.mjs", "worker.mjs", "icon.svg")
"""Files of the page that are copied."""
BUNDLED = "main.mjs"
"""The page's script, which becomes one file with the editor."""
FIRST = "axpy"
"""The lesson that the page begins with: what it takes is shown before the worker is there."""
SHOWN = ("key", "group", "title", "about", "text", "exercise", "shape", "entries")
"""What the page shows of a lesson before its worker is there."""
SERVICE = "service.mjs"
"""The service worker; what it keeps is written into it."""


class Built(NamedTuple):
    """What a build has written: where, how many bytes, and how many files."""

    folder: Path
    bytes: int
    files: int


def build(folder: Path, say: Callable[[str], object] = lambda line: None) -> Built:
    """Write the playground into a folder, all of its files or none.

    Parameters
    ----------
    folder
        Where to; it is made if it does not exist, and other files in it stay.
    say
        Gets a line before each step that takes long.

    Raises
    ------
    UserError
        A tool is missing or fails, the network is not there, or the folder cannot be written.
    """
    tool("node")
    linker()
    check_folder(str(folder), ())
    try:
        with as_file(files("vecsim.playground") / "page") as page, tempfile.TemporaryDirectory() as scratch:
            modules, wheels, whole = (Path(scratch, name) for name in ("npm", "wheels", "whole"))
            for each in (modules, wheels, whole):
                each.mkdir()
            _write_all(whole, page, modules, wheels, say)
            content = {path.relative_to(whole).as_posix(): path.read_bytes() for path in _paths(whole)}
    except OSError as error:
        raise UserError(f"{folder}: the playground cannot be built: {error}") from None
    write_folder(folder, content)
    return Built(folder, sum(map(len, content.values())), len(content))


def _write_all(folder: Path, page: Path, modules: Path, wheels: Path, say: Callable[[str], object]) -> None:
    """Write every file of the playground.

    Parameters
    ----------
    folder, page
        Where to, and the sources of the page.
    modules, wheels
        Empty folders for the packages of npm and PyPI.
    say
        As in `build`.
    """
    say("packages of npm and PyPI")
    packages = install_modules(modules, page)
    (folder / "pyodide").mkdir()
    for name in PYODIDE:
        shutil.copyfile(packages / "pyodide" / name, folder / "pyodide" / name)
    write_archive(folder / "python.zip", download_wheels(wheels, page))
    call([tool("node"), str(page / "compile.mjs"), str(folder)], folder, "node")
    say("the engine as WebAssembly")
    build_engine(folder / "engine")
    say("lessons")
    _write_data(folder)
    for name in AS_THEY_ARE:
        shutil.copyfile(page / name, folder / name)
    _bundle(packages, page, folder)
    _write_service(page, folder)


def _write_data(folder: Path) -> None:
    """Write what the page shows, and what its worker begins with."""
    given = [lesson.to_plain() for lesson in lessons.lessons()]
    shown = [{name: lesson[name] for name in SHOWN} for lesson in given]
    trials = lessons.trials()
    first = next(lesson for lesson in given if lesson["key"] == FIRST)
    page = {
        "seeds": lessons.SEEDS,
        "version": _digest(folder, ["python.zip", "engine/engine.wasm"]),
        "first": {"lesson": FIRST, "answer": _answer(given, first)},
        "language": description.language(),
        "machines": description.machines(),
        "causes": description.causes(),
        "lessons": shown,
    }
    _write_json(folder / "description.json", page)
    _write_json(folder / "lessons.json", {"lessons": given, "trials": trials})


def _answer(given: list[dict[str, Any]], first: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the worker would answer if it were asked to run a lesson."""
    room = Classroom(given, {}, engine=lessons.ENGINE)
    return room.answer({"do": "run", "lesson": first["key"], "text": first["text"]})


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, separators=(",", ":"), default=dict), encoding="utf-8")


def _bundle(packages: Path, page: Path, folder: Path) -> None:
    """Put the page's script and the editor into one file."""
    esbuild = packages / "esbuild" / "bin" / "esbuild"
    options = ["--bundle", "--format=esm", "--minify", "--target=es2022", "--legal-comments=none"]
    command = [tool("node"), str(esbuild), str(page / BUNDLED), *options, f"--outfile={folder / BUNDLED}"]
    call(command, folder, "esbuild", {**os.environ, "NODE_PATH": str(packages)})


def _write_service(page: Path, folder: Path) -> None:
    """Write the service worker, with the names of all files and a digest of them."""
    names = [path.relative_to(folder).as_posix() for path in _paths(folder)]
    text = (page / SERVICE).read_text(encoding="utf-8")
    kept = json.dumps({"version": _digest(folder, names), "files": names})
    (folder / SERVICE).write_text(text.replace("null /* what is kept */", kept), encoding="utf-8")


def _digest(folder: Path, names: Sequence[str]) -> str:
    """Return a name of the contents of some files."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(name.encode() + (folder / name).read_bytes())
    return digest.hexdigest()[:16]


def _paths(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
