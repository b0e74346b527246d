"""The packages next to vecsim, or a clear message where a folder of the same name stands in their way.

Python looks into the folder that it is started in first: a folder ``programs`` or ``experiments`` there would
be taken for vecsim's own package.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from vecsim.support.errors import UserError

PACKAGES = ("isa", "programs", "gpu", "experiments")
LIBRARIES = (
    "numpy",
    "scipy",
    "simpy",
    "pydantic",
    "tomlkit",
    "typer",
    "rich",
    "lark",
    "numba",
    "llvmlite",
    "matplotlib",
    "jinja2",
    "requests",
    "urllib3",
    "filelock",
    "platformdirs",
    "trimesh",
    "elftools",
)
"""Other people's packages that vecsim needs."""
ROOT = Path(__file__).parents[2]
"""Where vecsim is, and these packages next to it."""
SHIPPED_TEXTS = "<programs>/"
"""What the name of an assembly text begins with that comes with vecsim and is included by another."""


def input_path(folder: Path, name: str) -> Path:
    """Return where a file of a program is.

    Parameters
    ----------
    folder
        That of the program's text.
    name
        The path of the file from there, or `SHIPPED_TEXTS` and its path among the programs of vecsim.
    """
    if name.startswith(SHIPPED_TEXTS):
        return ROOT / "programs" / name.removeprefix(SHIPPED_TEXTS)
    return folder / name


@contextmanager
def project_packages() -> Iterator[None]:
    """Within it, an import of one of `PACKAGES` gives vecsim's own.

    Raises
    ------
    UserError
        At such an import: a folder or a module of that name is found instead, and the message names it.
    """
    guard = _Guard()
    sys.meta_path.insert(0, guard)
    try:
        yield
    finally:
        sys.meta_path.remove(guard)


class _Guard(MetaPathFinder):
    """Finds nothing by itself: it looks at what the others find, before any of it runs."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what the others find, if it is vecsim's own; of a part of a package, look at the package."""
        package = name.partition(".")[0]
        if package not in PACKAGES:
            return None
        if name != package:
            _require_project_package(package, sys.modules[package].__spec__)
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        result = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        _require_project_package(package, result)
        return result


def _require_project_package(package: str, result: ModuleSpec | None) -> None:
    own = ROOT / package / "__init__.py"
    if result is None or not own.exists():
        return  # not installed as a whole: who imports it says what is missing
    if result.origin is not None and Path(result.origin).exists() and own.samefile(result.origin):
        return
    raise UserError(
        f"{_place(result)} hides vecsim's package {package!r}: rename it, or start Python in another folder"
    )


def _place(result: ModuleSpec) -> str:
    """Name a folder, or the file of a module."""
    folders = list(result.submodule_search_locations or ())
    return f"the folder {Path(folders[0]).absolute()}" if folders else f"the file {result.origin}"
