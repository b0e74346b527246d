"""The studies: a specification each, the means that it gave, and conclusions made of these."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path

import numpy as np

from experiments.whatif.explain.cells import Cells, comparable, overall
from experiments.whatif.sweep.specification import Sweep, read_specification

Means = Mapping[tuple[str, str, str], float]
"""Cycles a non-zero by what was varied, its value and the program: geometric means."""

RECORDED = "recorded"
DIGITS = 4
"""Of means, after the point: sentences say the same of what is recorded and of what came out just now."""
HEAD = ("varied", "value", "program", "cycles a non-zero")
CACHE, RATE = "option.chism.cache", "addresses_per_cycle"


def _section_size(means: Means) -> tuple[str, ...]:
    sizes = (16, 32, 64, 128, 256, 512, 1024)
    of = {
        (program, size): means["section_size", str(size), program]
        for program in ("crs", "jd", "bbcs", "hism", "chism")
        for size in sizes
    }
    hism, chism = (min(sizes, key=lambda size: of[name, size]) for name in ("hism", "chism"))
    return (
        f"CHiSM is fastest with a section size of {chism} ({of['chism', chism]:.2f} cycles a non-zero); with "
        f"512 it takes {of['chism', 512]:.2f}: its cache has s x s elements, and is moved whole.",
        f"HiSM is fastest with {hism} ({of['hism', hism]:.2f}; with 16 {of['hism', 16]:.2f}, with 64 "
        f"{of['hism', 64]:.2f}, with 512 {of['hism', 512]:.2f}): beyond 256 a position needs two bytes.",
        f"BBCS gains with every doubling, from {of['bbcs', 16]:.2f} with 16 to {of['bbcs', 1024]:.2f} with "
        f"1024; JD little beyond 32 ({of['jd', 16]:.2f}, {of['jd', 32]:.2f}, with 1024 {of['jd', 1024]:.2f}) "
        f"and CRS hardly at all ({of['crs', 16]:.2f} and {of['crs', 1024]:.2f}): its vectors are the rows.",
    )


def _memory(means: Means) -> tuple[str, ...]:
    titles = {"HiSM": "hism", "JD": "jd", "CRS": "crs"}

    def of(program: str, what: str, value: object) -> float:
        return means[what, str(value), program]

    def faster(what: str, before: object, after: object) -> str:
        """Say how many times as fast each program is with another value."""
        gains = {name: of(p, what, before) / of(p, what, after) for name, p in titles.items()}
        return ", ".join(f"{name} {gain:.2f}" for name, gain in gains.items())

    slow, equal, fast = (of("jd", RATE, rate) / of("hism", RATE, rate) for rate in (1, 4, 8))
    return (
        f"JD does not catch HiSM by gathering faster: with one address a cycle it takes {slow:.2f} times as "
        f"long, with four, as fast as contiguous words, {equal:.2f} times, with eight {fast:.2f} times.",
        "What is in flight hides the startup: without any instead of 40 cycles, times as fast with one "
        f"access in flight: {faster('startup accesses_in_flight=1', 40, 0)}; with 16: "
        f"{faster('startup accesses_in_flight=16', 40, 0)}.",
        f"Four accesses in flight instead of one, times as fast: {faster('accesses_in_flight', 1, 4)}; 16 "
        f"instead of four: {faster('accesses_in_flight', 4, 16)}.",
        f"64 banks instead of 8, times as fast: {faster('banks', 8, 64)}. All that HiSM moves is contiguous, "
        "and goes at full rate only where banks suffice.",
        f"Banks that are busy for one cycle instead of 8, times as fast: {faster('bank_busy', 8, 1)}.",
        f"A second port, times as fast: {faster('memory_ports', 1, 2)}.",
    )


def _sparse_unit(means: Means) -> tuple[str, ...]:
    def of(program: str, what: str, value: object) -> float:
        return means[what, str(value), program]

    def share(what: str, value: object) -> float:
        return of("chism", what, value) / of("hism", what, value)

    def gain(program: str, what: str, before: int, after: int) -> str:
        what = f"sparse_unit.{what}"
        return f"{100 * (of(program, what, before) / of(program, what, after) - 1):.0f} %"

    return (
        "What makes CHiSM win on small matrices is to move only those rows of the cache that the matrix has: "
        f"{share(CACHE, 'rows'):.2f} of HiSM's cycles. Moved whole it takes {share(CACHE, 'whole'):.2f} of "
        f"them; with rows alone and no first load {share(CACHE, 'cleared_rows'):.2f}.",
        f"So does a section size of 16: {share('section_size', 16):.2f} of HiSM's cycles, with 64 "
        f"{share('section_size', 64):.2f}.",
        f"The unit itself matters less: 4 entries a cycle instead of one give HiSM {gain('hism', 'p', 1, 4)} "
        f"more speed, 16 instead of 4 {gain('hism', 'p', 4, 16)}; a latency of 4 instead of 24 gives HiSM "
        f"{gain('hism', 'latency', 24, 4)}, CHiSM {gain('chism', 'latency', 24, 4)}, BBCS "
        f"{gain('bbcs', 'latency', 24, 4)}.",
    )


def _renaming(means: Means) -> tuple[str, ...]:
    def of(program: str, registers: int, ports: int, schedule: str) -> float:
        where = {"memory_ports": ports, "option.schedule": schedule}
        return means[_varied("physical_vector_registers", where), str(registers), program]

    programs = {"CRS": "crs", "JD": "jd", "BBCS": "bbcs", "HiSM": "hism", "CHiSM": "chism"}
    cases = [(ports, schedule) for ports in (1, 4) for schedule in ("plain", "pipelined")]
    rows = [
        f"| {title} | {schedule} | {ports} | "
        + " | ".join(f"{of(name, registers, ports, schedule):.3f}" for registers in (0, 20, 24, 32, 62))
        + " |"
        for title, name in programs.items()
        for ports, schedule in cases
    ]

    def gain(program: str, ports: int, schedule: str, registers: int = 62) -> float:
        return of(program, 0, ports, schedule) / of(program, registers, ports, schedule)

    one_port = [gain(name, 1, schedule) for name in programs.values() for _, schedule in cases[:2]]
    most = max(of(name, 32, *case) / of(name, 62, *case) for name in programs.values() for case in cases)
    return (
        *rows,
        f"With one port renaming makes programs {min(one_port):.3f} to {max(one_port):.3f} times as fast: "
        "units and port take their instructions in order, and little is held up by WAR and WAW.",
        f"With four ports and 32 registers plain HiSM is {gain('hism', 4, 'plain', 32):.2f} times as fast "
        f"({of('hism', 32, 4, 'plain'):.3f}), nearly as pipelined HiSM is without renaming "
        f"({of('hism', 0, 4, 'pipelined'):.3f}), which itself gains {gain('hism', 4, 'pipelined', 32):.2f}: "
        "renaming does there what the schedule does by hand.",
        "On several ports more registers may cost cycles, as an access that comes earlier may delay another: "
        f"plain JD is {gain('jd', 4, 'plain', 24):.2f} times as fast as without renaming with 24, "
        f"{gain('jd', 4, 'plain'):.2f} with 62; pipelined {gain('jd', 4, 'pipelined', 24):.2f} and "
        f"{gain('jd', 4, 'pipelined'):.2f}.",
        "Four registers next to the 16 that are named are too few: pipelined CRS is "
        f"{gain('crs', 1, 'pipelined', 20):.2f} times as fast as without renaming. With 32 in all no program "
        f"takes over {100 * (most - 1):.1f} % more cycles than with 62.",
    )


STUDIES: dict[str, Callable[[Means], tuple[str, ...]]] = {
    "section-size": _section_size,
    "memory": _memory,
    "sparse-unit": _sparse_unit,
    "renaming": _renaming,
}
"""What makes each study's conclusions of its means, by name."""


