"""The kernel of many machines in the CUDA simulator gives what its source gives in plain Python."""

import numpy as np
import pytest

import vecsim
from experiments.whatif.sweep import together
from isa.assembler import assemble
from vecsim.cli import main
from vecsim.engines.decoded import decode
from vecsim.engines.many.batch import Group, numbers_of, sizes_of, start_of
from vecsim.engines.rebinding import rebound
from vecsim.engines.targets.gpu import batch, cuda
from vecsim.engines.targets.gpu.batch import time_groups
from vecsim.engines.trace_timing import notes, places
from vecsim.engines.trace_timing.rows import rows_of
from vecsim.engines.trace_timing.timing import time_events
from vecsim.engines.trace_timing.variants import replacements
from vecsim.machine import Cache, as_machine

LOAD = "li x1, 20\nsetvl x1\nlv.w v1, 4(x0)\nmulvv.s v2, v1, v1\nhalt"
LOAD_EVENTS = [0, 16, 2 * 16 + 8, 20, 0, 4, 80, 3 * 16 + 5, 20, 0, -1, 4 * 16, 11]
GATHER = "li x1, 3\nsetvl x1\nlvi.w v1, (x0), v2\nsumv.s f1, v1\nhalt"
GATHER_EVENTS = [0, 16, 2 * 16 + 9, 3, 0, 0, 8, 16, 3 * 16 + 5, 3, 0, -1, 4 * 16, 11]


NO_CACHE, CACHE = Cache(), Cache(bytes=512, ways=1)
CACHED_EVENTS = [
    *LOAD_EVENTS[:7],
    *(23 + 20, 0),  # 20 words in a line that the first brings
    *(notes.REQUEST, notes.MISS, 1),
    *(19 * (notes.REQUEST, 0)),
    *LOAD_EVENTS[7:],
]


def group(text, events, changes, l1=NO_CACHE):
    base = as_machine("vs2003").model_copy(update={"l1": l1})
    machines = [base.changed(change) for change in changes]
    program = assemble(text)
    rows = rows_of(program, decode(program, base))
    return Group(np.array(events, np.int32), rows, sizes_of(base), numbers_of(machines))


def as_plain_python(group, machine):
    source = rebound(time_events, {}, lambda plain: plain, replacements(group.sizes.memory is not None))
    memory, begin = start_of(group.sizes).tolist(), group.first_times()[:, machine].tolist()
    memory[: len(begin)] = begin
    source(group.events.tolist(), group.rows.ravel().tolist(), memory, list(group.sizes.places()))
    return memory[places.RETIRED], memory[places.CHARGES : places.SCALAR]


@pytest.mark.parametrize("threads_and_more", [1, 6])
def test_each_thread_has_its_machine(threads_and_more):
    changes = [{"startup": 3 + lane, "lanes": 1 + lane % 3} for lane in range(threads_and_more)]
    groups = [
        group(LOAD, LOAD_EVENTS, changes),
        group(LOAD, CACHED_EVENTS, changes, CACHE),
        group(GATHER, GATHER_EVENTS, [{"bank_busy": 7}, {}]),
    ]
    for given, times in zip(groups, time_groups(groups), strict=True):
        for machine in range(given.count):
            cycles, causes = as_plain_python(given, machine)
            assert (times.cycles[machine], times.by_cause[machine].tolist()) == (cycles, causes)


def test_a_search_comes_to_the_same():
    spec = vecsim.Sweep(("laplace2d-2",), "crs", set={"banks": (4, 8), "lanes": (1, 2), "startup": (10, 20)})
    on_gpu, here = (vecsim.optimise(spec, goal="front", gpu=gpu) for gpu in (True, False))
    assert on_gpu.answers == here.answers
    assert on_gpu.alone == 0


class DriverError(Exception):
    """An error of the driver, as Numba raises it."""

    __module__ = "numba.cuda.cudadrv.driver"


def failing(allocate, fails, reason):
    """Allocate as the device does, but fail where ``fails`` says so of the number of integers."""

    def allocated(shape, dtype):
        if fails(np.prod(shape)):
            raise DriverError(f"[{reason}] Call to cuMemAlloc results in {reason}")
        return allocate(shape, dtype)

    return allocated


