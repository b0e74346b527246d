"""The presets: machines that come with vecsim, one TOML file each."""

from __future__ import annotations

import tomllib
from copy import deepcopy
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

DEFAULT_PRESET = "vs2003"
"""The preset that gives what nobody states."""


def presets() -> dict[str, str]:
    """Return the TOML text of each preset by its name."""
    return dict(_texts())


def preset_table(name: str) -> dict[str, Any]:
    """Return what the file of a preset states, its name with it; KeyError if there is no such preset."""
    return deepcopy(_tables()[name])


@cache
def _tables() -> MappingProxyType[str, dict[str, Any]]:
    return MappingProxyType({name: tomllib.loads(text) for name, text in _texts().items()})


@cache
def _texts() -> MappingProxyType[str, str]:
    folder = resources.files("vecsim.machine") / "presets"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return MappingProxyType({f.name.removesuffix(".toml"): f.read_text(encoding="utf-8") for f in files})
