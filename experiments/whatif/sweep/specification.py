"""What a sweep is of: matrices, programs, and what is varied of machine, options and symbols."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from experiments.whatif.sweep.attributes import Value, read_attribute
from experiments.whatif.sweep.cost import check_weights
from experiments.whatif.sweep.inputs import called, expanded
from experiments.whatif.sweep.question import read_question
from experiments.whatif.sweep.texts import is_text, load_arrays, may_name
from programs.declaration import SmvmProgram
from programs.registry import PROGRAMS, ProgramLike, find
from programs.user_format import UserFormat
from vecsim.data import DEFAULT_BUILTIN, Matrix
from vecsim.data.precision import value_bytes
from vecsim.engines import DEFAULT_ENGINE
from vecsim.engines.running import ENGINES, MAX_CYCLES
from vecsim.machine import Machine, load_machine
from vecsim.machine.description import flat
from vecsim.riscv.reading import extensions_of, is_elf, is_riscv, read_riscv
from vecsim.support.arguments import shown
from vecsim.support.errors import UserError
from vecsim.support.input_files import ASSEMBLY, SPECIFICATION, read_text
from vecsim.support.mistakes import Mistakes
from vecsim.support.structured_text import read_toml
from vecsim.support.suggestions import nearest

LISTED = "listed"
DESIGNS = ("grid", "one-at-a-time", "latin-hypercube", LISTED)
OPTION = "option."
"""What the names of programs' options begin with among all that is varied."""
DEFINE = "define."
"""What the names of texts' symbols begin with there."""
ARGUMENT = "argument."
"""The same of arguments of RISC-V programs, whose names are their places, from 1 on."""
MEMORY_BYTES = 1 << 20
"""Memory of a text if nothing else is said."""
MOST_POINTS = 1_000_000
"""Points of a design, at most."""
SEARCH = "optimise"
"""The table of a specification file that `vecsim optimise` reads, and a sweep does not."""


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
    symbols
        Symbols that texts are assembled with.
    arguments
        Arguments of RISC-V programs, by their places.
    placement
        Of the arrays, as `vecsim.formats.Layout` has it: 0, or the number of a perturbed one.
    """

    machine: Mapping[str, int | bool]
    options: Mapping[str, str]
    symbols: Mapping[str, int] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    placement: int = 0

    def of_program(self, name: ProgramLike) -> dict[str, str]:
        """Return the options that are meant for a program."""
        program = find(name)
        declared = {option.name for option in program.options}
        result = {option: value for option, value in self.options.items() if option in declared}
        for option, value in self.options.items():
            of, _, plain = option.rpartition(".")
            if of in program.called:
                result[plain] = value
        return result


@dataclass(frozen=True)
class Sweep:
    """A sweep.

    Attributes
    ----------
    matrices
        As `vecsim.load` takes them, and suites by name (`experiments.whatif.sweep.inputs`), which become
        their members. Also `vecsim.Matrix`, SciPy sparse matrices and arrays (m, n), alone, as pairs
        ``(name, matrix)`` or as a table by name. None for texts.
    programs
        Names, ``NAME:FILE.s`` for a user's program, ``FILE.py`` for a user's format; or a
        `vecsim.UserFormat`, whose cells are computed in this process alone. Or ``FILE.s`` alone, for texts
        that multiply no matrix, as ``vecsim exec`` takes them.
    machine
        The machine that is varied: a preset, a file or a `vecsim.Machine`.
    extend
        Extensions of the machine: files, or names of those that come with vecsim (docs/extending-time.md).
    set
        Values by the full name of the number, ``{"banks": (8, 16)}``, or of an option, ``option.schedule``;
        or texts as of ``--set``: ``("banks=4:64:x2", "option.schedule=plain,pipelined")``.
    option
        Values by the name of the option, ``schedule`` or ``crs.sums``; or texts as of ``--option``.
    define
        Of texts: values by the name of a symbol that each is assembled with; or texts as of ``--define``.
    isa
        Of texts: their instruction set, ``rv64gcv``, if it is not that of the machine.
    argument
        Of RISC-V programs: values of the arguments of ``main`` by their places, ``{"1": (64, 128)}``.
    function
        Of RISC-V programs: the function to whose instructions the cycles of a cell are attributed; bytes and
        what extensions and memory count are those of the whole run. Without it the cycles are, too.
    load
        Of texts: arrays that are put into the memory of each, ``PLACE[:WHAT]=FILE``.
    memory
        Of texts: bytes of their memory, also ``"64K"`` or ``"1M"``.
    design
        ``grid``: every combination. ``one-at-a-time``: the machine as it is, and one thing varied in each.
        ``latin-hypercube``: `samples` points, in which each value comes equally often. ``listed``: those of
        `at`.
    samples, design_seed
        Of a Latin hypercube.
    value_bits, seed, engine, max_cycles
        As `vecsim.measure` takes them.
    jitter
        How many times each cell of a product is run again, with other addresses of the arrays.
    question
        Where one program is faster than another, ``jd<hism``; see `experiments.whatif.sweep.question`. The
        answer is over all combinations of values; no cell depends on it.
    adaptive
        Cells to spend on the question, at most, where its answer is least certain; 0 for those of the design.
    at
        The points of the design ``listed``, a value of each thing that is varied, by its name.
    cost
        Weights of what a machine costs that differ from those of `experiments.whatif.sweep.cost`; no cell
        depends on them.
    """

    matrices: tuple[str | Matrix, ...] = ()
    programs: tuple[ProgramLike, ...] = tuple(PROGRAMS)
    machine: str | Machine = "vs2003"
    extend: tuple[str, ...] = ()
    set: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    option: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    define: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    isa: str = ""
    argument: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    function: str = ""
    load: tuple[str, ...] = ()
    memory: int = MEMORY_BYTES
    design: str = "grid"
    samples: int = 100
    design_seed: int = 0
    value_bits: int = 32
    seed: int = 0
    engine: str = DEFAULT_ENGINE
    max_cycles: int = MAX_CYCLES
    jitter: int = 0
    question: str = ""
    adaptive: int = 0
    at: tuple[Mapping[str, Value], ...] = ()
    cost: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find out everything that is wrong before anything is simulated.

        Raises
        ------
        UserError
            Naming what is wrong: an unknown program, number, option, value of one, design or engine; no
            matrix. `UserErrors` if there are several mistakes.
        """
        mistakes, wrong = Mistakes(), set()
        for each in fields(self):
            value = mistakes.attempt(read_attribute, each.name, getattr(self, each.name))
            if value is None:
                wrong.add(each.name)
            else:
                object.__setattr__(self, each.name, value)
        varied = set(VARIED)
        if not wrong & varied:
            mistakes.attempt(self._part_options_from_numbers)
        checks: tuple[tuple[Callable[[], None], set[str]], ...] = (
            (self._check_matrices, {"matrices", "programs"}),
            (self._check_texts, {"programs", "isa", "define", "load", "memory", "value_bits", "jitter"}),
            (self._check_arguments, {"programs", "isa", "function", "argument", "define", "design"}),
            (self._check_design, {"design"}),
            (self._check_engine, {"engine"}),
            (lambda: check_weights(self.cost), {"cost"}),
            (lambda: _check_bits(self.value_bits), {"value_bits"}),
            (self._check_numbers, {"set", "machine", "extend"}),
            (self._check_options, {"option", "programs"}),
            (self._check_question, {"question", "adaptive", "programs", "design", *varied}),
            (self._check_listed, {"at", "design", *varied}),
        )
        for check, depends in checks:
            if not wrong & depends:
                mistakes.attempt(check)
        mistakes.raise_all()

    def check_count(self) -> None:
        """Find out whether all points can be simulated.

        Raises
        ------
        UserError
            There are too many.
        """
        if self.count * self.placements > MOST_POINTS:
            times = f" x {self.placements:,} placements" if self.jitter else ""
            raise UserError(
                f"sweep: {self.count:,} points{times}, at most {MOST_POINTS:,} are allowed; vecsim optimise "
                "searches among more"
            )

    def changed(self, **changes: object) -> Sweep:
        """Return a sweep with other attributes.

        Parameters
        ----------
        changes
            Attributes by name. Of ``set``, ``option`` and ``define`` only the names that are given here are
            replaced or added; everything else is replaced as a whole.

        Raises
        ------
        UserError
            There is no such attribute, or the sweep cannot be so.
        """
        known = {each.name: getattr(self, each.name) for each in fields(self)}
        for name in changes:
            if name not in known:
                raise UserError(f"sweep: unknown attribute {name!r}; use one of vecsim.Sweep")
        varied = _parted({name: read_attribute(name, changes.get(name)) for name in VARIED})
        merged = {name: {**getattr(self, name), **varied[name]} for name in VARIED}
        return Sweep(**{**known, **changes, **merged})

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

    @property
    def program_names(self) -> tuple[str, ...]:
        """The names of its programs."""
        return tuple(each if isinstance(each, str) else each.name for each in self.programs)

    @property
    def objects(self) -> tuple[UserFormat, ...]:
        """The formats that are given as objects."""
        return tuple(each for each in self.programs if not isinstance(each, str))

    def _part_options_from_numbers(self) -> None:
        for name, values in _parted({name: getattr(self, name) for name in VARIED}).items():
            object.__setattr__(self, name, values)

    @property
    def is_of_texts(self) -> bool:
        """Whether its programs are texts, which multiply no matrix."""
        return any(map(is_text, self.programs))

    def _check_matrices(self) -> None:
        if self.is_of_texts:
            text = next(filter(is_text, self.programs))
            if self.matrices:
                raise UserError(
                    f"matrices: program {text} multiplies none; leave them out, or write crs:{text} for a "
                    "product like crs"
                )
            return
        if not self.matrices:
            raise UserError("sweep: no matrix is named; name at least one")
        object.__setattr__(self, "matrices", tuple(dict.fromkeys(expanded(self.matrices))))

    def _check_texts(self) -> None:
        if not self.is_of_texts:
            for name, given in (
                ("isa", self.isa),
                ("function", self.function),
                ("define", self.define),
                ("load", self.load),
                ("memory", self.memory != MEMORY_BYTES),
            ):
                if given:
                    raise UserError(f"{name}: needs programs FILE.s that multiply no matrix; leave it out")
            return
        mistakes = Mistakes()
        if self.jitter:
            mistakes.add(
                "jitter: the addresses of a text are in it; vary a symbol by define, or leave it out"
            )
        products = [name for name in self.program_names if not is_text(name)]
        if products:
            mistakes.add(
                f"programs: {products[0]} multiplies a matrix, {next(filter(is_text, self.programs))} none; "
                "sweep them separately"
            )
        mistakes.attempt(extensions_of, self.isa or None)
        named = list(filter(is_text, self.programs))
        texts = [mistakes.attempt(read_text, name, ASSEMBLY) for name in named if not is_elf(name)]
        for name in filter(is_elf, named):
            mistakes.attempt(read_riscv, name, dict.fromkeys(self.define, 0), None)
        mistakes.attempt(load_arrays, self.load, self.value_bits)
        mistakes.add_first(
            f"define.{name}: no value is given; write a list of values"
            for name, values in self.define.items()
            if not values
        )
        mistakes.add_first(
            f"define.{name}: no program has this symbol; use one that a text names"
            for name in self.define
            if not any(text is None or may_name(text, name) for text in texts)
        )
        mistakes.raise_all()

    def _check_arguments(self) -> None:
        """Refuse arguments of what has none, and places without one."""
        for name in self.argument:
            if not name.isdecimal() or not 1 <= int(name) <= len(self.argument):
                raise UserError(
                    f"argument.{name}: the names are places, 1, 2 and so on without a gap; give each one"
                )
            if not self.argument[name]:
                raise UserError(f"argument.{name}: no value is given; write a list of values")
        if not self.argument and not self.function:
            return
        other = [name for name in self.program_names if not is_riscv(name, self.isa or None)]
        if other:
            what = "argument" if self.argument else "function"
            raise UserError(f"{what}: {other[0]} is no RISC-V program, and has none; leave it out")
        for name in self.program_names if self.function else ():
            symbols = {symbol: int(values[0]) for symbol, values in self.define.items() if values}
            read_riscv(name, symbols, self.isa or None).check_function(self.function)
        if not self.argument:
            return
        if self.design == "one-at-a-time":
            raise UserError("argument: a program needs all of them; use another design than one-at-a-time")

    def _check_design(self) -> None:
        if self.design not in DESIGNS:
            raise UserError(
                f"design = {self.design!r}: is not a design; use one of "
                f"{', '.join(DESIGNS)}{nearest(self.design, DESIGNS)}"
            )

    def _check_question(self) -> None:
        if self.question:
            read_question(self.question, self.program_names)
        elif self.adaptive:
            raise UserError("adaptive: needs a question, such as question = 'jd<hism'")
        if self.adaptive and self.design != "grid":
            raise UserError(f"adaptive: chooses points of a grid; leave out design = {self.design!r}")
        if self.question and not self.factors:
            raise UserError("question: nothing is varied; vary a number or an option")

    def _check_listed(self) -> None:
        if self.at and self.design != LISTED:
            raise UserError(f"at: lists points, which only design = {LISTED!r} has")
        if self.design == LISTED and not self.at:
            raise UserError(f"design = {LISTED!r}: no point is listed; add at = [{{...}}]")
        factors = self.factors
        for number, point in enumerate(self.at):
            if point.keys() != factors.keys():
                raise UserError(f"at[{number}]: needs a value of each of {', '.join(factors) or 'nothing'}")
            for name, value in point.items():
                if (type(value), value) not in [(type(each), each) for each in factors[name]]:
                    raise UserError(f"at[{number}].{name}: {value!r} is not among the values that are varied")

    def _check_engine(self) -> None:
        if self.engine not in ENGINES:
            raise UserError(f"engine = {self.engine!r}: is not an engine; use one of {', '.join(ENGINES)}")

    def _check_numbers(self) -> None:
        mistakes = Mistakes()
        mistakes.add_first(self._wrong_numbers(flat(self.base.numbers())))
        mistakes.raise_all()

    def _wrong_numbers(self, numbers: Mapping[str, int | bool]) -> Iterator[str]:
        for name, values in self.set.items():
            if name not in numbers:
                near = nearest(name, numbers)
                yield f"set.{name}: is not a number of the machine; see vecsim machine{near}"
                continue
            for value in values:
                if type(value) is not type(numbers[name]):
                    wanted = "true or false" if isinstance(numbers[name], bool) else "a whole number"
                    yield f"set.{name}: {shown(value)} is not {wanted}"
            if not values:
                yield f"set.{name}: no value is given; write a list of values"

    def _check_options(self) -> None:
        mistakes = Mistakes()
        if not self.programs:
            mistakes.add("sweep: no program is named; name at least one")
        chosen = {
            name: mistakes.attempt(_program, each)
            for name, each in zip(self.program_names, self.programs, strict=True)
            if not is_text(each)
        }
        mistakes.raise_all()  # which options there are depends on all of them
        for name, values in self.option.items():
            program, _, plain = name.rpartition(".")
            having = [
                option
                for each in chosen.values()
                if each is not None and program in ("", *each.called)
                for option in each.options
                if option.name == plain
            ]
            if not having and self.is_of_texts:
                mistakes.add(f"option.{name}: texts have symbols and no options; use define.{plain}")
            elif not having:
                mistakes.add(f"option.{name}: no program has this option; add one to {', '.join(chosen)}")
            for option in having:
                wrong = [str(value) for value in values if str(value) not in option.values]
                if wrong or not values:
                    takes = ", ".join(option.takes)
                    mistakes.add(f"option.{name}: {', '.join(wrong) or 'nothing'}: it takes {takes}")
        mistakes.raise_all()

    @property
    def factors(self) -> dict[str, tuple[Value, ...]]:
        """What is varied: numbers as they are named, ``option.NAME``, ``define.NAME``, ``argument.N``."""
        return factors_of(self.set, self.option, self.define, self.argument)

    @property
    def count(self) -> int:
        """How many points there are."""
        sizes = [len(values) for values in self.factors.values()]
        if self.design == "latin-hypercube":
            return self.samples if sizes else 1
        if self.design == "one-at-a-time":
            return 1 + sum(sizes)
        if self.design == LISTED:
            return len(self.at)
        product = 1
        for size in sizes:
            product *= size
        return product

    @property
    def placements(self) -> int:
        """How many placements of its arrays each cell has."""
        return 1 + self.jitter

    def points(self) -> tuple[Point, ...]:
        """Return the points of the design, in an order that depends on nothing else.

        The placements of a point follow each other, the one that is not perturbed first.

        Raises
        ------
        UserError
            There are too many.
        """
        self.check_count()
        points = map(point_of, self.combinations())
        return tuple(replace(each, placement=k) for each in points for k in range(self.placements))

    def combinations(self) -> Iterator[Mapping[str, Value]]:
        """Return what is set at each point of the design, by name."""
        factors = self.factors
        if self.design == LISTED:
            yield from self.at
        elif self.design == "one-at-a-time":
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
            if each.name in VARIED
            else [called(matrix) for matrix in self.matrices]
            if each.name == "matrices"
            else list(self.program_names)
            if each.name == "programs"
            else list(self.load)
            if each.name == "load"
            else dict(self.cost)
            if each.name == "cost"
            else [dict(point) for point in self.at]
            if each.name == "at"
            else self.machine.label
            if isinstance(self.machine, Machine) and each.name == "machine"
            else getattr(self, each.name)
            for each in fields(self)
        }


