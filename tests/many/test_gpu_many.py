"""Many machines on a real GPU take what each takes alone."""

import pytest
from many.pairs import random_pairs

import vecsim


@pytest.mark.gpu
def test_as_alone_on_random_programs_by_kernels_that_are_compiled_and_loaded(
    gpu_with_others, monkeypatch, tmp_path
):
    from vecsim.engines.targets.gpu.batch import time_groups
    from vecsim.engines.targets.gpu.kernel import time_blocks

    pairs = [random_pairs(seed) for seed in range(20)]
    monkeypatch.setenv("VECSIM_CACHE", str(tmp_path))
    for loaded in (0, 1):
        time_blocks.cache_clear()
        times = time_groups([each.group for each in pairs])
        assert [each.difference(time) for each, time in zip(pairs, times, strict=True)] == [""] * 20
        kernels = [time_blocks(with_memory=with_memory) for with_memory in (False, True)]
        assert [(len(each.overloads), each._cache_hits.total()) for each in kernels] == [(1, loaded)] * 2


@pytest.mark.gpu
def test_a_search_comes_to_the_same(gpu_with_others):
    varied = {
        "banks": (4, 8, 16),
        "lanes": (1, 2, 4),
        "startup": tuple(range(10, 40)),
        "section_size": (32, 64),
    }
    spec = vecsim.Sweep(("laplace2d-8",), ("crs", "hism"), set=varied)
    on_gpu, here = (vecsim.optimise(spec, goal="front", gpu=gpu).to_dict() for gpu in (True, False))
    del here["runs_alone"]  # one by one, as long as the loop for many is not compiled here
    assert on_gpu.pop("runs_alone") == 0
    assert on_gpu == here
