"""Many machines on a real GPU take what each takes alone."""

import pytest
from many.pairs import random_pairs


@pytest.mark.gpu
def test_as_alone_on_random_programs(gpu_with_others):
    from vecsim.engines.targets.gpu.batch import time_groups

    pairs = [random_pairs(seed) for seed in range(20)]
    times = time_groups([each.group for each in pairs])
    assert [each.difference(time) for each, time in zip(pairs, times, strict=True)] == [""] * 20
