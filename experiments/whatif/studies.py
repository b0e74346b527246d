"""The studies: a specification each, its recorded means, and conclusions from these."""

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
"""Geometric means of cycles per non-zero, by what was varied, its value and the program."""

RECORDED = "recorded"
DIGITS = 4
"""Decimals of means, so that sentences on recorded and on new means are the same."""
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
        f"CHiSM is fastest with a section size of {chism}, at {of['chism', chism]:.2f} cycles per non-zero. "
        f"With 512 it takes {of['chism', 512]:.2f}, because its cache has s x s elements and is moved as a "
        "whole.",
        f"HiSM is fastest with a section size of {hism}, at {of['hism', hism]:.2f} cycles per non-zero. It "
        f"takes {of['hism', 16]:.2f} with 16, {of['hism', 64]:.2f} with 64 and {of['hism', 512]:.2f} with "
        "512. Beyond 256 a position needs two bytes.",
        f"BBCS gains with every doubling: it takes {of['bbcs', 16]:.2f} cycles per non-zero with 16 and "
        f"{of['bbcs', 1024]:.2f} with 1024. JD gains little beyond 32: it takes {of['jd', 16]:.2f} with 16, "
        f"{of['jd', 32]:.2f} with 32 and {of['jd', 1024]:.2f} with 1024. CRS hardly gains at all "
        f"({of['crs', 16]:.2f} with 16, {of['crs', 1024]:.2f} with 1024), because its vectors are the rows.",
    )


def _memory(means: Means) -> tuple[str, ...]:
    titles = {"HiSM": "hism", "JD": "jd", "CRS": "crs"}

    def of(program: str, what: str, value: object) -> float:
        return means[what, str(value), program]

    def faster(what: str, before: object, after: object) -> str:
        """Return the speed-up of each program by another value: ``HiSM 2.31, JD 2.17 and CRS 5.64 ...``."""
        gains = [f"{name} {of(p, what, before) / of(p, what, after):.2f}" for name, p in titles.items()]
        return f"{', '.join(gains[:-1])} and {gains[-1]} times as fast"

    slow, equal, fast = (of("jd", RATE, rate) / of("hism", RATE, rate) for rate in (1, 4, 8))
    return (
        "Faster gathers do not let JD catch up with HiSM. With one address per cycle JD takes "
        f"{slow:.2f} times as long as HiSM. With four addresses, which is as fast as contiguous words, it "
        f"takes {equal:.2f} times as long. With eight it takes {fast:.2f} times as long.",
        "Accesses in flight hide the startup. With one access in flight, no startup instead of 40 cycles "
        f"makes {faster('startup accesses_in_flight=1', 40, 0)}. With 16 accesses in flight it makes "
        f"{faster('startup accesses_in_flight=16', 40, 0)}.",
        f"Four accesses in flight instead of one make {faster('accesses_in_flight', 1, 4)}. A further "
        f"increase to 16 makes {faster('accesses_in_flight', 4, 16)}.",
        f"64 banks instead of 8 make {faster('banks', 8, 64)}. All accesses of HiSM are contiguous, and only "
        "enough banks give them the full rate.",
        f"Banks that are busy for one cycle instead of 8 make {faster('bank_busy', 8, 1)}.",
        f"A second port makes {faster('memory_ports', 1, 2)}.",
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
        "CHiSM wins on small matrices if it moves only those rows of the cache that the matrix has. It then "
        f"takes {share(CACHE, 'rows'):.2f} times as many cycles as HiSM. If it moves the whole cache, it "
        f"takes {share(CACHE, 'whole'):.2f} times as many. If it moves these rows and omits the first load, "
        f"it takes {share(CACHE, 'cleared_rows'):.2f} times as many.",
        f"CHiSM also wins with a section size of 16: it takes {share('section_size', 16):.2f} times as many "
        f"cycles as HiSM. With 64 it takes {share('section_size', 64):.2f} times as many.",
        f"The sparse unit itself matters less. Four entries per cycle instead of one make HiSM "
        f"{gain('hism', 'p', 1, 4)} faster, and 16 instead of four {gain('hism', 'p', 4, 16)} faster. A "
        f"latency of 4 instead of 24 cycles makes HiSM {gain('hism', 'latency', 24, 4)}, CHiSM "
        f"{gain('chism', 'latency', 24, 4)} and BBCS {gain('bbcs', 'latency', 24, 4)} faster.",
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
        f"With one port renaming makes programs {min(one_port):.3f} to {max(one_port):.3f} times as fast. "
        "The units and the port take their instructions in order, so WAR and WAW dependences delay little.",
        "With four ports and 32 registers renaming makes plain HiSM "
        f"{gain('hism', 4, 'plain', 32):.2f} times as fast: it takes {of('hism', 32, 4, 'plain'):.3f} cycles "
        f"per non-zero. Pipelined HiSM takes {of('hism', 0, 4, 'pipelined'):.3f} without renaming, and "
        f"renaming makes it only {gain('hism', 4, 'pipelined', 32):.2f} times as fast. So renaming replaces "
        "a schedule that is pipelined by hand.",
        "With several ports more registers may cost cycles, because an access that comes earlier may delay "
        "another. Compared with no renaming, plain JD is "
        f"{gain('jd', 4, 'plain', 24):.2f} times as fast with 24 registers and "
        f"{gain('jd', 4, 'plain'):.2f} times with 62. Pipelined JD is "
        f"{gain('jd', 4, 'pipelined', 24):.2f} times as fast with 24 registers and "
        f"{gain('jd', 4, 'pipelined'):.2f} times with 62.",
        "Four registers in addition to the 16 that programs name are too few: pipelined CRS is "
        f"{gain('crs', 1, 'pipelined', 20):.2f} times as fast as without renaming. With 32 registers in all "
        f"no program takes over {100 * (most - 1):.1f} % more cycles than with 62.",
    )


