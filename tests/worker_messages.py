"""Fewer messages from the workers of pytest-xdist: six of them per test took longer than most tests."""

from __future__ import annotations

from typing import Any

import pytest


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let a worker send what is needed to count tests and to show failures, unless times are asked for."""
    options = session.config.option
    if hasattr(session.config, "workerinput") and options.durations is None and not options.xmlpath:
        for plugin in session.config.pluginmanager.get_plugins():
            if send := getattr(plugin, "sendevent", None):
                plugin.sendevent = lambda name, send=send, **content: (
                    send(name, **content) if is_needed(name, content) else None
                )


def is_needed(name: str, content: dict[str, Any]) -> bool:
    """Return whether a message is more than that a test begins or ends, is set up or taken down well."""
    if name == "testreport":
        return content["data"]["when"] == "call" or content["data"]["outcome"] != "passed"
    return name not in ("logstart", "logfinish")
