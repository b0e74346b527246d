"""Searches that come with the package, to learn from on the devices that they were made on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gpu.compound.tuning.predictor import Result, results_of
from gpu.compound.tuning.store import TuningStore
from vecsim.support.errors import UserError

RECORDED = Path(__file__).with_name("recorded")
"""Where they lie, a file a device; made at commit 70bc4ea by its benchmarks/compound_predictor.py."""
KIND = "searches of vecsim gpu tune"
DIGITS = 6
"""Of a number in a file."""


def to_json(device: str, results: Sequence[Result]) -> bytes:
    """Return searches as a file, a line each, numbers with `DIGITS` digits.

    Parameters
    ----------
    device, results
        The name of the device, and what was found on it.
    """
    lines = ",\n".join(json.dumps(_rounded(asdict(each)), sort_keys=True) for each in results)
    head = json.dumps({"kind": KIND, "device": device})[:-1]
    return f'{head}, "searches": [\n{lines}\n]}}\n'.encode()


def _rounded(value: Any) -> Any:
    """Round all numbers in plain data: what is measured is known to no more than these digits."""
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def recorded(device: str, folder: Path = RECORDED) -> list[Result]:
    """Return the searches of a device that come with the package; none where there are none.

    Parameters
    ----------
    device
        Its name.
    folder
        Where they lie.

    Raises
    ------
    UserError
        A file there has something else in it.
    """
    matches: list[Result] = []
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["kind"] == KIND and content["device"] == device:
                matches += [Result(**each) for each in content["searches"]]
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(
                f"{path} is not a file of searches; name one that tuning wrote: {error}"
            ) from error
    return matches


def to_learn_from(store: TuningStore, device: str, folder: Path = RECORDED) -> list[Result]:
    """Return all that is known of a device: what comes with the package, then what the user's store has.

    Parameters
    ----------
    store, device, folder
        The user's file; the name of the device; where the package's files lie.

    Raises
    ------
    UserError
        If there is nothing.
    """
    matches = recorded(device, folder) + results_of(store, device)
    if not matches:
        raise no_search(store, device)
    return matches


def no_search(store: TuningStore, device: str) -> UserError:
    """Return the error that says what devices a store has searches of, but for this one."""
    devices = ", ".join(sorted({search.device for search in store.searches()})) or "none"
    return UserError(f"the file has no search on {device}; tune on it first, or use {devices}")
