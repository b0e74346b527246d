"""The tiers of the tests, from those of every day to those of a night: the option ``--tier``.

A test is of the tier that its marker names, or of the default tier. Tests by Hypothesis of the default tier
run again in the tier ``nightly``, with more examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings


@dataclass(frozen=True)
class Tier:
    """A tier: what runs in it, and how many examples Hypothesis makes up.

    ``again``: the tests by Hypothesis of the default tier run in it, too.
    """

    name: str
    what: str
    examples: int = 15
    again: bool = False


DEFAULT = Tier("default", "every kind of test once")
CI = Tier("ci", "what .ci/run adds: longer tests", examples=30)
WHOLE = 100
"""Of this many examples a test runs all that :func:`examples` names."""
TIERS = (
    DEFAULT,
    CI,
    Tier("browser", "needs Chromium or another program that pip does not bring"),
    Tier("gpu", "needs an NVIDIA GPU"),
    Tier("nightly", "what takes hours, or NVIDIA's compiler; many examples", examples=1000, again=True),
)
HIGHER = TIERS[1:]
NIGHTLY = HIGHER[-1].name
NAMES_CI = re.compile(r"\bmark\.ci\b|\bone_(combination_)?in\(")
"""What the file of a test of the tier ``ci`` contains."""

for tier in TIERS:
    settings.register_profile(
        tier.name,
        max_examples=tier.examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
settings.load_profile(DEFAULT.name)


def examples(count: int) -> settings:
    """Return a test a share of this many examples: 30 % in the tier ``ci``, 15 % in the default tier.

    Two are left where there were two: one may be the simplest of all.
    """
    in_proportion = round(count * settings.default.max_examples / WHOLE)
    return settings(max_examples=max(min(count, 2), in_proportion))


def one_in(count: int, cases: Iterable[Any]) -> list[Any]:
    """Leave one case in this many in the default tier; ``ci`` has half of the others."""
    return [
        pytest.param(case, marks=_tier_of(number, count)) if number % count else case
        for number, case in enumerate(cases)
    ]


def one_combination_in(count: int, *values: Iterable[Any]) -> list[Any]:
    """Leave one combination in this many of the values of several parameters, as :func:`one_in` does."""
    return [
        pytest.param(*case, marks=_tier_of(number, count) if number % count else ())
        for number, case in enumerate(product(*values))
    ]


def _tier_of(number: int, count: int) -> pytest.MarkDecorator:
    return pytest.mark.ci if (number + number // count) % 2 else pytest.mark.nightly


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--tier``."""
    names = [tier.name for tier in TIERS]
    parser.addoption(
        "--tier", choices=names, default=DEFAULT.name, help="which tests to run; see CONTRIBUTING"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers, and take the tier's number of examples unless a profile is named."""
    for tier in HIGHER:
        config.addinivalue_line("markers", f"{tier.name}: of the tier that {tier.what}")
    if not config.getoption("hypothesis_profile", None):
        settings.load_profile(config.getoption("tier"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without tests of the tier ``ci`` where only those run: importing them takes long."""
    if (
        config.getoption("tier") != CI.name
        or config.option.markexpr
        or not fnmatch(collection_path.name, "test_*.py")
        or any(is_file(argument, config) for argument in config.args)
    ):
        return None
    return None if names_ci(collection_path) else True


@cache
def names_ci(path: Path) -> bool:
    """Return whether a file may have tests of the tier ``ci``."""
    return NAMES_CI.search(path.read_text(encoding="utf-8")) is not None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of other tiers, unless ``-m`` chooses, or an argument names the file.

    Raises
    ------
    pytest.UsageError
        For a test of the tier ``ci`` whose file does not say so: that tier would not see it.
    """
    if config.option.markexpr:
        return
    tier = next(tier for tier in TIERS if tier.name == config.getoption("tier"))
    if tier is DEFAULT and all(is_file(argument, config) for argument in config.args):
        return
    for item in items:
        if belongs(item, CI) and not names_ci(item.path):
            raise pytest.UsageError(
                f"{item.nodeid}: write pytest.mark.ci, one_in(...) or the like in its file"
            )
    chosen = [item for item in items if belongs(item, tier)]
    if len(chosen) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if not belongs(item, tier)])
        items[:] = chosen


def is_file(argument: str, config: pytest.Config) -> bool:
    """Return whether an argument names a file, or a test in it."""
    return (config.invocation_params.dir / argument.partition("::")[0]).is_file()


def belongs(item: pytest.Item, tier: Tier) -> bool:
    """Return whether a test is of a tier; the marker of a case counts before that of its file.

    Of a test of the tier ``ci`` with several cases, every second case is left for the night.
    """
    names = {each.name for each in HIGHER}
    for node in reversed(item.listchain()):
        if named := names & {mark.name for mark in node.own_markers}:
            if CI.name in named and hasattr(item, "callspec") and crc32(item.nodeid.encode()) % 2:
                return tier.name == NIGHTLY
            return tier.name in named
    return tier is DEFAULT or (tier.again and item.get_closest_marker("hypothesis") is not None)
