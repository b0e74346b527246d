"""What a pruned search loses, with times of every variant that were measured on an H200.

The record was made at commit 70bc4ea by its benchmarks/compound_exhaustive.py.
"""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
from compound_families import EXHAUSTIVE, MATRICES

from gpu.compound.tuning.search import Timing, tune
from gpu.compound.tuning.traffic_model import TrafficModel
from gpu.compound.tuning.variants import joint_variants
from vecsim.formats import NotRepresentableError

RECORDED = Path(__file__).parent / "recorded_tuning.json.gz"
FEW = ("triangles/256^2, block-2",)


@pytest.fixture(scope="module")
def record():
    return json.loads(gzip.decompress(RECORDED.read_bytes()))["times_us"]


def timings_of_a_pruned_search(matrix, times):
    """Search by looking times up instead of measuring; None stands where the matrix has no such form."""

    def looked_up(variant):
        if times[variant.name] is None:
            raise NotRepresentableError(f"{variant.name}: the matrix has no such form")
        return Timing(times[variant.name], 0)

    offered = joint_variants(matrix.entry, matrix.dtype.type)
    return tune(TrafficModel(matrix).ordered(offered), looked_up, seconds=math.inf).timings


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in FEW else pytest.mark.nightly) for each in EXHAUSTIVE]
)
def test_pruning_never_loses_more_than_three_per_cent(name, record):
    times = record[name]
    timings = timings_of_a_pruned_search(MATRICES[name]().astype(np.float32), times)
    assert len(timings) < len(times) / 10
    best = min(us for us in times.values() if us is not None)
    assert min(each.us for each in timings.values()) <= 1.03 * best
