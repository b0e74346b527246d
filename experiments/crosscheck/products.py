"""One matrix by three implementations: y = A x by SciPy, by the simulated programs and on a GPU, compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator

from experiments.crosscheck.device import Device, DeviceProduct, multiply
from experiments.crosscheck.hierarchies import Hierarchy, hierarchies
from gpu.format_registry import FORMATS
from gpu.hisparse.container import HiSparse
from programs.declaration import SmvmProgram
from programs.measurement import multiplicand, prepare
from programs.registry import PROGRAMS
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.running import run
from vecsim.formats.accuracy import disagreement, relative_error, rounding_bound
from vecsim.machine import Machine
from vecsim.results.digests import program_sha256

REFERENCE = "crs"
"""What everything else is given relative to."""
SCIPY, SIMULATOR, GPU = "SciPy", "simulator", "GPU"
"""The implementations."""
BETWEEN = " - "
"""Between the names of two of them."""
Number = Annotated[float, BeforeValidator(lambda value: math.nan if value is None else value)]
"""NaN where a file has null, since JSON has no NaN and no infinity."""


@dataclass(frozen=True)
class Check:
    """One program, and its format, by every implementation.

    Attributes
    ----------
    program, format
        Names.
    errors
        By implementation, see `vecsim.formats.accuracy`.
    apart
        How far two implementations are from each other, by their names with `BETWEEN` between them.
    image_bytes
        Bytes of the matrix in the simulated memory, without gaps.
    cycles
        Simulated cycles.
    program_sha256
        Digest of the program that was simulated (`vecsim.results.digests`); empty in older files.
    gpu_kernel, gpu_bytes, gpu_us, gpu_spread
        See `DeviceProduct`; None without a GPU, times also in the CUDA simulator.
    gpu_status
        Why there is no result of the GPU though there is one.
    """

    program: str
    format: str
    errors: Mapping[str, Number]
    apart: Mapping[str, Number]
    image_bytes: int
    cycles: int
    program_sha256: str = ""
    gpu_kernel: str = ""
    gpu_bytes: int | None = None
    gpu_us: float | None = None
    gpu_spread: float | None = None
    gpu_status: str = ""

    @property
    def furthest(self) -> float:
        """The largest distance between two implementations; NaN if any is."""
        return float(np.max(list(self.apart.values())))


@dataclass(frozen=True)
class CrossCheck:
    """A matrix by every implementation.

    Attributes
    ----------
    checks
        One a program, in the order of the programs.
    allowed
        How far two implementations may be from each other: twice the bound of `rounding_bound`.
    longest_row
        Entries of the longest row, from which the bound follows.
    hierarchies
        HiSM and HiSparse side by side; none in older files.
    hisparse_apart
        How far the GPU's products by HiSparse are from SciPy's, by side of a node; none without a GPU.
    """

    checks: tuple[Check, ...]
    allowed: float
    longest_row: int
    hierarchies: tuple[Hierarchy, ...] = ()
    hisparse_apart: Mapping[int, Number] = field(default_factory=dict)

    def with_cycles(self, cycles: Mapping[str, int]) -> CrossCheck:
        """Return the same with other cycles, by program."""
        checks = tuple(replace(check, cycles=cycles[check.program]) for check in self.checks)
        return replace(self, checks=checks)

    @property
    def disagreements(self) -> list[str]:
        """What is further apart than rounding allows, in words."""
        programs = [
            f"{check.program}: {pair.replace(BETWEEN, ' and ')} differ by {apart:.1e}, "
            f"rounding allows {self.allowed:.1e}"
            for check in self.checks
            for pair, apart in check.apart.items()
            if not apart <= self.allowed
        ]
        return programs + [
            f"hisparse of {side} x {side}: {SCIPY} and {GPU} differ by {apart:.1e}, rounding allows "
            f"{self.allowed:.1e}"
            for side, apart in self.hisparse_apart.items()
            if not apart <= self.allowed
        ]


def crosscheck(
    matrix: Any, machine: Machine, device: Device | None, *, seed: int = 0, engine: str = DEFAULT_ENGINE
) -> CrossCheck:
    """Multiply a matrix by the x of `seed` in every format and implementation.

    Parameters
    ----------
    matrix
        scipy.sparse.csr_array of float32 or float64.
    machine
        Its section size is that of BBCS and HiSM everywhere.
    device
        None leaves the GPU out.
    seed, engine
        As for `programs.measurement.measure`.

    Raises
    ------
    UserError
        An unknown engine, or a matrix too large for the simulated memory.
    """
    x = multiplicand(matrix.shape[1], seed, matrix.dtype)
    names = dict.fromkeys(program.format for program in PROGRAMS.values())
    hosts = {name: FORMATS[name].from_scipy(matrix, section_size=machine.section_size) for name in names}
    by_scipy = {name: host.to_scipy() @ x for name, host in hosts.items()}
    on_device: dict[str, DeviceProduct] = {}
    if device is not None:
        on_device = {name: multiply(name, host, x, device) for name, host in hosts.items()}
    checks = tuple(
        _check(program, matrix, x, machine, engine, by_scipy[program.format], on_device.get(program.format))
        for program in PROGRAMS.values()
    )
    longest = int(np.diff(matrix.indptr).max(initial=0))
    apart: dict[int, float] = {}

    def multiplied(tree: HiSparse) -> DeviceProduct | None:
        if device is None:
            return None
        product = multiply("hisparse", tree, x, device)
        if product.y is not None:
            apart[tree.node_size] = disagreement(matrix, x, by_scipy["hism"], product.y)
        return product

    side_by_side = hierarchies(matrix, hosts["hism"], on_device.get("hism"), multiplied)
    return CrossCheck(checks, 2 * rounding_bound(matrix, matrix.dtype), longest, side_by_side, apart)


def _check(
    program: SmvmProgram,
    matrix: Any,
    x: npt.NDArray[np.floating],
    machine: Machine,
    engine: str,
    by_scipy: npt.NDArray[np.floating],
    on_device: DeviceProduct | None,
) -> Check:
    prepared = prepare(program.name, matrix, machine, x)
    done = run(prepared.program, prepared.loaded.memory, machine, engine=engine)
    results = {SCIPY: by_scipy, SIMULATOR: prepared.loaded.result(done.state.memory)}
    if on_device is not None and on_device.y is not None:
        results[GPU] = on_device.y
    return Check(
        program.name,
        program.format,
        {implementation: relative_error(matrix, x, y) for implementation, y in results.items()},
        {
            BETWEEN.join((first, second)): disagreement(matrix, x, results[first], results[second])
            for first, second in combinations(results, 2)
        },
        prepared.storage_bytes,
        done.cycles,
        program_sha256(prepared.program),
        *(() if on_device is None else _numbers(on_device)),
    )


def _numbers(on_device: DeviceProduct) -> tuple[str, int | None, float | None, float | None, str]:
    match = on_device
    return match.kernel, match.nbytes, match.median_us, match.spread, match.status
