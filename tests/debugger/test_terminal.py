"""The debugger in a terminal, driven by textual's pilot: HiSM on a small matrix."""

import asyncio

import pytest
from debugger_cases import debugger, hism, kernel

widgets = pytest.importorskip("textual.widgets", reason="pip install '.[teach]'")
Input, OptionList, Static = widgets.Input, widgets.OptionList, widgets.Static
pytestmark = pytest.mark.ci


def drive(shown, steps, size=(140, 50)):
    """Open the application on a screen of so many columns and rows, and let the coroutine handle it."""

    from vecsim.debugger.app import DebuggerApp

    async def opened():
        app = DebuggerApp(shown)
        async with app.run_test(size=size) as pilot:
            await steps(app, pilot)

    asyncio.run(opened())


def text_of(app, name):
    return str(app.query_one(f"#{name}", Static).content)


async def command(pilot, text):
    await pilot.press("colon")
    pilot.app.query_one("#command", Input).value = text
    await pilot.press("enter")


def test_hism_is_stopped_at_bmipa_stepped_there_and_back_and_edited():
    shown = debugger(hism(), pieces=("Y:16:float",))

    async def steps(app, pilot):
        await command(pilot, "break bmipa")
        await pilot.press("r", "r")
        assert shown.stop.reason == "breakpoint" and "bmipa" in text_of(app, "status")
        stop, digest = shown.position.cycle, shown.position.digest
        source = app.query_one("#source", OptionList)
        assert "bmipa.f" in shown.target.lines[source.highlighted]
        await pilot.press("s", "s", "c", "c", "c")
        assert shown.position.cycle > stop and shown.position.digest != digest
        await pilot.press("C", "C", "C", "b", "b")
        assert (shown.position.cycle, shown.position.digest) == (stop, digest)

        await pilot.press("question_mark")
        assert "vy[row] += vv[k] * vx[column]" in text_of(app, "told")
        await pilot.press("x")
        assert app.query_one("#units").display and "sparse" in text_of(app, "units")

        await pilot.press("space", "r")  # no breakpoint there any longer
        assert shown.stop.reason == "end"
        right = shown.pieces[0].values(shown.position).tolist()
        line = next(n for n, text in enumerate(shown.target.lines, 1) if "bmipa.f y, x" in text and n > 190)
        source.highlighted = line - 1
        await pilot.press("e")
        typed = app.query_one("#command", Input)
        assert typed.value == f"edit {line} {shown.target.lines[line - 1]}"
        typed.value = f"edit {line}     mulvv.f y, x, value"
        await pilot.press("enter", "a", "r")
        assert shown.stop.reason == "end"
        assert shown.pieces[0].values(shown.position).tolist() != right

    drive(shown, steps)


def test_mistakes_are_said_and_nothing_moves():
    shown = debugger(kernel())

    async def steps(app, pilot):
        for text, said in (("until nowhere", "no line, label or mnemonic"), ("edit 11 add x6", "")):
            await command(pilot, text)
            assert said in text_of(app, "status")
        await pilot.press("a")
        assert "kernel.s:11" in text_of(app, "status")
        assert shown.position.cycle == 0
        await command(pilot, "quit")

    drive(shown, steps)