APART: dict[str, tuple[str, ...]] = {
    "renaming": ("memory_ports", "physical_vector_registers", "option.schedule"),
}
"""Of a study things whose other values are not mixed into a mean, but have means of their own."""


BESIDE: dict[str, tuple[tuple[str, str], ...]] = {"memory": (("startup", "accesses_in_flight"),)}
"""Of a study a thing that has means for each value of another, too."""


def _varied(name: str, apart: Mapping[str, object]) -> str:
    """Name what is varied where other things have these values."""
    return " ".join([name, *(f"{other}={apart[other]}" for other in sorted(apart))])


def specification(name: str) -> Sweep:
    """Return what a study sweeps."""
    with resources.as_file(resources.files(__package__) / f"{name}.toml") as path:
        return read_specification(Path(path))


def summary(name: str, cells: Cells) -> dict[tuple[str, str, str], float]:
    """Return the means that a study is judged by, by what was varied, its value and the program."""
    result = {}
    for what, where in _separate(name, cells.varied):
        chosen: tuple[slice | int, ...] = (
            slice(None),
            *(cells.varied[other].index(value) for other, value in where.items()),
        )
        for place, program in enumerate(cells.programs):
            means = overall(comparable(cells.means(place, (what, *where))[chosen]))
            for value, mean in zip(cells.varied[what], means, strict=True):
                if not np.isnan(mean):
                    result[_varied(what, where), value, program] = round(float(mean), DIGITS)
    return result


def varied(name: str) -> list[tuple[str, str]]:
    """Return what a study's means are by, and which thing is varied in it, as in `summary`."""
    values = {what: tuple(map(str, of)) for what, of in specification(name).factors.items()}
    return [(_varied(what, where), what) for what, where in _separate(name, values)]


def _separate(name: str, values: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield each thing varied, with each choice of values of the others that are kept apart."""
    for what in values:
        others = [other for other in APART.get(name, ()) if other != what]
        for chosen in itertools.product(*(values[other] for other in others)):
            yield what, dict(zip(others, chosen, strict=True))
    for what, other in BESIDE.get(name, ()):
        yield from ((what, {other: value}) for value in values[other])


def written(means: Means) -> str:
    """Write means as CSV, with `DIGITS` after the point."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows((*key, f"{mean:.{DIGITS}f}") for key, mean in means.items())
    return text.getvalue()


def recorded(name: str) -> Means:
    """Return the means that a study gave; cycles are the same on every host."""
    text = (resources.files(__package__) / RECORDED / f"{name}.csv").read_text(encoding="utf-8")
    return {(line[0], line[1], line[2]): float(line[3]) for line in list(csv.reader(text.splitlines()))[1:]}


def conclusions(name: str, means: Means | None = None) -> tuple[str, ...]:
    """Say what a study shows; without `means` those recorded."""
    return STUDIES[name](recorded(name) if means is None else means)


def remarks(cells: Cells) -> tuple[str, ...]:
    """Say what cells show, if they are those of a study, without its tables; nothing otherwise."""
    for name in STUDIES:
        spec = specification(name)
        tried = {each: tuple(map(str, values)) for each, values in spec.factors.items()}
        if (cells.matrices, cells.programs, cells.varied) == (spec.matrices, spec.programs, tried):
            return tuple(each for each in conclusions(name, summary(name, cells)) if each[0] != "|")
    return ()