@pytest.mark.parametrize("room", [1, 4])
def test_with_little_memory_there_are_fewer_blocks_at_once(monkeypatch, room):
    groups = [group(LOAD, LOAD_EVENTS, [{"startup": 3 + at} for at in range(20)])]
    groups.append(group(GATHER, GATHER_EVENTS, [{}, {"bank_busy": 7}]))
    whole = time_groups(groups)
    block = int(groups[0].sizes.places()[places.TOTAL]) * batch.MACHINES
    little = failing(cuda.cuda.device_array, lambda size: size > room * block, "CUDA_ERROR_OUT_OF_MEMORY")
    monkeypatch.setattr(batch.cuda, "device_array", little)
    for part, time in zip(time_groups(groups), whole, strict=True):
        assert np.array_equal(part.cycles, time.cycles)
        assert np.array_equal(part.by_cause, time.by_cause)


def test_records_that_do_not_fit_together_are_timed_one_after_the_other(monkeypatch):
    groups = [group(LOAD, LOAD_EVENTS, [{"startup": at}]) for at in (3, 9, 20)]
    whole, launch = time_groups(groups), batch._launch
    sizes = []

    def launched(kernel, tables, blocks, *others):
        sizes.append(len(blocks))
        if len(blocks) > 1:
            raise DriverError("CUDA_ERROR_OUT_OF_MEMORY")
        return launch(kernel, tables, blocks, *others)

    monkeypatch.setattr(batch, "_launch", launched)
    assert [time.cycles[0] for time in time_groups(groups)] == [time.cycles[0] for time in whole]
    assert sizes == [3, 1, 2, 1, 1]


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        (
            "CUDA_ERROR_OUT_OF_MEMORY",
            "GPU 0: too little free memory: end what else uses it, or leave out --gpu, and the processor "
            "does the same",
        ),
        (
            "CUDA_ERROR_ILLEGAL_ADDRESS",
            "GPU 0: DriverError: [CUDA_ERROR_ILLEGAL_ADDRESS] Call to cuMemAlloc results in "
            "CUDA_ERROR_ILLEGAL_ADDRESS: run it again, or leave out --gpu, and the processor does the same",
        ),
    ],
)
def test_a_gpu_that_fails_ends_a_sweep_in_a_line_and_what_was_done_is_kept(
    tmp_path, monkeypatch, capsys, reason, line
):
    monkeypatch.setattr(together, "AT_ONCE_ON_GPU", 4)
    command = ["sweep", "laplace2d-2", "--program", "crs", "--set", "startup=1:9:1", "--jobs", "1", "--gpu"]
    command += ["--store", str(tmp_path / "s"), "--out", str(tmp_path / "out")]
    launches = []

    def fails(size):
        launches.append(size)
        return len(launches) > 3  # three arrays a launch

    with monkeypatch.context() as during:
        during.setattr(batch.cuda, "device_array", failing(cuda.cuda.device_array, fails, reason))
        assert main(command) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"vecsim: error: {line}"
    assert main(command) == 0
    assert "4 were simulated" in capsys.readouterr().out
    assert (
        main(["sweep", *command[1:-5], "--store", str(tmp_path / "t"), "--out", str(tmp_path / "cpu")]) == 0
    )
    assert (tmp_path / "out" / "table.csv").read_bytes() == (tmp_path / "cpu" / "table.csv").read_bytes()


def test_processes_spread_over_the_gpus_of_a_host(tmp_path):
    gpus = ["GPU-a", "GPU-b", "GPU-c"]
    assert [cuda.taken_gpu(gpus, tmp_path) for _ in range(3)] == [0, 1, 2]
    assert cuda.taken_gpu(gpus[1:], tmp_path) == 0
    assert cuda.taken_gpu(gpus[:2], tmp_path) == 0
    (tmp_path / "file").touch()
    assert cuda.taken_gpu(gpus, tmp_path / "file") == 0