Factors = Mapping[str, tuple[Value, ...]]
VARIED: Mapping[str, str] = {"set": "", "option": OPTION, "define": DEFINE, "argument": ARGUMENT}
"""The attributes that say what is varied, and what the names in each begin with among all."""
_Values = TypeVar("_Values")


def factors_of(
    set: Mapping[str, _Values],
    option: Mapping[str, _Values],
    define: Mapping[str, _Values],
    argument: Mapping[str, _Values],
) -> dict[str, _Values]:
    """Return all that is varied, by the names that `Sweep.factors` has.

    Parameters
    ----------
    set, option, define, argument
        Values by name, as attributes of a sweep.
    """
    given = zip(VARIED.values(), (set, option, define, argument), strict=True)
    return {f"{prefix}{name}": each[name] for prefix, each in given for name in each}


def _parted(given: Mapping[str, Factors]) -> dict[str, dict[str, tuple[Value, ...]]]:
    """Part ``option.NAME`` and ``define.NAME`` from the numbers of the machine in ``set``."""
    result = {name: dict(given[name]) for name in VARIED}
    for name, values in given["set"].items():
        for attribute, prefix in VARIED.items():
            if prefix and name.startswith(prefix):
                del result["set"][name]
                if result[attribute].setdefault(name.removeprefix(prefix), values) is not values:
                    raise UserError(f"set.{name}: is varied twice, in {attribute} too; remove one")
    result["define"] = read_attribute("define", result["define"])
    result["set"] = {name: tuple(map(_signed, values)) for name, values in result["set"].items()}
    return result


