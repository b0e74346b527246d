"""The debugger in a terminal, driven by textual's pilot: HiSM on a small matrix."""

import asyncio
from dataclasses import replace

import pytest
from debugger_cases import debugger, hism, kernel

from vecsim.support.shown_text import one_line

widgets = pytest.importorskip("textual.widgets", reason="pip install '.[teach]'")
Input, OptionList, Static = widgets.Input, widgets.OptionList, widgets.Static
pytestmark = pytest.mark.ci


def drive(shown, steps, size=(140, 50)):
    """Open the application on a screen of this many columns and rows, and let the coroutine handle it."""

    from vecsim.debugger.app import DebuggerApp

    async def opened():
        app = DebuggerApp(shown)
        async with app.run_test(size=size) as pilot:
            await steps(app, pilot)

    asyncio.run(opened())


def text_of(app, name):
    return str(app.query_one(f"#{name}", Static).content)


def y_of(shown):
    return shown.pieces[0].values(shown.position, shown.address(shown.pieces[0], shown.position)).tolist()


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
        right = y_of(shown)
        line = next(n for n, text in enumerate(shown.target.lines, 1) if "bmipa.f y, x" in text)
        source.highlighted = line - 1
        await pilot.press("e")
        typed = app.query_one("#command", Input)
        assert typed.value == f"edit {line} {shown.target.lines[line - 1]}"
        await pilot.press("X")  # after what stands there
        assert typed.value == f"edit {line} {shown.target.lines[line - 1]}X"
        typed.value = f"edit {line}     mulvv.f y, x, value"
        await pilot.press("enter", "a", "r")
        assert shown.stop.reason == "end"
        assert y_of(shown) != right

    drive(shown, steps)


def test_mistakes_are_said_and_nothing_moves():
    shown = debugger(kernel())

    async def steps(app, pilot):
        for text, said in (("until nowhere", "must be a line, label or mnemonic"), ("edit 11 add x6", "")):
            await command(pilot, text)
            assert said in text_of(app, "status")
        await pilot.press("a")
        assert "kernel.s:11" in text_of(app, "status")
        assert shown.position.cycle == 0
        await command(pilot, "quit")

    drive(shown, steps)


def test_what_is_shown_is_of_where_it_stands():
    """After each move, forwards or back, every panel and the answer below the source are of a new look."""
    from vecsim.debugger.app import styled
    from vecsim.debugger.commands import execute
    from vecsim.debugger.panels import PANELS

    shown = debugger(kernel(), pieces=("x3:4:float", "PLACE:4:float"))
    shown.extended = True

    async def steps(app, pilot):
        await command(pilot, "print v1[2]")
        assert "print v1[2]" in app.query_one("#output").border_title.replace("\\", "")
        for press in ("s", "s", "s", "c", "b", "r", "R", "edit", "a"):
            if press == "edit":
                await command(pilot, "edit 3 .equ PLACE, 260")
                await command(pilot, "print v1[2]")
            else:
                await pilot.press(press)
            for name in PANELS:
                if name != "source":
                    panel = app.query_one(f"#{name}", Static)
                    lines = PANELS[name](shown, panel.content_size.width)
                    assert text_of(app, name) == str(styled(name, lines)), (press, name)
            if press != "a":
                assert text_of(app, "told") == execute(shown, "print v1[2]")[0]
            status = text_of(app, "status")
            assert status == f"{shown.position.count} issued | {shown.stop.text}"
            cycles = {word.strip(",:") for word in status.partition("cycle ")[2].split()[:1]}
            assert cycles <= {str(shown.position.cycle)}
        await command(pilot, "help add")
        await pilot.press("b")
        assert "xd = xa + xb" in text_of(app, "told")
        await command(pilot, "break 12")
        await pilot.press("s")
        assert not app.query_one("#output").has_class("-shown")

    drive(shown, steps)


def test_what_is_typed_at_once_belongs_to_the_command():
    from textual import events

    shown = debugger(kernel())

    async def steps(app, pilot):
        for key, letter in (("colon", ":"), *((letter, letter) for letter in "sreb")):
            app.post_message(events.Key(key, letter))  # without waiting, as a paste or a slow computer has it
        await pilot.pause()
        await pilot.pause()
        assert app.query_one("#command", Input).value == "sreb"
        assert shown.position.cycle == 0 and not shown.session.breakpoints
        await pilot.press("escape", "s")
        assert shown.position.cycle > 0

    drive(shown, steps)


def test_odd_names_are_shown_as_they_are():
    import dataclasses

    shown = debugger(dataclasses.replace(kernel(), file="[red]x[/y].s"))

    async def steps(app, pilot):
        for text in ("print v1[0]", "print [/]", "print mask[", "edit 1 [/b]"):
            await command(pilot, text)
        await pilot.press("s")
        assert shown.position.cycle > 0

    drive(shown, steps)


@pytest.mark.parametrize("name", ["[red]a[bold].s", "a\x1b[31m\n.s", "n\udcff.s"])
def test_a_name_and_a_line_of_any_letters_stand_there_as_they_are(name):
    shown = debugger(replace(kernel("nop # [/]\x1b[2J[red]\nhalt # \u202e\n"), file=name))

    async def steps(app, pilot):
        source = app.query_one("#source", OptionList)
        assert source._border_title.plain == one_line(name)
        await command(pilot, "break 2")
        await pilot.press("r")
        for line in range(2):
            assert app._prompt(line + 1).plain.isprintable()
        assert "[/]" in app._prompt(1).plain
        assert one_line(name) in text_of(app, "status") or "break" in text_of(app, "status")
        await command(pilot, "[/]")
        assert app.query_one("#output").border_title == "not done"

    drive(shown, steps)
