"""What the debugger's views need next to vecsim: the extra ``teach``."""

from __future__ import annotations

from importlib.util import find_spec

from vecsim.support.errors import UserError


def require(*modules: str) -> None:
    """Check that modules are installed.

    Raises
    ------
    UserError
        One is.
    """
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise UserError(
            f"{' and '.join(missing).replace('_', '-')} is not installed: python -m pip install "
            "'vecsim[teach]' (the extra teach); --script FILE works without it"
        )
