"""A search from its specification to its answers. Another engine runs each answer again."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from experiments.report.environment import processors
from experiments.whatif.optimise.evaluation import Cycles, Evaluator, Product, Records
from experiments.whatif.optimise.optimum import Answer, Optimum, geometric_mean
from experiments.whatif.optimise.search import search
from experiments.whatif.optimise.search_settings import Settings
from experiments.whatif.optimise.seen import Seen
from experiments.whatif.optimise.space import Rows, Space
from experiments.whatif.sweep.inputs import facts
from experiments.whatif.sweep.running import specified, text_files
from experiments.whatif.sweep.simulation import input_of
from experiments.whatif.sweep.specification import SEARCH, Sweep
from experiments.whatif.sweep.texts import NO_MATRIX
from experiments.whatif.sweep.together import COMPILE_SECONDS
from vecsim.engines import DEFAULT_ENGINE
from vecsim.machine.recorded import machine_files
from vecsim.results.file_digests import changed
from vecsim.support.arguments import function, whole
from vecsim.support.errors import MatrixWarning, UserError
from vecsim.support.input_files import SPECIFICATION
from vecsim.support.structured_text import read_toml
from vecsim.support.suggestions import counted

REFERENCE = "simpy"
MOST_CYCLES_OF_REFERENCE = 200_000
"""Cycles of answers that the reference engine runs again, in seconds; of more, the compiled engine does."""
UNUSED = {"design": "grid", "question": "", "adaptive": 0, "jitter": 0, "function": "", "at": ()}
"""What a sweep has and a search does not."""

Watch = Callable[[int, int], None]
"""Called with how many machines were timed, and the budget."""


def optimise(
    what: Sweep | str | os.PathLike[str],
    *,
    limit: float | None = None,
    goal: str | None = None,
    budget: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    gpu: bool = False,
    watch: Watch | None = None,
    **changes: object,
) -> Optimum:
    """Search the machines of a sweep for the fastest, or for the front of cycles and cost.

    Parameters
    ----------
    what
        What is varied, as of :func:`vecsim.sweep`: a `vecsim.Sweep`, or the path of a specification file
        (TOML), whose table ``[optimise]`` may have the four settings that follow.
    limit
        What a machine may cost, at most; no limit without it.
    goal
        ``"cycles"``, the default: the machine with the least cycles, as the geometric mean over matrices and
        programs. ``"front"``: all machines that are faster than everything as cheap or cheaper.
    budget
        Machines to time, at most; 100,000 without it.
    seed
        Of the search: the same seed gives the same answer.
    jobs
        Threads; as many as there are cores without it.
    gpu
        Whether machines are timed on an NVIDIA GPU (docs/reference/many-machines.md).
    watch
        Called with the progress.
    changes
        Attributes that replace those of `what`, as of :func:`vecsim.sweep`.

    Returns
    -------
    Optimum
        The best machine, or the front, each run again by another engine.

    Raises
    ------
    UserError
        A wrong setting or specification; no machine within the limit.

    Examples
    --------
    >>> import vecsim
    >>> spec = vecsim.Sweep(("laplace2d-5",), "crs", set={"banks": (4, 8, 16), "lanes": (1, 2, 4)})
    >>> result = vecsim.optimise(spec, limit=12)
    >>> result.best.chosen, result.certainty
    ({'banks': 8, 'lanes': 1}, 'exact')
    """
    given = {"limit": limit, "goal": goal, "budget": budget, "seed": seed}
    sweep = specified(what, changes)
    settings = _settings(what, given)
    threads = processors() if jobs is None else whole("jobs", jobs, 1)
    report = (lambda done, of: None) if watch is None else function("watch", watch)
    _check(sweep)
    if gpu:
        from vecsim.engines.targets.gpu.cuda import require_gpu

        require_gpu()
    space = Space(sweep)
    inputs = [input_of(sweep, matrix) for matrix in sweep.matrices or (NO_MATRIX,)]
    for line in (line for each in inputs for line in each.warnings):
        warnings.warn(line, MatrixWarning, stacklevel=2)
    records = Records()
    products = [Product(sweep, program, each, records) for each in inputs for program in sweep.programs]
    base, seconds = _base(space, products)
    most = min(space.count, settings.budget)
    evaluator = Evaluator(
        space, products, threads, on_gpu=gpu, compiling=gpu or most * seconds > COMPILE_SECONDS
    )
    seen = Seen(evaluator, settings, lambda done: report(done, most))
    result, alone = search(seen), evaluator.alone
    if not len(result.rows):
        raise UserError(_nothing(seen, evaluator.fault, result.within))
    answers, engine = _checked(space, products, result.rows, evaluator.cycles(result.rows))
    files = (
        *machine_files(space.base),
        *(file for each in inputs for file in each.files),
        *dict.fromkeys(file for program in sweep.programs for file in text_files(program)),
    )
    for line in changed(files):
        raise UserError(f"optimise: {line}: it changed while the search ran; run it again")
    return Optimum(
        sweep,
        settings,
        answers,
        base,
        space.count,
        result.within,
        result.evaluations,
        alone,
        result.certainty,
        engine,
        evaluator.fault,
        tuple(facts(each) for each in inputs if each.csr is not None),
        files,
    )


def _settings(what: object, given: Mapping[str, object]) -> Settings:
    """Return the settings of a specification file, with those that a caller gives."""
    settings = Settings()
    if isinstance(what, str | os.PathLike):
        path = Path(what)
        settings = settings.changed(read_toml(path, SPECIFICATION).get(SEARCH), f"{path}: ")
    return settings.changed({name: value for name, value in given.items() if value is not None})


def _check(sweep: Sweep) -> None:
    for name, value in UNUSED.items():
        if getattr(sweep, name) != value:
            raise UserError(f"{name}: a search does not use it; leave it out")


def _nothing(seen: Seen, fault: str, within: int | None) -> str:
    """Return why there is no answer."""
    if seen.count:
        return f"optimise: none of {counted(seen.count, 'machine')} has a result: {fault}"
    amount = "no machine costs" if within == 0 else "no machine was found that costs"
    return (
        f"optimise.limit = {seen.settings.limit:g}: {amount} so little; the cheapest that was found costs "
        f"{seen.cheapest:.6g}"
    )


def _base(space: Space, products: Sequence[Product]) -> tuple[Answer | None, float]:
    """Run the machine as it is; return what it came to and the processors' time, for each time of all."""
    began = time.process_time()
    try:
        cycles = {
            (each.matrix, each.program): each.run(space.point_of_base, space.base).cycles for each in products
        }
    except UserError:
        return None, 0.0
    seconds = time.process_time() - began
    return Answer({}, space.base, space.cost_of_base(), geometric_mean(cycles), cycles), seconds