def _signed(value: Value) -> Value:
    """Read a negative number: a machine says what would be right, and the numbers of some may be negative."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"-[0-9]{1,18}", value) else value


def _program(name: ProgramLike) -> SmvmProgram:
    """Return a program whose text can be read."""
    program = find(name)
    for text in program.texts.values():
        text.read()
    return program


def _check_bits(bits: int) -> None:
    value_bytes(bits)


def point_of(chosen: Mapping[str, Value]) -> Point:
    """Return a point by what is chosen of each thing that is varied, by its name in `Sweep.factors`."""
    other = tuple(filter(None, VARIED.values()))
    machine = {n: v for n, v in chosen.items() if not n.startswith(other) and isinstance(v, int)}
    options = {n.removeprefix(OPTION): str(v) for n, v in chosen.items() if n.startswith(OPTION)}
    symbols = {n.removeprefix(DEFINE): int(v) for n, v in chosen.items() if n.startswith(DEFINE)}
    arguments = {n.removeprefix(ARGUMENT): str(v) for n, v in chosen.items() if n.startswith(ARGUMENT)}
    return Point(machine, options, symbols, dict(sorted(arguments.items(), key=lambda each: int(each[0]))))


def read_specification(path: Path) -> Sweep:
    """Read a specification file.

    Parameters
    ----------
    path
        TOML, with the attributes of :class:`Sweep` as keys; values as lists or as texts of `values_of`.

    Raises
    ------
    UserError
        Naming the file, and each key that is unknown, missing or of the wrong type or value.
    """
    result = read_toml(path, SPECIFICATION)
    result.pop(SEARCH, None)
    known = {each.name: each for each in fields(Sweep)}
    mistakes = Mistakes()
    mistakes.add_first(
        f"unknown key {name!r}; use one of vecsim.Sweep{nearest(name, known)}"
        for name in result
        if name not in known
    )
    given = {name: value for name, value in result.items() if name in known}
    programs = result.get("programs")
    named = programs if isinstance(programs, list) else [programs]
    of_texts = any(isinstance(each, str) and is_text(each) for each in named)
    if "matrices" not in result and not of_texts:
        mistakes.add("matrices is missing; add matrices = [...]")
        given["matrices"] = (DEFAULT_BUILTIN,)  # so that everything else is checked
    what = mistakes.attempt(lambda: Sweep(**given))
    mistakes.raise_all(f"{path}: ")
    assert what is not None
    return what
