"""Make the picture of the debugger: HiSM on a small matrix, stopped at BMIPA, as textual draws it.

    python docs/pictures/make_debugger.py

The extra ``teach`` is needed.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from programs.measurement import prepare_product
from programs.registry import find
from vecsim.data import load
from vecsim.debugger.app import DebuggerApp
from vecsim.debugger.debugger import Debugger
from vecsim.debugger.target import Target
from vecsim.machine import load_machine

HERE = Path(__file__).parent
SIZE = (150, 54)
COMMANDS = ("break bmipa", "run", "run", "delete", "until cycle 420", "help bmipa.s")
_FONTS = re.compile(r"@font-face\s*{[^}]*}")
"""What the picture would ask of other computers."""


def picture() -> str:
    """Return the picture as SVG."""
    machine = load_machine("vs2003")
    program = find("hism")
    prepared = prepare_product("hism", load("laplace2d-30"), machine, options={"schedule": "plain"})
    path = program.source("plain")
    symbols = program.symbols(prepared.options) | dict(prepared.loaded.symbols)
    text = path.read_text(encoding="utf-8")
    target = Target("hism on laplace2d-30", path.name, text, prepared.loaded.memory, machine, symbols)
    shown = Debugger(target.with_files(path.parent), pieces=("Y:16:float",))
    shown.extended = True
    return asyncio.run(_drawn(DebuggerApp(shown)))


async def _drawn(app: DebuggerApp) -> str:
    async with app.run_test(size=SIZE) as pilot:
        for command in COMMANDS:
            app.do(command)
        await pilot.pause()
        return _FONTS.sub("", app.export_screenshot())


if __name__ == "__main__":
    (HERE / "debug.svg").write_text(picture(), encoding="utf-8")
