"""What a pruned search loses, with times of every variant that were measured on an H200.

The record was made at commit 70bc4ea by its benchmarks/compound_exhaustive.py.
"""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from compound_families import EXHAUSTIVE, MATRICES

from gpu.compound.tuning.recording import pruned_names
from gpu.compound.tuning.search import Timing, loss_of_pruning

RECORDED = Path(__file__).parent / "recorded_tuning.json.gz"
FEW = ("web/80k, block-4", "triangles/256^2, block-2")


@pytest.fixture(scope="module")
def record():
    return json.loads(gzip.decompress(RECORDED.read_bytes()))["times_us"]


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in FEW else pytest.mark.ci) for each in EXHAUSTIVE]
)
def test_pruning_never_loses_more_than_three_per_cent(name, record):
    times = {variant: None if us is None else Timing(us, 0) for variant, us in record[name].items()}
    measured = pruned_names(MATRICES[name]().astype(np.float32), times)
    assert len(measured) < len(times) / 10
    assert loss_of_pruning({name: each for name, each in times.items() if each}, measured) <= 0.03
