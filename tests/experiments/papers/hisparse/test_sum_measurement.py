"""How sums are timed; the GPU itself is simulated in tests/gpu/simulated."""

from types import SimpleNamespace

import numpy as np

from experiments.papers.hisparse.sum_measurement import Prepared, Sums
from experiments.papers.kit.measurement import Run
from experiments.papers.kit.results import Record


class Library:
    def symbolic(self, stream):
        pass

    def numeric(self, stream):
        pass


def test_passes_that_two_sums_share_are_timed_once_and_added_to_both():
    work, asked = Library(), []

    def timer(captured, others):
        asked.append((len(captured), len(others)))
        return [
            SimpleNamespace(median_us=10.0**place, spread=0.1) for place in range(len([*captured, *others]))
        ]

    def prepared(method, whole=None, captured=False, **parts):
        return Prepared(Record("m", method, "float64", "sum"), whole, parts, captured)

    ready = [
        prepared("ours", whole=lambda stream: None, captured=True, numeric=lambda stream: None),
        prepared("both", symbolic=work.symbolic, numeric=work.numeric),
        prepared("converting", symbolic=work.symbolic, numeric=work.numeric, conversion=lambda stream: None),
    ]
    sums = Sums("m", SimpleNamespace(first=np.zeros(1)), None, timer, Run())
    timed = list(sums._timed(ready).values())
    assert asked == [(2, 3)]
    assert [each.median_us for each in timed] == [1.0, 1_100.0, 11_100.0]
    assert timed[0].parts == {"numeric": 10.0}
    assert timed[2].parts == timed[1].parts | {"conversion": 10_000.0}
