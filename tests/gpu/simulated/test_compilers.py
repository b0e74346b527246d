"""Kernels compiled ahead: in which order, together with which others, and each once."""

from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest

from experiments.papers.layouts.compiling import Compiling
from experiments.papers.layouts.subjects import SUBJECTS
from gpu.compound import COMPLEX, QUATERNION
from gpu.compound.component_layout import SOA
from gpu.compound.device_compound import NATURAL, Layout
from gpu.compound.schedule import Schedule
from gpu.compound.tuning.compilation import Compilers, spawned
from gpu.compound.tuning.variants import Variant
from gpu.runtime import kernel_cache

SHARED = [Variant(NATURAL, Schedule("static", threads, 2048 // threads)) for threads in (256, 512)]
LIMITED = Variant(NATURAL, Schedule("static", 256, 4))
OTHERS = [Variant(NATURAL, Schedule("dynamic", 256, 8)), Variant(NATURAL, Schedule())]


class Pool:
    """Processes that note what they are given."""

    def __init__(self):
        self.given = []

    def submit(self, function, entry, real, variants):
        self.given.append((entry, variants))
        done = Future()
        done.set_result(len(variants))
        return done

    def shutdown(self, **how):
        pass


@pytest.fixture
def pool(monkeypatch, tmp_path):
    monkeypatch.setenv(kernel_cache.FOLDER, str(tmp_path))
    return Pool()


def test_kernels_are_compiled_once_in_the_order_of_their_first_use(pool):
    compilers = Compilers(2, lambda workers: pool)
    asked = [SHARED[0], *OTHERS, SHARED[1], LIMITED]
    first = compilers.begin(COMPLEX, np.float32, asked)
    # One kernel is assembled for two limits of registers: by one process, one after the other.
    assert [variants for _, variants in pool.given] == [[SHARED[0], LIMITED], [OTHERS[0]], [OTHERS[1]]]
    assert len(first) == 3
    assert compilers.begin(COMPLEX, np.float32, SHARED) == first[:1]
    assert len(pool.given) == 3
    compilers.begin(COMPLEX, np.float64, SHARED)
    compilers.begin(QUATERNION, np.float32, SHARED)
    assert len(pool.given) == 5


def test_one_kernel_or_one_processor_is_worth_no_processes(pool, monkeypatch):
    assert Compilers(2, lambda workers: pool).begin(COMPLEX, np.float32, SHARED) == []
    assert Compilers(1, lambda workers: pool).begin(COMPLEX, np.float32, OTHERS) == []
    monkeypatch.delenv(kernel_cache.FOLDER)
    assert Compilers(2, lambda workers: pool).begin(COMPLEX, np.float32, OTHERS) == []
    assert not pool.given


def test_after_a_process_was_killed_others_compile(pool):
    class Broken(Pool):
        def submit(self, *given):
            if self.given:
                raise BrokenProcessPool
            self.given.append(given)
            lost = Future()
            lost.set_exception(BrokenProcessPool())
            return lost

    pools = iter([Broken(), pool])
    compilers = Compilers(2, lambda workers: next(pools))
    compilers.prepare(COMPLEX, np.float32, OTHERS)  # nothing is raised: whoever needs a kernel compiles it
    assert compilers.begin(COMPLEX, np.float32, OTHERS)
    assert [variants for _, variants in pool.given] == [[OTHERS[0]], [OTHERS[1]]]


@pytest.mark.ci
def test_more_tasks_than_processes_end():
    with spawned(2) as processes:
        assert sum(processes.map(abs, range(-600, 0))) == 600 * 601 // 2


def test_kinds_of_entries_are_begun_one_ahead(pool):
    compilers = Compilers(2, lambda workers: pool)
    compiling = Compiling(compilers, SUBJECTS, ("float32", "float64"))
    compiling.begin_next()
    begun = len(pool.given)
    assert {entry.name for entry, _ in pool.given} == {SUBJECTS[0].entry.name}
    assert pool.given[0][1][0].schedule == Schedule()
    compiling.begin(SUBJECTS[0].entry, np.float32)  # begun already
    assert len(pool.given) == begun
    compiling.begin(SUBJECTS[1].entry, np.float32)
    assert [*dict.fromkeys(entry.name for entry, _ in pool.given)] == [
        each.entry.name for each in SUBJECTS[:2]
    ]
    for _ in range(9):
        compiling.begin_next()
    assert {entry.name for entry, _ in pool.given} == {each.entry.name for each in SUBJECTS[:3]}
    wanted = [Variant(Layout("csr", SOA), Schedule("whole", 64))]
    assert [each.result() for each in compiling.of(SUBJECTS[0].entry, np.float32, wanted)] == [1]
