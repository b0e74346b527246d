"""What the folder has from the registries of npm and PyPI: versions are in ``page/``."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from vecsim.support.errors import UserError

PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
"""What a browser needs of Pyodide."""
PLATFORMS = ("pyemscripten_2026_0_wasm32", "any")
"""Of the wheels that this Pyodide takes."""
PYTHON = "3.14"
"""Its Python."""
SECONDS = 600
MOST_LETTERS = 300
"""Of a line of a program that is shown."""


def install_modules(folder: Path, page: Path) -> Path:
    """Install the packages of npm into a folder and return where they are.

    Parameters
    ----------
    folder
        An empty folder.
    page
        Where ``package.json`` and ``package-lock.json`` are.

    Raises
    ------
    UserError
        npm is missing, or it fails.
    """
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(page / name, folder / name)
    call([tool("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder, "npm")
    return folder / "node_modules"


def download_wheels(folder: Path, page: Path) -> list[Path]:
    """Download the wheels of ``wheels.txt`` into a folder and return them.

    Raises
    ------
    UserError
        pip is missing, or it fails.
    """
    platforms = [f"--platform={name}" for name in PLATFORMS]
    which = [f"--python-version={PYTHON}", "--implementation=cp", "--abi=cp314", "--abi=none", *platforms]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *which]
    call([*command, f"--dest={folder}", f"--requirement={page / 'wheels.txt'}"], folder, "pip")
    return sorted(folder.glob("*.whl"))


def tool(name: str) -> str:
    """Return the path of a program.

    Raises
    ------
    UserError
        It is not there.
    """
    path = shutil.which(name)
    if path is None:
        raise UserError(f"{name} is not found: install Node.js from version 20 on, which has node and npm")
    return path


def call(command: Sequence[str], folder: Path, name: str, environment: dict[str, str] | None = None) -> None:
    """Run a program in a folder.

    Parameters
    ----------
    command, folder
        The program with its arguments, and where it runs.
    name
        What messages call it.
    environment
        Its variables; those of this process if there are none.

    Raises
    ------
    UserError
        It fails, with the first line in which it speaks of an error, or its last.
    """
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"{name}: has not ended in {SECONDS} seconds; try again") from None
    if done.returncode:
        says = [line.strip() for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
        wrong = [line for line in says if "error" in line[:MOST_LETTERS].lower()]
        reason = (wrong or says[-1:] or [f"exit code {done.returncode}"])[0]
        raise UserError(f"{name}: {reason[:MOST_LETTERS]}")
