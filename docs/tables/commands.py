"""The reference of the command line and of the names of the package, from what each says of itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import vecsim
from docs.tables.markdown import code, table
from vecsim.cli.application import command_line

HELP = {"--help", "--install-completion", "--show-completion"}


def page() -> str:
    """Return every command with its arguments and options."""
    return "\n\n".join(_command(path, command) for path, command in _leaves("vecsim", command_line()))


def _leaves(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
    for name, each in (inner or {}).items():
        yield from _leaves(f"{path} {name}", each)


def _command(path: str, command: Any) -> str:
    shown = [p for p in command.params if not HELP & set(p.opts)]
    rows = [(_written(p), _plain(p.help or ""), code(_default(p))) for p in shown]
    text = "\n\n".join(line.strip() for line in (command.help or "").split("\n\n"))
    parts = [f"## {path}", _plain(text)]
    if rows:
        parts.append(table(["argument or option", "what it is", "default"], rows))
    return "\n\n".join(parts)


def _written(parameter: Any) -> str:
    metavar = (parameter.metavar or parameter.name.upper()).strip("{}[]")
    if parameter.param_type_name == "argument":
        return code(metavar)
    flag = getattr(parameter, "is_flag", False)
    return ", ".join(code(name if flag else f"{name} {metavar}") for name in parameter.opts)


def _default(parameter: Any) -> str:
    value = parameter.default
    if value is None or value is False or callable(value) or value == () or value == []:
        return ""
    return str(value)


def _plain(text: str) -> str:
    """Let no name of a file or option be taken for HTML or emphasis."""
    return text.replace("<", "&lt;").replace("*", "\\*")


def python_names() -> str:
    """Return every public name of the package, to be described by Sphinx from its docstring."""
    parts = []
    for name in vecsim.__all__:
        value = getattr(vecsim, name)
        if isinstance(value, dict) or not hasattr(value, "__module__"):
            parts.append(f"## {name}\n\n`vecsim.{name}`: by name, {', '.join(map(code, value))}.")
            continue
        kind = "autoclass" if isinstance(value, type) else "autofunction"
        plain = kind == "autofunction" or issubclass(value, BaseException)
        members = "" if plain else "\n   :members:"
        parts.append(f"## {name}\n\n```{{eval-rst}}\n.. {kind}:: vecsim.{name}{members}\n```")
    return "\n\n".join(parts)
