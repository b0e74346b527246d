"""Begin a classroom in Pyodide."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def begin(call: Callable[..., Any], lessons: str) -> Callable[[str], str]:
    """Return what answers questions, both in JSON.

    Parameters
    ----------
    call
        As :class:`vecsim.playground.worker.host.ModuleHost` takes it.
    lessons
        ``lessons`` and ``trials`` in JSON, as the ``Classroom`` takes them.
    """
    from vecsim.playground.worker.stand_in import install

    install()  # before anything imports NumPy

    from vecsim.playground.worker.classroom import Classroom
    from vecsim.playground.worker.host import NAME, use

    use(call)
    given = json.loads(lessons)
    room = Classroom(given["lessons"], given["trials"], engine=NAME)

    def answer(question: str) -> str:
        return json.dumps(room.answer(json.loads(question)))

    return answer