STUDIES: dict[str, Callable[[Means], tuple[str, ...]]] = {
    "section-size": _section_size,
    "memory": _memory,
    "sparse-unit": _sparse_unit,
    "renaming": _renaming,
}
"""The function that writes each study's conclusions from its means, by name."""


APART: dict[str, tuple[str, ...]] = {
    "renaming": ("memory_ports", "physical_vector_registers", "option.schedule"),
}
"""By study, things whose values are not averaged over: each combination of them has separate means."""


BESIDE: dict[str, tuple[tuple[str, str], ...]] = {"memory": (("startup", "accesses_in_flight"),)}
"""By study, pairs of things: the first also has means for each value of the second."""


def _varied(name: str, apart: Mapping[str, object]) -> str:
    """Return the name of what is varied while other things have these values."""
    return " ".join([name, *(f"{other}={apart[other]}" for other in sorted(apart))])


def specification(name: str) -> Sweep:
    """Return what a study sweeps."""
    with resources.as_file(resources.files(__package__) / f"{name}.toml") as path:
        return read_specification(Path(path))


def summary(name: str, cells: Cells) -> dict[tuple[str, str, str], float]:
    """Return the means of a study, by what was varied, its value and the program."""
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
    """Return the first keys of a study's means, as in `summary`, each with the thing that is varied."""
    values = {what: tuple(map(str, of)) for what, of in specification(name).factors.items()}
    return [(_varied(what, where), what) for what, where in _separate(name, values)]


def _separate(name: str, values: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield each thing varied, with each combination of the others that are not averaged over."""
    for what in values:
        others = [other for other in APART.get(name, ()) if other != what]
        for chosen in itertools.product(*(values[other] for other in others)):
            yield what, dict(zip(others, chosen, strict=True))
    for what, other in BESIDE.get(name, ()):
        yield from ((what, {other: value}) for value in values[other])


def written(means: Means) -> str:
    """Return means as CSV, with `DIGITS` decimals."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows((*key, f"{mean:.{DIGITS}f}") for key, mean in means.items())
    return text.getvalue()


def recorded(name: str) -> Means:
    """Return the recorded means of a study; cycles are the same on every host."""
    text = (resources.files(__package__) / RECORDED / f"{name}.csv").read_text(encoding="utf-8")
    return {(line[0], line[1], line[2]): float(line[3]) for line in list(csv.reader(text.splitlines()))[1:]}


def conclusions(name: str, means: Means | None = None) -> tuple[str, ...]:
    """Return the conclusions of a study from `means`, or from the recorded means."""
    return STUDIES[name](recorded(name) if means is None else means)


def remarks(cells: Cells) -> tuple[str, ...]:
    """Return the conclusions from cells, without tables, if they are those of a study; otherwise nothing."""
    for name in STUDIES:
        spec = specification(name)
        tried = {each: tuple(map(str, values)) for each, values in spec.factors.items()}
        if (cells.matrices, cells.programs, cells.varied) == (spec.matrices, spec.programs, tried):
            return tuple(each for each in conclusions(name, summary(name, cells)) if each[0] != "|")
    return ()
