"""The language of the debugger: a command a line, from a keyboard or from a script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from vecsim.debugger.conditions import left_side, watch_of
from vecsim.debugger.debugger import Debugger
from vecsim.debugger.operands import whole_number
from vecsim.debugger.panels import PANELS, all_lines
from vecsim.debugger.session import Session, Stop
from vecsim.support.errors import AssemblyError, UserError
from vecsim.support.suggestions import nearest

_COMMENT = re.compile(r"(?:^|\s)#")
"""What begins a comment; a file may have a name with the sign in it."""


class ExpectationError(Exception):
    """What a script expects does not hold."""


class QuitError(Exception):
    """The user wants to leave."""


@dataclass(frozen=True)
class Command:
    """A command: how it is written, what it does, and the function that does it and returns lines."""

    syntax: str
    summary: str
    do: Callable[[Debugger, str], list[str]]
    looks: bool = False
    """Whether it only says what is there, which is another thing at another cycle."""


def execute(shown: Debugger, text: str) -> list[str]:
    """Do a command and return what is to be said.

    Raises
    ------
    UserError
        There is no such command, or it cannot be done.
    ExpectationError
        ``expect`` of something that does not hold.
    QuitError
        ``quit``.
    """
    text = (text if text.lstrip().startswith("edit") else _COMMENT.split(text)[0]).strip()
    if not text:
        return []
    word, _, rest = text.partition(" ")
    name = SHORT.get(word, word)
    if name not in COMMANDS:
        raise UserError(f"unknown command {word!r}{nearest(word, COMMANDS)}; help lists them")
    return COMMANDS[name].do(shown, rest.strip())


def looks(text: str) -> bool:
    """Return whether a command only says what is there."""
    word = text.split(maxsplit=1)[0] if text.strip() else ""
    command = COMMANDS.get(SHORT.get(word, word))
    return command is not None and command.looks


def run_script(shown: Debugger, name: str, lines: Iterable[str], say: Callable[[str], None]) -> bool:
    """Do the commands of a script and say what they give.

    Parameters
    ----------
    shown
        What is debugged.
    name
        Of the script, in messages.
    lines
        A command each.
    say
        Gets each line of output.

    Returns
    -------
    bool
        Whether everything that it expected held.

    Raises
    ------
    UserError
        A line is no command, or cannot be done; with its number.
    """
    held = True
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            say(f"> {line.strip()}")
        try:
            for message in execute(shown, line):
                say(message)
        except ExpectationError as failed:
            say(f"not as expected: {failed}")
            held = False
        except QuitError:
            return held
        except AssemblyError as error:
            raise UserError(f"{name}:{number}: {str(error).splitlines()[0]}") from None
        except UserError as error:
            raise UserError(f"{name}:{number}: {error}") from None
    return held


def _count(text: str) -> int:
    if not text:
        return 1
    if not text.isdecimal() or not text.strip("0"):
        raise UserError(f"{text!r}: write a number, 1 or more")
    return whole_number(text)


def _moved(shown: Debugger, move: Callable[[], Stop]) -> list[str]:
    before = shown.position
    return [shown.do(move(), before).text]


def _step(shown: Debugger, rest: str) -> list[str]:
    return _moved(shown, lambda: shown.session.step(_count(rest)))


def _cycle(shown: Debugger, rest: str) -> list[str]:
    return _moved(shown, lambda: shown.session.step_cycles(_count(rest)))


def _back(shown: Debugger, rest: str) -> list[str]:
    return _moved(shown, lambda: shown.session.back(_count(rest)))


def _back_cycle(shown: Debugger, rest: str) -> list[str]:
    return _moved(shown, lambda: shown.session.back_cycles(_count(rest)))


def _goto(shown: Debugger, rest: str) -> list[str]:
    if not rest.isdecimal():
        raise UserError("write the cycle: goto 120")
    before = shown.position
    shown.session.go_to(whole_number(rest))
    return [shown.do(shown.session.step_cycles(0), before).text]


def _run(shown: Debugger, rest: str) -> list[str]:
    if rest:
        raise UserError(f"run takes nothing; until {rest} stops there")
    return _moved(shown, shown.session.run)


def _until(shown: Debugger, rest: str) -> list[str]:
    if not rest:
        raise UserError("write where: a line, a label, cycle N, or a condition such as x5 == 3")
    return [shown.until(rest).text]


def _break(shown: Debugger, rest: str) -> list[str]:
    session = shown.session
    if rest:
        session.breakpoints.update(shown.instructions_at(rest))
    return _places(session, session.breakpoints) or ["no breakpoints"]


def _places(session: Session, rows: Iterable[int]) -> list[str]:
    """Return where instructions are; those of one place once."""
    return list(dict.fromkeys(session.program.where(pc) for pc in sorted(rows)))


def _delete(shown: Debugger, rest: str) -> list[str]:
    session = shown.session
    if not rest:
        session.breakpoints.clear()
        session.watches.clear()
        return ["no breakpoints, nothing watched"]
    watched = [watch for watch in session.watches if watch.text == rest]
    if watched:
        session.watches.remove(watched[0])
        return [f"{rest} is no longer watched"]
    there = session.breakpoints.intersection(shown.instructions_at(rest))
    if not there:
        raise UserError(f"{rest}: has no breakpoint; `break` lists them")
    session.breakpoints -= there
    return [f"no breakpoint at {place}" for place in _places(session, there)]


def _watch(shown: Debugger, rest: str) -> list[str]:
    if rest:
        shown.session.watches.append(watch_of(rest, shown.session))
    return [watch.text for watch in shown.session.watches] or ["nothing is watched"]


def _print(shown: Debugger, rest: str) -> list[str]:
    return [f"{rest} = {shown.value_text(rest)}"]


def _show(shown: Debugger, rest: str) -> list[str]:
    if not rest:
        return all_lines(shown)
    if rest not in PANELS:
        raise UserError(f"{rest!r}: use one of the panels {', '.join(PANELS)}{nearest(rest, PANELS)}")
    return PANELS[rest](shown)


def _memory(shown: Debugger, rest: str) -> list[str]:
    if rest:
        shown.pieces.append(shown.piece(rest))
    return PANELS["memory"](shown)


def _help(shown: Debugger, rest: str) -> list[str]:
    if rest in COMMANDS:
        return [f"{COMMANDS[rest].syntax}: {COMMANDS[rest].summary}"]
    if rest:
        return shown.help(rest)
    width = max(len(each.syntax) for each in COMMANDS.values())
    return [f"{each.syntax:<{width}}  {each.summary}" for each in COMMANDS.values()]


def _edit(shown: Debugger, rest: str) -> list[str]:
    line, _, text = rest.partition(" ")
    if not line.isdecimal():
        raise UserError("write the line and its new text: edit 12 addi x5, x5, 1")
    shown.edit(whole_number(line), text)
    return [f"{line}: {text}", "assemble takes it"]


def _assemble(shown: Debugger, rest: str) -> list[str]:
    return [shown.assemble().text]


def _restart(shown: Debugger, rest: str) -> list[str]:
    before = shown.position
    shown.session.go_to(0)
    return [shown.do(shown.session.step_cycles(0), before).text]


def _save(shown: Debugger, rest: str) -> list[str]:
    if not rest:
        raise UserError("write the file: save my.s")
    try:
        content = shown.target.text.encode()
    except UnicodeEncodeError:
        raise UserError(f"{rest}: the text has letters that UTF-8 does not have; remove them") from None
    shown.save_folder.write(rest, content)
    return [f"written to {rest}"]


def _view(shown: Debugger, rest: str) -> list[str]:
    if rest not in ("simple", "extended"):
        raise UserError("a view must be simple or extended")
    shown.extended = rest == "extended"
    return [f"{rest} view"]


def _digest(shown: Debugger, rest: str) -> list[str]:
    return [shown.position.architectural_digest if rest == "values" else shown.position.digest]


def _expect(shown: Debugger, rest: str) -> list[str]:
    watch = watch_of(rest, shown.session)
    if not watch.holds:
        raise UserError(f"{rest!r} is not a condition; write one such as x5 == 3")
    if not watch.value(shown.position.state):
        left = left_side(rest)
        raise ExpectationError(f"{rest}; {left} is {shown.value_text(left)}")
    return []


def _quit(shown: Debugger, rest: str) -> list[str]:
    raise QuitError


COMMANDS: dict[str, Command] = {
    "step": Command("step [N]", "go on until N more instructions have issued", _step),
    "cycle": Command("cycle [N]", "go on by N cycles", _cycle),
    "back": Command("back [N]", "go back to before the latest issue, N times", _back),
    "backcycle": Command("backcycle [N]", "go back by N cycles", _back_cycle),
    "goto": Command("goto CYCLE", "go to a cycle, forwards or back", _goto),
    "run": Command("run", "go on to a breakpoint, to what is watched, or to the end", _run),
    "until": Command("until PLACE|cycle N|CONDITION", "go on to there, or to a breakpoint", _until),
    "break": Command("break [PLACE]", "stop before a line, label or mnemonic issues; list where", _break),
    "watch": Command("watch [VALUE|CONDITION]", "stop when it changes, or becomes true", _watch),
    "delete": Command("delete [PLACE|WATCHED]", "no longer stop there; all without a place", _delete),
    "print": Command("print VALUE", "x5, v3[2], mask[7], vl, float(Y + 4)", _print, True),
    "memory": Command("memory [PLACE:COUNT[:TYPE]]", "show a piece of memory from now on", _memory),
    "show": Command("show [PANEL]", f"show one of {', '.join(PANELS)}, or the view", _show, True),
    "view": Command("view simple|extended", "what show shows", _view),
    "edit": Command("edit LINE TEXT", "put another text in a line", _edit),
    "assemble": Command("assemble", "assemble again and run to the same cycle", _assemble),
    "save": Command("save FILE", "write the text as it is now", _save),
    "restart": Command("restart", "go to cycle 0", _restart),
    "expect": Command("expect CONDITION", "say if it does not hold; a script then ends with code 1", _expect),
    "digest": Command("digest [values]", "SHA-256 of values and times; of values alone", _digest, True),
    "help": Command("help [MNEMONIC|COMMAND]", "what an instruction or a command does", _help),
    "quit": Command("quit", "leave", _quit),
}
"""By name."""
SHORT = {
    "s": "step",
    "c": "cycle",
    "b": "back",
    "bc": "backcycle",
    "r": "run",
    "continue": "run",
    "u": "until",
    "p": "print",
    "m": "memory",
    "h": "help",
    "q": "quit",
    "a": "assemble",
    "unwatch": "delete",
}
"""Short and second names."""
