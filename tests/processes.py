"""Tests that need their own process kind: which they are, and how they get it.

Numba decides between the CUDA simulator and the compiler, and whether it compiles at all, when it is
imported, for the whole process. Tests that need another environment than the others run in separate
workers of pytest-xdist. Without workers (``-n 0``) the process itself takes the environment that the first
argument needs, so that ``pytest -n 0 tests/gpu/simulated/test_x.py::test_y`` works, too.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent


@dataclass(frozen=True)
class Kind:
    """A kind of process: its environment, and the files and folders under ``tests`` that need it."""

    name: str
    simulated: bool
    interpreted: bool
    paths: tuple[str, ...] = ()

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that decide Numba's mode.

        And one thread for OpenBLAS: those of several workers would wait for each other, and count as busy.
        """
        return {
            "OPENBLAS_NUM_THREADS": "1",
            "NUMBA_ENABLE_CUDASIM": str(int(self.simulated)),
            "NUMBA_DISABLE_JIT": str(int(self.interpreted)),
        }


# Where the formats are compiled, by these tests and by those of commands that convert matrices.
COMPILED_FORMATS = ("formats/test_compiled_formats.py", "gpu/hisparse/test_compiled_hisparse.py")
PLAIN = Kind("plain", simulated=False, interpreted=False, paths=(".", *COMPILED_FORMATS))
# Conversions of tiny matrices take Python less time than Numba takes to compile them. What only converts
# needs no simulator; it shares its workers.
CONVERTING = (
    "formats",
    "experiments/baseline",
    "gpu/choice/test_row_lengths.py",
    "gpu/choice/test_structure.py",
    "gpu/formats",
    "gpu/hbp",
    "gpu/hisparse",
    "cli/test_formats.py",
    "gpu/test_format_registry.py",
    "gpu/test_kernel_registry.py",
    "data/test_builtin.py",
    "data/test_stencils.py",
)
SIMULATOR = Kind("simulator", simulated=True, interpreted=True, paths=("gpu/simulated", *CONVERTING))
# These two see to it that kernels get what compiled code converts; test_choice.py has large matrices.
CONVERTED = tuple(f"gpu/simulated/test_{name}.py" for name in ("choice", "compiled_conversions"))
# Here the compiled engine runs some machines, too.
COMPILED = (*CONVERTED, "many/test_gpu_simulated.py")
SIMULATOR_COMPILED = Kind("simulator-compiled", simulated=True, interpreted=False, paths=COMPILED)
KINDS = (PLAIN, SIMULATOR, SIMULATOR_COMPILED)
PLAIN_TIERS = ("browser", "gpu")
"""Tiers without tests of the other kinds."""
MINE = pytest.StashKey[Kind]()
"""The kind of this process; a process that only hands tests to workers has none."""
LEFT_OUT = pytest.StashKey[list[Kind]]()


def places(kind: Kind) -> list[Path]:
    """Return the files and folders that need a kind."""
    return [TESTS / path for path in kind.paths]


@cache
def kind_of(path: Path) -> Kind:
    """Return the kind that a path needs: that of the nearest place above it."""
    above = [
        (len(place.parts), kind) for kind in KINDS for place in places(kind) if path.is_relative_to(place)
    ]
    return max(above, key=lambda candidate: candidate[0], default=(0, PLAIN))[1]


@cache
def kinds_below(path: Path) -> list[Kind]:
    """Return all kinds that a path and what lies below it need, that of the path itself first."""
    own = kind_of(path)
    return [own] + [
        kind
        for kind in KINDS
        if kind is not own and any(place.is_relative_to(path) for place in places(kind))
    ]


def wanted(config: pytest.Config) -> list[Kind]:
    """Return the kinds that the arguments need, that of the first argument first."""
    if config.getoption("tier") in PLAIN_TIERS:
        return [PLAIN]
    actual = [kind for argument in config.args for kind in kinds_below(path_of(argument, config))]
    return list(dict.fromkeys(actual)) or [PLAIN]


def path_of(argument: str, config: pytest.Config) -> Path:
    """Return the file or folder of an argument, which may name a test in it."""
    return Path(config.invocation_params.dir, argument.partition("::")[0]).resolve()


def pytest_configure(config: pytest.Config) -> None:
    """Take the environment of a kind, and only its tests, unless this process hands them to workers."""
    if hasattr(config, "workerinput"):
        kind = next(kind for kind in KINDS if kind.name == config.workerinput["kind"])
    elif hands_to_workers(config) or config.option.collectonly:
        return
    else:
        kind, *config.stash[LEFT_OUT] = wanted(config)
        os.environ.update(kind.environment)
    config.stash[MINE] = kind
    config.args[:] = [a for a in config.args if kind in kinds_below(path_of(a, config))]


def hands_to_workers(config: pytest.Config) -> bool:
    """Return whether this process runs no test itself."""
    return bool(config.getoption("tx", None)) and config.getoption("dist", "no") != "no"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what another kind of process runs."""
    kind = config.stash.get(MINE, None)
    return True if kind is not None and kind not in kinds_below(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let interpreted integers wrap around in silence, as compiled ones do: hashes do so on purpose."""
    if MINE in config.stash and config.stash[MINE].interpreted:
        for item in items:
            item.add_marker(
                pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning")
            )


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print what a single process could not run."""
    for kind in config.stash.get(LEFT_OUT, []):
        tests = " ".join(kind.paths)
        terminalreporter.write_line(f"{kind.name} tests need their own process: -n 1 ({tests})", yellow=True)


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """Assign the workers their kinds: each kind but the first has one worker more for four of the first."""
    from execnet import XSpec

    first, *others = sorted(wanted(config), key=KINDS.index)
    asked = len(specs)
    for kind in others:
        for number in range(max(1, asked // 4)):
            specs.append(XSpec(f"{specs[0]}//id={kind.name}{number}//kind={kind.name}"))
    for spec in specs:
        spec.kind = spec.kind or first.name
        spec.env |= next(kind for kind in KINDS if kind.name == spec.kind).environment


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass a worker its kind."""
    node.workerinput["kind"] = node.gateway.spec.kind


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let workers of one kind take each other's tests."""
    from scheduling import SchedulerOfEachKind

    plugins = config.pluginmanager
    kinds = [spec.kind for spec in plugins.getplugin("dsession").nodemanager.specs]
    return SchedulerOfEachKind(plugins.getplugin("session"), log, kinds)
