"""Names that a shell completes: programs, machines, matrices, experiments, instructions, engines.

Each function takes what was typed so far and gives the names that begin so; case does not count. Where there
are none, shells complete the names of files.
"""

from __future__ import annotations

from collections.abc import Iterable


def programs(typed: str) -> list[str]:
    """Complete the last of some programs, separated by commas."""
    from importlib import resources

    before, comma, last = typed.rpartition(",")
    # A program is a folder with this file. The registry would load all formats, which takes a second.
    folders = sorted(f.name for f in resources.files("programs").iterdir() if (f / "plain.s").is_file())
    return [f"{before}{comma}{name}" for name in _beginning(folders, last)]


def extensions(typed: str) -> list[str]:
    """Names of extensions that come with vecsim."""
    from vecsim.machine.extension_files import shipped

    return _beginning(shipped(), typed)


def presets(typed: str) -> list[str]:
    """Complete the name of a preset of a machine."""
    from vecsim.machine import presets as known

    return _beginning(known(), typed)


def matrices(typed: str) -> list[str]:
    """Complete the name of a matrix of any source; of the collections once something has been typed."""
    from vecsim.data.sources import find_matrices

    matches = [matrix for matrix in find_matrices(f"{typed}*") if typed or matrix.kind != "collection"]
    whole = "/" in typed
    return _beginning((matrix.name if whole else matrix.name.rpartition("/")[2] for matrix in matches), typed)


def experiments(typed: str) -> list[str]:
    """Complete the name of an experiment or a paper."""
    from experiments.papers.kit.registry import names

    return _beginning(names(), typed)


def course(typed: str) -> list[str]:
    """Complete the name of a program of the course."""
    from importlib import resources

    # The registry would load the formats, which takes a second.
    files = (resources.files("programs") / "course").iterdir()
    names = sorted(f.name.removesuffix(".s").replace("_", "-") for f in files if f.name.endswith(".s"))
    return _beginning((name for name in [*names, "rvv"] if name != "hism-product"), typed)


def exercises(typed: str) -> list[str]:
    """Complete the name of an exercise."""
    from experiments.course.registry import EXERCISES

    return _beginning(EXERCISES, typed)


def mnemonics(typed: str) -> list[str]:
    """Complete an instruction, a pseudo-instruction or a directive."""
    from isa.reference import entries

    return _beginning((entry.mnemonic for entry in entries()), typed)


def engines(typed: str) -> list[str]:
    """Complete the name of an engine."""
    from vecsim.engines.running import ENGINES

    return _beginning(ENGINES, typed)


def engines_or_auto(typed: str) -> list[str]:
    """Complete the name of an engine, or ``auto``."""
    from vecsim.engines import AUTO
    from vecsim.engines.running import ENGINES

    return _beginning((AUTO, *ENGINES), typed)


def formats(typed: str) -> list[str]:
    """Complete the name of a format."""
    from gpu.format_registry import FORMATS

    return _beginning(FORMATS, typed)


def kernels(typed: str) -> list[str]:
    """Complete the name of a kernel of the GPU."""
    from gpu.kernel_registry import KERNELS

    return _beginning(KERNELS, typed)


def suite(typed: str) -> list[str]:
    """Complete a class or a matrix of the GPU benchmark's suite."""
    from experiments.gpu_bench.suite import CLASSES
    from experiments.gpu_bench.suite import suite as matrices_of_the_suite

    return _beginning([*CLASSES, *(each.name for each in matrices_of_the_suite())], typed)


def _beginning(names: Iterable[str], typed: str) -> list[str]:
    """Return the names that begin with what was typed, each once."""
    wanted = typed.lower()
    return list(dict.fromkeys(name for name in names if name.lower().startswith(wanted)))
