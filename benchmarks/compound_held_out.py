"""What `vecsim gpu tune --predict` loses: predictions for families that it has learnt nothing of, measured.

python -m benchmarks.compound_held_out --store FILE --out FILE.json [--seconds N]
python -m benchmarks.compound_held_out --report FILE.json               the tables again, without a GPU

The store is that of `benchmarks.compound_predictor`. For each of its searches a prediction that has learnt
from the other families chooses among all variants that a search may try; these are measured, and beside them
once more the best that the search has found. Losses are against the fastest of all these.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.compound_predictor import EACH_SECONDS, TIMED_SECONDS, go_through
from benchmarks.markdown import table
from gpu.compound.tuning.prediction_loss import family_of
from gpu.compound.tuning.predictor import PREDICTED, Predictor, Result, results_of
from gpu.compound.tuning.search import Tuning
from gpu.compound.tuning.store import Search, TuningStore
from gpu.compound.tuning.variant_names import variant_named
from gpu.compound.tuning.variants import Variant
from vecsim.atomic_files import write_file
from vecsim.errors import UserError
from vecsim.provenance import provenance

LEARNING = 6
"""Processes that learn, a family left out each."""


@dataclass(frozen=True)
class HeldOut:
    """What was measured of a matrix whose family was left out.

    Attributes
    ----------
    matrix, real
        Its name, and float32 or float64.
    predicted
        Names of variants, the one that should be best first.
    found
        That of the best variant of the search.
    times
        Microseconds by name, of all these; those without a form are missing.
    """

    matrix: str
    real: str
    predicted: list[str]
    found: str
    times: dict[str, float]

    def ratio(self, count: int) -> float:
        """Give the best time of the first `count` predicted variants over the best that is known.

        Of these that can be launched: whoever predicts goes on to the next.
        """
        us = [self.times[name] for name in self.predicted if name in self.times]
        return min(us[:count]) / min(self.times.values())

    @property
    def search_ratio(self) -> float:
        """The time of what the search found over the best that is known: 1 if no predicted one is faster."""
        return self.times[self.found] / min(self.times.values())

    @property
    def usable(self) -> bool:
        """Whether what was found and something predicted were timed."""
        return self.found in self.times and any(name in self.times for name in self.predicted)


def learners() -> Executor:
    """Give the processes that learn."""
    return ProcessPoolExecutor(LEARNING, mp_context=get_context("spawn"))


def learnt(results: Sequence[Result], family: str) -> Predictor:
    """Learn from all families but one."""
    return Predictor([each for each in results if family_of(each.matrix) != family])


def measured(given: argparse.Namespace) -> list[HeldOut]:
    """Predict and measure for the searches of a store, until the seconds are over.

    Raises
    ------
    UserError
        If there is no GPU, it is not that of the searches, or there are none.
    """
    from gpu.compound.tuning.on_device import by_events, tuning_on_device
    from gpu.runtime.device_info import device_info

    device = str(device_info().name)
    with TuningStore(given.store) as old:
        results = results_of(old, device)
        best = {search: _best_of(old, search) for search in old.searches() if _times(old, search)}
    best = {search: name for search, name in best.items() if search.device == device}
    if not best:
        raise UserError(f"{given.store} has no search on {device}")
    families = sorted({family_of(each.matrix) for each in results})
    with learners() as pool:
        predictors = dict(zip(families, pool.map(partial(learnt, results), families), strict=True))
    timer = partial(by_events, seconds=TIMED_SECONDS)
    predicted: dict[Search, list[str]] = {}
    with TuningStore(given.out.with_suffix(".sqlite")) as store:

        def begin(matrix: Any, search: Search) -> Tuning:
            def choose(features: Mapping[str, float], variants: Sequence[Variant]) -> list[Variant]:
                chosen = predictors[family_of(search.matrix)].choose(features, variants)
                predicted[search] = [each.name for each in chosen]
                return list(dict.fromkeys([*chosen, variant_named(best[search])]))

            how = {"seconds": given.each, "timer": timer, "choose": choose}
            return tuning_on_device(matrix, search.matrix, store, device, **how)

        go_through(list(best), begin, store, seconds=given.seconds, workers=given.workers, again=True)
        found = [
            HeldOut(search.matrix, search.real, names, best[search], _times(store, search))
            for search, names in predicted.items()
        ]
    return [each for each in found if each.usable]


def _times(store: TuningStore, search: Search) -> dict[str, float]:
    return {name: timing.us for name, timing in store.known(search).items() if timing is not None}


def _best_of(store: TuningStore, search: Search) -> str:
    times = _times(store, search)
    return min(times, key=times.__getitem__)


def to_json(records: Sequence[HeldOut]) -> bytes:
    """Give the records as a file, with what measured them; times are rounded to a nanosecond."""
    from gpu.runtime.device_info import device_info

    made = provenance()
    head = {"device": str(device_info().name), "made": made.date, "commit": str(made.commit)}
    rounded = [replace(each, times={k: round(us, 3) for k, us in each.times.items()}) for each in records]
    return json.dumps({**head, "records": [asdict(each) for each in rounded]}, indent=0).encode()


def read_records(path: Path) -> list[HeldOut]:
    """Read what `to_json` gives; raise UserError where a file is something else."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return [HeldOut(**each) for each in found["records"]]
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path} is no file of held-out records: {error}") from error


def report(records: Sequence[HeldOut]) -> str:
    """Give a table of losses by family: of the first variant alone, of the best of eight, of the search.

    Parameters
    ----------
    records
        Of one or more matrices.
    """
    if not records:
        raise UserError("nothing was measured")
    families = sorted({family_of(each.matrix) for each in records})
    rows = [_row(name, [each for each in records if family_of(each.matrix) == name]) for name in families]
    rows.append(_row("all", records))
    heads = ["family left out", "searches", "loss of 1", f"loss of {PREDICTED}", "of what the search found"]
    return table(heads, rows)


def _row(name: str, records: Sequence[HeldOut]) -> list[str]:
    ratios = [(each.ratio(1), each.ratio(PREDICTED), each.search_ratio) for each in records]
    means = np.exp(np.log(ratios).mean(axis=0))
    return [name, str(len(records)), *(f"{100 * (mean - 1):.1f} %" for mean in means)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or report; 2 where there is no GPU, or a file cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--store", type=Path, help="that of benchmarks.compound_predictor")
    parser.add_argument("--out", type=Path, help="where the records go; times are kept beside it at once")
    parser.add_argument("--report", type=Path, metavar="FILE", help="records of an earlier run")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin nothing after so many")
    parser.add_argument("--each", type=float, default=EACH_SECONDS, help="seconds of one matrix")
    parser.add_argument("--workers", type=int, help="processes that compile; all processors without it")
    given = parser.parse_args(arguments)
    try:
        if given.report:
            records = read_records(given.report)
        elif given.store is None or given.out is None:
            raise UserError("--store and --out are needed: searches to learn from, and where the records go")
        else:
            records = measured(given)
            write_file(given.out, to_json(records))
        print(report(records))
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