def _checked(
    space: Space, products: Sequence[Product], rows: Rows, cycles: Cycles
) -> tuple[tuple[Answer, ...], str]:
    """Run machines again, by an engine that has nothing to do with how they were timed; return which."""
    points = [space.point(row) for row in rows]
    machines = [space.base.changed(point.machine) for point in points]
    several = [(point, machine) for point, machine in zip(points, machines, strict=True)]
    engine = REFERENCE if cycles.sum() <= MOST_CYCLES_OF_REFERENCE else DEFAULT_ENGINE
    runs = np.array([[product.run(*each, engine).cycles for product in products] for each in several])
    for place, number in np.argwhere(runs != cycles).tolist():
        raise UserError(
            f"optimise: {products[number].program} on {products[number].matrix or 'its arrays'}, "
            f"{space.chosen(rows[place])}: {cycles[place, number]} cycles with many machines at once, "
            f"{runs[place, number]} by the engine {engine}; please report this"
        )
    answers = []
    for row, machine, price, taken in zip(rows, machines, space.costs(rows), runs.tolist(), strict=True):
        by_product = {(p.matrix, p.program): each for p, each in zip(products, taken, strict=True)}
        answers.append(
            Answer(space.chosen(row), machine, float(price), geometric_mean(by_product), by_product)
        )
    return tuple(answers), engine
