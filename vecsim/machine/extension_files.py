"""Extensions read from a user's Python files, which are run for that."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from vecsim.machine.extension import Extension
from vecsim.machine.user_inputs import Recording
from vecsim.machine.user_module import declared
from vecsim.support.errors import UserError
from vecsim.support.input_files import EXTENSION, read_input
from vecsim.support.suggestions import nearest

SHIPPED = Path(__file__).parents[1] / "extensions"
"""Where those are that come with vecsim."""


def shipped() -> tuple[str, ...]:
    """Name the extensions that come with vecsim."""
    files = sorted(SHIPPED.glob("*.py"))
    return tuple(file.stem for file in files if not file.stem.startswith("_"))


def extensions_of(given: Iterable[Extension | str | Path]) -> tuple[Extension, ...]:
    """Return extensions: of files, of names of those that come with vecsim, and those given as they are.

    Each comes once, in the order in which they are given.

    Raises
    ------
    UserError
        A file that cannot be read or run or that declares no extension; two extensions of one name.
    """
    matches: dict[str, Extension] = {}
    for each in given:
        for extension in (each,) if isinstance(each, Extension) else load_extensions(_file(str(each))):
            if matches.setdefault(extension.name, extension) is not extension:
                raise UserError(
                    f"two extensions are named {extension.name!r}: rename the one of {extension.file}"
                )
            if not extension.sha256:
                extension.outside = "declares it in Python, and was not given as a file"
                extension.sha256 = _digest(_content(extension.file)) if extension.file else ""
            if extension.riscv_rows:
                _add_to_riscv(extension)
    return tuple(matches.values())


def _add_to_riscv(extension: Extension) -> None:
    """Add the RISC-V instructions of an extension to those that programs may have.

    Raises
    ------
    UserError
        They do not fit to the others.
    """
    from isa.riscv.instructions import add

    try:
        add(extension.riscv_rows)
    except ValueError as error:
        raise UserError(f"extension {extension.name}: {error}") from None


def load_extensions(file: str) -> tuple[Extension, ...]:
    """Run a file; return the extensions that it declares.

    It is run once, as long as it and all that it depends on (`vecsim.machine.user_inputs`) have not changed.

    Raises
    ------
    UserError
        It cannot be read or run, or declares none.
    """
    return declared(file, _content(file), _extensions_of)


def _extensions_of(module: ModuleType, recording: Recording, content: bytes) -> tuple[Extension, ...]:
    path = str(module.__file__)
    matches = [each for each in vars(module).values() if isinstance(each, Extension) and each.file == path]
    if not matches:
        raise UserError(
            f"{path}: declares no extension; write NAME = Extension('name', 'what it adds'), with "
            "`from vecsim import Extension` (docs/extending-time.md)"
        )
    for extension in matches:
        extension.file, extension.sha256 = _told(path), recording.digest(content)
        extension.outside = f"{recording.outside} while it is loaded" if recording.outside else ""
    return tuple(dict.fromkeys(matches))


def _file(name: str) -> str:
    """Return the file that a name stands for."""
    if name in shipped() and not Path(name).exists():
        return str(SHIPPED / f"{name}.py")
    if not Path(name).exists() and not name.endswith(".py"):
        known = shipped()
        raise UserError(
            f"unknown extension {name!r}; use one of {', '.join(known)}, or a .py file{nearest(name, known)}"
        )
    return name


def _told(path: str) -> str:
    """Return what results and machine files call a file: its path, or its name if it comes with vecsim."""
    return Path(path).stem if Path(path).parent == SHIPPED.resolve() else path


def _content(file: str) -> bytes:
    return read_input(file, EXTENSION, f"extension {file}")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
