"""The debugger in a terminal, by textual: panels, keys, and a line for commands."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import PurePath
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from vecsim.debugger.commands import ExpectationError, QuitError, execute, looks
from vecsim.debugger.debugger import Debugger
from vecsim.debugger.panels import PANELS, SIMPLE, TEXT, WIDE, line_marks
from vecsim.debugger.readiness import NOT_READY
from vecsim.debugger.strips import BLOCKS, DOTTED, STRANGE, ZERO
from vecsim.support.errors import UserError
from vecsim.support.shown_text import one_line, printable

_HEAT = ("#3b4cc0", "#5f7fe8", "#88abfd", "#b0cbfc", "#f2cab5", "#f49a7b", "#dd6045", "#b40426")
"""Colours of a strip, from small to large; a diverging map that people who see no red can read."""
_STYLES = dict(zip(BLOCKS, _HEAT, strict=True)) | {
    ZERO: "dim",
    STRANGE: "bold magenta",
    **dict.fromkeys((*DOTTED, NOT_READY), "#e0a030"),
}
_BY_KEY = ("do", "until", "breakpoint", "edit", "extend", "help", "ask")
"""The actions of keys that are letters, which may be typed, too."""
_PHASES = {"I": "bold white", "q": "dim", "w": "#e0a030", "=": "#40b060"}


def styled(panel: str, lines: list[str]) -> Text:
    """Return the lines of a panel in colour: strips by size, changes bold, phases of the pipeline."""
    result = Text(no_wrap=True, overflow="ellipsis")
    for number, line in enumerate(lines):
        result.append("\n" if number else "")
        if panel == "pipeline" and number:
            result.append(line[:TEXT])
            _append(result, line[TEXT:], _PHASES, "")
        else:
            _append(result, line, _STYLES, "bold yellow" if line.startswith("*") else "")
    return result


def _append(result: Text, text: str, styles: Mapping[str, str], base: str) -> None:
    """Append letters, each in its style or in that of the rest."""
    for style, letters in groupby(text, lambda letter: styles.get(letter, base)):
        result.append("".join(letters), style)


def _key(key: str, action: str, description: str, *, show: bool = True) -> Binding:
    """Bind a key so that it acts at once: what is typed next already meets what it has done."""
    return Binding(key, action, description, show=show, priority=True)


class DebuggerApp(App[None]):
    """The views of a debugger; what they show is in :class:`vecsim.debugger.debugger.Debugger`."""

    CSS_PATH = "app.tcss"
    TITLE = "vecsim debug"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        _key("s", "do('step')", "step"),
        _key("b", "do('back')", "back"),
        _key("c", "do('cycle')", "cycle"),
        _key("C", "do('backcycle')", "cycle back"),
        _key("r", "do('run')", "run"),
        _key("u", "until", "run to here"),
        _key("space", "breakpoint", "breakpoint"),
        _key("e", "edit", "edit"),
        _key("a", "do('assemble')", "assemble"),
        _key("x", "extend", "simple/extended"),
        _key("question_mark", "help", "help"),
        _key("colon", "ask", "command"),
        _key("R", "do('restart')", "restart", show=False),
        Binding("escape", "leave", "source", show=False),
        _key("q", "do('quit')", "quit"),
    ]

    def __init__(self, shown: Debugger) -> None:
        super().__init__()
        self.shown = shown
        self._marks: dict[int, str] = {}
        self._file = ""
        """The text that is shown."""
        self._answered = ""
        """The command whose answer is shown below the source."""

    def compose(self) -> ComposeResult:
        """Make the widgets."""
        with Horizontal(id="top"):
            with Vertical(id="left"):
                yield OptionList(*(Option(self._prompt(n)) for n in self._numbers()), id="source")
                yield VerticalScroll(Static(id="told"), id="output")
            with VerticalScroll(id="right"):
                for name in ("vectors", "mask", "scalars", "memory"):
                    yield Static(id=name, classes="panel")
        with Vertical(id="below"):
            with Horizontal(id="machine"):
                yield Static(id="units", classes="panel")
                yield Static(id="banks", classes="panel")
            yield Static(id="pipeline", classes="panel")
        yield Static(id="status")
        yield Input(placeholder="a command; help lists them", id="command", select_on_focus=False)
        yield Footer()

    def on_mount(self) -> None:
        """Show where it stands."""
        source = self.query_one("#source", OptionList)
        for name in PANELS:
            if name != "source":
                self.query_one(f"#{name}", Static).border_title = name
        self.query_one("#output").border_title = "help"
        source.focus()
        self.show()

    def on_resize(self) -> None:
        """Draw again when there is another size, once it is known."""
        self.call_after_refresh(self.show)

    def _numbers(self) -> range:
        return range(1, len(self.shown.lines) + 1)

    def _prompt(self, line: int) -> Text:
        mark = self._marks.get(line, "")
        style = "bold yellow" if ">" in mark else "yellow" if "*" in mark else ""
        text = Text(no_wrap=True, overflow="ellipsis")
        text.append("●" if "B" in mark else "e" if "e" in mark else " ", "bold red")
        text.append(">" if ">" in mark else "*" if "*" in mark else " ", "bold yellow")
        text.append(f"{line:>4} ", "dim")
        code, hash_, comment = printable(self.shown.lines[line - 1]).partition("#")
        text.append(code, style)
        text.append(hash_ + comment, "dim italic")
        return text

    # What is shown

    def show(self, *, follow: bool = True) -> None:
        """Draw all panels again; the cursor goes to the instruction that comes next, unless not asked to."""
        shown = self.shown
        self.set_class(shown.extended, "-extended")
        for name in PANELS if shown.extended else SIMPLE:
            if name != "source":
                panel = self.query_one(f"#{name}", Static)
                panel.update(styled(name, PANELS[name](shown, panel.content_size.width or WIDE)))
        self._show_source(follow)
        here = shown.position
        file = one_line(shown.target.file)
        stop = shown.stop.text.replace(file, PurePath(file).name)
        self.say(f"{here.count:,} issued | {stop}", bad=bool(here.fault))

    def _show_source(self, follow: bool) -> None:
        source = self.query_one("#source", OptionList)
        before, self._marks = self._marks, line_marks(self.shown)
        is_other, self._file = self._file != self.shown.file, self.shown.file
        if is_other or source.option_count != len(self._numbers()):
            source.border_title = Text(PurePath(self._file).name)
            before = {}
            source.clear_options()
            source.add_options([Option(self._prompt(n)) for n in self._numbers()])
        for line in before.keys() | self._marks.keys():
            if line:
                source.replace_option_prompt_at_index(line - 1, self._prompt(line))
        if follow or is_other:
            here = self.shown.here - 1
            source.highlighted = here
            source.scroll_to(y=max(0, here - source.size.height // 2), animate=False)

    @property
    def line(self) -> int:
        """The line of the text under the cursor."""
        return (self.query_one("#source", OptionList).highlighted or 0) + 1

    def say(self, text: str, *, bad: bool = False) -> None:
        """Put a line into the status bar."""
        status = self.query_one("#status", Static)
        status.set_class(bad, "-bad")
        status.update(Text(printable(text), no_wrap=True, overflow="ellipsis"))

    def tell(self, lines: list[str], title: str) -> None:
        """Show lines in the panel below the source."""
        output = self.query_one("#output")
        output.border_title = Text(one_line(title))  # no markup: v3[2] stands in it
        output.set_class(bool(lines), "-shown")
        source = self.query_one("#source", OptionList)
        self.call_after_refresh(source.scroll_to_highlight)  # it has another size
        self.query_one("#told", Static).update(Text(printable("\n".join(lines))))

    # What is done

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys to the line for commands while something is typed into it."""
        return not (isinstance(self.focused, Input) and action in _BY_KEY)

    def do(self, text: str) -> None:
        """Do a command of the debugger, and show what it gives."""
        before, edits = self.shown.position, set(self.shown.edits)
        try:
            messages = execute(self.shown, text)
        except QuitError:
            self.exit()
            return
        except (UserError, ExpectationError) as error:
            self.show(follow=False)
            self._answered = ""
            self.tell(str(error).splitlines(), "not done")
            self.say(str(error).splitlines()[0], bad=True)
            return
        moved = self.shown.position is not before
        self.show(follow=moved)
        if edits - self.shown.edits:
            self._redraw(edits)
        if moved:
            self._answer_again()
        else:
            self._answered = text
            self.tell(messages, text)

    def _answer_again(self) -> None:
        """After a move, show what the command whose answer is shown says now; help stays."""
        if looks(self._answered):
            try:
                messages = execute(self.shown, self._answered)
            except UserError as error:
                messages = [str(error)]
            self.tell(messages, self._answered)
        elif not self._answered.startswith("help"):
            self._answered = ""
            self.tell([], "")

    def _redraw(self, lines: set[int]) -> None:
        if self.shown.file == self.shown.user_file:
            source = self.query_one("#source", OptionList)
            for line in lines:
                source.replace_option_prompt_at_index(line - 1, self._prompt(line))

    def action_do(self, text: str) -> None:
        """Do a command."""
        self.do(text)

    def action_until(self) -> None:
        """Run to the line under the cursor."""
        self.do(f"until {self.shown.place(self.line)}")

    def action_breakpoint(self) -> None:
        """Set a breakpoint at the line under the cursor, or take it away."""
        place = self.shown.place(self.line)
        try:
            there = self.shown.session.breakpoints.intersection(self.shown.instructions_at(place))
        except UserError:
            there = set()
        self.do(f"{'delete' if there else 'break'} {place}")

    def action_edit(self) -> None:
        """Let the line under the cursor be edited."""
        if self.shown.file != self.shown.user_file:
            self.say(f"{self.shown.file} is included: edit the file itself", bad=True)
            return
        self._ask(f"edit {self.line} {self.shown.lines[self.line - 1]}")

    def action_ask(self) -> None:
        """Let a command be typed."""
        self._ask("")

    def _ask(self, text: str) -> None:
        command = self.query_one("#command", Input)
        command.display = True
        command.value = text
        self.set_focus(command)  # at once: what is typed next belongs to it
        command.cursor_position = len(text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do what was typed."""
        self.action_leave()
        self.do(event.value)

    def action_leave(self) -> None:
        """Go back to the source."""
        self.set_focus(self.query_one("#source", OptionList))
        self.query_one("#command", Input).display = False

    def action_extend(self) -> None:
        """Change between the simple and the extended view."""
        self.shown.extended = not self.shown.extended
        self.show(follow=False)
        self.call_after_refresh(self.show, follow=False)  # panels have their widths now

    def action_help(self) -> None:
        """Show what the mnemonic under the cursor does; without one, the keys and commands."""
        name = self.shown.mnemonic_of(self.line)
        self.do(f"help {name}" if name else "help")

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Let help follow the cursor while it is shown."""
        output = self.query_one("#output")
        if not output.has_class("-shown") or not str(output.border_title).startswith("help"):
            return
        name = self.shown.mnemonic_of(self.line)
        if name:
            try:
                self.tell(self.shown.help(name), f"help {name}")
            except UserError:
                return
            self._answered = f"help {name}"
