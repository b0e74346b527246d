"""Means over the matrices, and what follows from them for HiSM on RISC-V Vector."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from experiments.rvv.cases import CLASSIC, LENGTHS, Cycles
from experiments.rvv.recorded_cycles import recorded

TITLES = {
    "crs": "CRS",
    "jd": "JD",
    "ellpack": "ELLPACK",
    "sell": "SELL-C-sigma",
    "bbcs": "BBCS",
    "hism": "HiSM",
    "chism": "CHiSM",
}
STANDARD = ("crs", "jd", "ellpack", "sell")
"""Products that need no custom extension."""


class Best(NamedTuple):
    """The geometric mean of cycles per non-zero over all matrices, with the best LMUL for that."""

    cycles: float
    lmul: int


Means = Mapping[tuple[str, str, int], Best]
"""By machine, product and VLEN."""


def means(cycles: Iterable[Cycles]) -> Means:
    """Return the means with the best LMUL of each product, one for all matrices."""
    logs: dict[tuple[str, str, int, int], list[float]] = {}
    for each in cycles:
        key = each.machine, each.product, each.vlen, each.lmul
        logs.setdefault(key, []).append(math.log(each.cycles / each.nnz))
    result: dict[tuple[str, str, int], Best] = {}
    for (machine, product, vlen, lmul), values in logs.items():
        mean = Best(math.exp(sum(values) / len(values)), lmul)
        result[machine, product, vlen] = min(mean, result.get((machine, product, vlen), mean))
    return result


@cache
def recorded_means(*, groups: bool = True) -> Means:
    """Return the means of the recorded cycles; without groups those with LMUL = 1."""
    return means(each for each in recorded() if groups or each.lmul == 1)


def best_standard(of: Means, machine: str, vlen: int) -> str:
    """Return the fastest product that needs no custom extension."""
    return min(STANDARD, key=lambda product: of[machine, product, vlen].cycles)


def gain(of: Means, machine: str, product: str, other: str, vlen: int) -> float:
    """Return how many times as fast a product is as another.

    Parameters
    ----------
    of, machine, vlen
        Where to look: means, a machine, and bits of a register.
    product, other
        Names of the products.
    """
    return of[machine, other, vlen].cycles / of[machine, product, vlen].cycles


def over_standard(of: Means, machine: str, vlen: int) -> float:
    """Return how many times as fast HiSM is as the fastest standard product."""
    return gain(of, machine, "hism", best_standard(of, machine, vlen), vlen)


def conclusions() -> tuple[str, ...]:
    """Return what follows from the recorded means."""
    of, alone = recorded_means(), recorded_means(groups=False)
    least, middle, most = LENGTHS[0], 2048, LENGTHS[-1]

    def at_three(machine: str) -> list[str]:
        return [f"{over_standard(of, machine, vlen):.2f}" for vlen in (least, middle, most)]

    def range_of(machine: str, other: str) -> str:
        gains = [gain(of, machine, "hism", other, vlen) for vlen in LENGTHS]
        return f"{min(gains):.2f} to {max(gains):.2f}"

    classic, fast, slow = gain(of, CLASSIC, "hism", "crs", middle), at_three("vs2003"), at_three("x280")
    alone_fast, alone_slow = (over_standard(alone, machine, least) for machine in ("vs2003", "x280"))
    return (
        f"**The advantage survives.** HiSM is faster than every standard product {_wins(of, 'vs2003')} on "
        f"the machine with the numbers of `vs2003`, and {_wins(of, 'x280')} on the one with those of `x280`.",
        f"**It grows with the register.** On `vs2003` HiSM is {fast[0]} times as fast as the fastest "
        f"standard product with VLEN {least}, {fast[1]} times with {middle:,} and {fast[2]} times with "
        f"{most:,}. On `x280` it is {slow[0]}, {slow[1]} and {slow[2]} times as fast.",
        f"**Against CRS and JD**, which the paper compares, HiSM is {range_of('vs2003', 'crs')} times as "
        f"fast as CRS and {range_of('vs2003', 'jd')} times as fast as JD on `vs2003`, and "
        f"{range_of('x280', 'crs')} and {range_of('x280', 'jd')} times on `x280`. The classic programs with "
        f"sections of 64 elements have a gain of {classic:.2f} over CRS on these matrices.",
        f"**Short registers need groups.** Without groups (LMUL = 1) HiSM is faster than every standard "
        f"product {_wins(alone, 'vs2003')} on `vs2003`, and {_wins(alone, 'x280')} on `x280`. With VLEN "
        f"{least} it is then {alone_fast:.2f} and {alone_slow:.2f} times as fast.",
        f"**Groups make the section.** With VLEN {least} HiSM is fastest with LMUL "
        f"{of['vs2003', 'hism', least].lmul} on `vs2003`, a section of {_section(of, 'vs2003', least):,} "
        f"elements. With VLEN {most:,} it is fastest with LMUL {of['vs2003', 'hism', most].lmul}, a section "
        f"of {_section(of, 'vs2003', most):,}.",
        "**The vector cache is worth most with short registers.** CHiSM is "
        f"{cached_gains(of, 'vs2003')} times as fast as HiSM with VLEN {least}, {middle:,} and {most:,} on "
        f"`vs2003`, and {cached_gains(of, 'x280')} times on `x280`. The classic programs with sections of "
        f"64 elements have a gain of {gain(of, CLASSIC, 'chism', 'hism', middle):.2f}.",
    )


def cached_gains(of: Means, machine: str) -> str:
    """Return how many times as fast CHiSM is as HiSM with the least, a middle and the largest VLEN."""
    least, middle, most = (
        gain(of, machine, "chism", "hism", vlen) for vlen in (LENGTHS[0], 2048, LENGTHS[-1])
    )
    return f"{least:.2f}, {middle:.2f} and {most:.2f}"


def _section(of: Means, machine: str, vlen: int) -> int:
    return vlen // 32 * of[machine, "hism", vlen].lmul


def _wins(of: Means, machine: str) -> str:
    """Return with which lengths HiSM is faster than every standard product, in words."""
    return _lengths([vlen for vlen in LENGTHS if over_standard(of, machine, vlen) > 1])


def _lengths(values: list[int]) -> str:
    """Return lengths in words: ``with VLEN 256 to 16,384``, or each of them."""
    if not values:
        return "with no VLEN"
    first = LENGTHS.index(values[0])
    if values == list(LENGTHS[first : first + len(values)]) and len(values) > 2:
        return f"with VLEN {values[0]:,} to {values[-1]:,}"
    return "with VLEN " + " and ".join(f"{value:,}" for value in values)
