"""Every engine agrees with SimPy on random programs, in everything: cycles, counters, waits, state, timeline.

Many more cases than fit here: ``python -m tests.differential``.
"""

from pathlib import Path

import differential
import pytest
from differential.cases import case_texts, draw_case, read_case, write_case
from differential.comparison import compare, timeline_difference
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from tiers import examples

from vecsim.engines.running import ENGINES

FOLDER = Path(next(iter(differential.__path__)))
REGRESSIONS = sorted((FOLDER / "regressions").glob("*.s"))

OTHERS = sorted(ENGINES.keys() - {"simpy"})
SHARDS = [
    0,
    *(pytest.param(shard, marks=pytest.mark.ci) for shard in (1, 2)),
    *(pytest.param(shard, marks=pytest.mark.nightly) for shard in range(3, 10)),
]


@pytest.mark.hypothesis
@pytest.mark.parametrize("shard", SHARDS)
@pytest.mark.parametrize("engine", OTHERS)
def test_on_random_cases(engine, shard):
    @seed(shard)
    @settings(examples(200), database=None, phases=[Phase.generate, Phase.shrink])
    @given(st.randoms(use_true_random=False))
    def agree(rng):
        case = draw_case(rng)
        actual = compare(case, "simpy", engine)
        if actual is not None:
            pytest.fail(explain(case, actual, engine, f"{engine}-{shard}"), pytrace=False)

    agree()


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.stem)
def test_on_cases_that_once_differed(path, engine):
    actual = compare(read_case(path), "simpy", engine)
    assert actual is None, str(actual)


def explain(case, actual, engine, name):
    """Return what differs, on what, and how to keep the case; the files are of the last example tried."""
    path = write_case(case, FOLDER / "failures", name)
    assembly, machine = case_texts(case)
    return (
        f"{actual}\n{timeline_difference(case, 'simpy', engine)}\n\n"
        f"--- {path.name}\n{assembly}\n--- {path.stem}.toml\n{machine}\n"
        f"To look at it again, smaller: python -m tests.differential replay {path} --engines simpy {engine} "
        f"--shrink {FOLDER / 'regressions'}\n"
        f"To keep it: move {path.stem}.s, .toml and .bin from {path.parent} to {FOLDER / 'regressions'}."
    )
