"""What a sweep is of: matrices, programs, and what is varied of machine and options."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from experiments.whatif.sweep.attributes import Value, read_attribute
from experiments.whatif.sweep.cost import check_weights
from experiments.whatif.sweep.inputs import expanded
from programs.registry import PROGRAMS, find
from vecsim.data.precision import value_bytes
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.running import ENGINES, MAX_CYCLES
from vecsim.machine import Machine, load_machine
from vecsim.machine.description import flat
from vecsim.support.errors import UserError
from vecsim.support.input_files import ASSEMBLY, SPECIFICATION, read_text
from vecsim.support.structured_text import read_toml
from vecsim.support.suggestions import nearest

DESIGNS = ("grid", "one-at-a-time", "latin-hypercube")
MOST_POINTS = 1_000_000
"""Points of a design, at most."""


@dataclass(frozen=True)
class Point:
    """One choice of everything that is varied.

    Attributes
    ----------
    machine
        Numbers of the machine that are set, by full name.
    options
        Options that are set, as the specification names them: of all programs that have it, or
        ``PROGRAM.NAME`` of one.
    """

    machine: Mapping[str, int | bool]
    options: Mapping[str, str]

    def of_program(self, name: str) -> dict[str, str]:
        """Return the options that are meant for a program."""
        declared = {option.name for option in find(name).options}
        result = {option: value for option, value in self.options.items() if option in declared}
        own = f"{name}."
        return result | {o.removeprefix(own): v for o, v in self.options.items() if o.startswith(own)}


@dataclass(frozen=True)
class Sweep:
    """A sweep.

    Attributes
    ----------
    matrices
        As `vecsim.load` takes them, and suites by name (`experiments.whatif.sweep.inputs`), which become
        their members.
    programs
        Names, or ``NAME:FILE.s`` for a user's program.
    machine
        The machine that is varied: a preset, a file or a `vecsim.Machine`.
    extend
        Extensions of the machine: files, or names of those that come with vecsim (docs/extending-time.md).
    set
        Values by the full name of the number: ``{"banks": (8, 16)}``.
    option
        Values by the name of the option, ``schedule`` or ``crs.sums``.
    design
        ``grid``: every combination. ``one-at-a-time``: the machine as it is, and one thing varied in each.
        ``latin-hypercube``: `samples` points, in which each value comes equally often.
    samples, design_seed
        Of a Latin hypercube.
    value_bits, seed, engine, max_cycles
        As `vecsim.measure` takes them.
    cost
        Weights of what a machine costs that differ from those of `experiments.whatif.sweep.cost`; no cell
        depends on them.
    """

    matrices: tuple[str, ...]
    programs: tuple[str, ...] = tuple(PROGRAMS)
    machine: str | Machine = "vs2003"
    extend: tuple[str, ...] = ()
    set: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    option: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    design: str = "grid"
    samples: int = 100
    design_seed: int = 0
    value_bits: int = 32
    seed: int = 0
    engine: str = DEFAULT_ENGINE
    max_cycles: int = MAX_CYCLES
    cost: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find out what is wrong before anything is simulated.

        Raises
        ------
        UserError
            Naming what is wrong: an unknown program, number, option, value of one, design or engine; no
            matrix; too many points.
        """
        for each in fields(self):
            object.__setattr__(self, each.name, read_attribute(each.name, getattr(self, each.name)))
        if not self.matrices:
            raise UserError("sweep: no matrix is named; name at least one")
        object.__setattr__(self, "matrices", tuple(dict.fromkeys(expanded(self.matrices))))
        if self.design not in DESIGNS:
            raise UserError(
                f"design = {self.design!r}: is not a design; use one of "
                f"{', '.join(DESIGNS)}{nearest(self.design, DESIGNS)}"
            )
        if self.engine not in ENGINES:
            raise UserError(f"engine = {self.engine!r}: is not an engine; use one of {', '.join(ENGINES)}")
        value_bytes(self.value_bits)
        check_weights(self.cost)
        self._check_numbers()
        self._check_options()
        if self.count > MOST_POINTS:
            raise UserError(f"sweep: {self.count:,} points, at most {MOST_POINTS:,} are allowed")

    @property
    def base(self) -> Machine:
        """The machine that is varied.

        Raises
        ------
        UserError
            There is no such preset, or the file is no machine; an extension that cannot be loaded.
        """
        if isinstance(self.machine, Machine):
            if self.extend:
                raise UserError("extend: the machine already has its extensions; leave extend out")
            return self.machine
        return load_machine(self.machine, extend=self.extend)

    def _check_numbers(self) -> None:
        numbers = flat(self.base.numbers())
        for name, values in self.set.items():
            if name not in numbers:
                raise UserError(
                    f"set.{name}: is not a number of the machine; see vecsim machine{nearest(name, numbers)}"
                )
            for value in values:
                if type(value) is not type(numbers[name]):
                    wanted = "true or false" if isinstance(numbers[name], bool) else "a number"
                    raise UserError(f"set.{name}: {value!r} is not {wanted}")
            if not values:
                raise UserError(f"set.{name}: no value is given; write a list of values")

    def _check_options(self) -> None:
        chosen = {name: find(name) for name in self.programs}
        if not chosen:
            raise UserError("sweep: no program is named; name at least one")
        for each in chosen.values():
            if each.text is not None:
                read_text(each.text, ASSEMBLY)
        for name, values in self.option.items():
            program, _, plain = name.rpartition(".")
            having = [
                p for n, p in chosen.items() if program in ("", n) and plain in {o.name for o in p.options}
            ]
            if not having:
                raise UserError(f"option.{name}: no program has this option; add one to {', '.join(chosen)}")
            for each in having:
                takes = next(option.values for option in each.options if option.name == plain)
                wrong = [str(value) for value in values if str(value) not in takes]
                if wrong or not values:
                    raise UserError(
                        f"option.{name}: {', '.join(wrong) or 'nothing'}: it takes {', '.join(takes)}"
                    )

    @property
    def factors(self) -> dict[str, tuple[Value, ...]]:
        """What is varied: numbers as they are named, options as ``option.NAME``."""
        return {**self.set, **{f"option.{name}": values for name, values in self.option.items()}}

    @property
    def count(self) -> int:
        """How many points there are."""
        sizes = [len(values) for values in self.factors.values()]
        if self.design == "latin-hypercube":
            return self.samples if sizes else 1
        if self.design == "one-at-a-time":
            return 1 + sum(sizes)
        product = 1
        for size in sizes:
            product *= size
        return product

    def points(self) -> tuple[Point, ...]:
        """Return the points of the design, in an order that depends on nothing else."""
        return tuple(_point(chosen) for chosen in self._designed())

    def _designed(self) -> Iterator[Mapping[str, Value]]:
        factors = self.factors
        if self.design == "one-at-a-time":
            yield {}
            for name, values in factors.items():
                yield from ({name: value} for value in values)
        elif self.design == "latin-hypercube" and factors:
            from scipy.stats import qmc

            sampled = qmc.LatinHypercube(len(factors), seed=self.design_seed).random(self.samples)
            for row in sampled:
                places = zip(factors.items(), row, strict=True)
                yield {name: values[int(place * len(values))] for (name, values), place in places}
        else:
            for combination in itertools.product(*factors.values()):
                yield dict(zip(factors, combination, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, as a specification file has it."""
        return {
            each.name: {k: list(v) for k, v in getattr(self, each.name).items()}
            if each.name in ("set", "option")
            else list(getattr(self, each.name))
            if each.name in ("matrices", "programs")
            else dict(self.cost)
            if each.name == "cost"
            else self.machine.label
            if isinstance(self.machine, Machine) and each.name == "machine"
            else getattr(self, each.name)
            for each in fields(self)
        }


def _point(chosen: Mapping[str, Value]) -> Point:
    option = "option."
    machine = {name: value for name, value in chosen.items() if not name.startswith(option)}
    options = {n.removeprefix(option): str(v) for n, v in chosen.items() if n.startswith(option)}
    return Point({name: value for name, value in machine.items() if isinstance(value, int)}, options)


def read_specification(path: Path) -> Sweep:
    """Read a specification file.

    Parameters
    ----------
    path
        TOML, with the attributes of :class:`Sweep` as keys; values as lists or as texts of `values_of`.

    Raises
    ------
    UserError
        Naming the file, and the key that is unknown, missing or of the wrong type.
    """
    result = read_toml(path, SPECIFICATION)
    known = {each.name: each for each in fields(Sweep)}
    for name in result:
        if name not in known:
            raise UserError(f"{path}: unknown key {name!r}; use one of vecsim.Sweep{nearest(name, known)}")
    if "matrices" not in result:
        raise UserError(f"{path}: matrices is missing; add matrices = [...]")
    try:
        return Sweep(**result)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
