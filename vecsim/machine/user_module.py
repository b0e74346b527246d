"""A user's Python file, run once as long as it and all that it depends on have not changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from vecsim.machine.user_file import run_file
from vecsim.machine.user_inputs import Recording, depend_on, recorded

T = TypeVar("T")
Make = Callable[[ModuleType, Recording, bytes], T]
"""Makes something of the module of a file, of what running it depended on, and of its content."""

_known: dict[tuple[str, str, Make[Any]], tuple[Recording, Any]] = {}


def declared(file: str, content: bytes, make: Make[T]) -> T:
    """Run a file and return what is made of what it declares.

    Parameters
    ----------
    file, content
        Its path, and what is in it.
    make
        A function of a module, called once as long as nothing has changed.

    Raises
    ------
    UserError
        The file cannot be run to its end; or as `make`.
    """
    key = (str(Path(file).resolve()), hashlib.sha256(content).hexdigest(), make)
    if key not in _known or not _known[key][0].is_current():
        with recorded(file, content) as recording:
            module = run_file(content, file)
        _known[key] = recording, make(module, recording, content)
    recording, result = _known[key]
    depend_on(file, recording)
    typed: T = result
    return typed
