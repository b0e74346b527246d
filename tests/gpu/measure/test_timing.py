import pytest
from fake_cuda import FakeDriver
from hypothesis import given
from hypothesis import strategies as st

from gpu.measure.timing import (
    MOST_COPIES,
    MOST_REPLAYS,
    MOST_SECONDS,
    compare,
    copies_for,
    measure,
    measure_in_turn,
    plan,
    statistics,
)
from gpu.runtime import cuda_driver
from gpu.runtime.cuda_driver import CudaError, NoGpuError
from vecsim.support.errors import UserError

L2 = 60 << 20


@pytest.fixture
def fake(monkeypatch) -> FakeDriver:
    actual = FakeDriver()
    monkeypatch.setattr(cuda_driver, "driver", lambda: actual)
    return actual


def operation(fake: FakeDriver, name: str, us: float):
    return lambda stream: fake.work(name, us)


def test_median_and_spread_of_hand_worked_values():
    timing = statistics([10, 12, 14, 16, 38], 2)
    assert timing.median_us == 7
    assert timing.spread == pytest.approx(4 / 14)  # quartiles 12 and 16 about 14
    assert (timing.replays, timing.operations) == (5, 2)


def test_a_warm_measurement_has_one_set_of_buffers():
    assert copies_for("warm", 100, L2) == 1


@pytest.mark.parametrize(("nbytes", "copies"), [(4 * L2, 1), (4 * L2 - 1, 2), (L2, 4), (1 << 20, 240)])
def test_cold_buffers_cover_four_times_the_cache(nbytes, copies):
    assert copies_for("cold", nbytes, L2) == copies


def test_what_is_too_small_to_be_timed_cold_is_refused():
    with pytest.raises(UserError, match=rf"1000 bytes cannot be timed cold: 251659 copies.*{MOST_COPIES}"):
        copies_for("cold", 1000, L2)


@given(st.floats(0.5, 1e5), st.integers(1, MOST_COPIES), st.floats(0.01, MOST_SECONDS))
def test_a_plan_keeps_to_its_time_or_does_the_least_possible(us, copies, seconds):
    actual = plan(us, copies, seconds)
    one = actual.rotations * copies * us
    assert actual.warm_up >= 1
    assert 1 <= actual.replays <= MOST_REPLAYS
    assert (actual.warm_up + actual.replays) * one <= seconds * 1e6 or actual.warm_up == actual.replays == 1


def test_a_replay_is_long_against_the_gap_to_the_next():
    actual = plan(2.0, 1, 0.1)
    assert actual.rotations * 2.0 >= 500
    assert actual.replays > 50


@pytest.mark.parametrize("seconds", [0, 0.31])
def test_a_measurement_of_more_than_its_most_is_refused(seconds):
    with pytest.raises(ValueError, match=r"at most 0\.3 s"):
        plan(1.0, 1, seconds)


def test_the_measured_time_is_that_of_the_operation(fake):
    timing = measure([operation(fake, "a", 5.0)])
    assert timing.median_us == pytest.approx(5.0, rel=0.01)
    assert timing.spread == pytest.approx(0, abs=1e-9)
    assert fake.now_us < 0.12e6


def test_buffers_rotate_and_each_is_used_as_often(fake):
    names = ["a", "b", "c"]
    timing = measure([operation(fake, name, 100.0) for name in names])
    assert fake.ran == names * (len(fake.ran) // 3)
    assert timing.operations % 3 == 0
    assert timing.median_us == pytest.approx(100, rel=0.01)


def test_candidates_are_replayed_in_turn(fake):
    actual = compare([operation(fake, "fast", 50.0)], [operation(fake, "slow", 80.0)])
    assert actual.first.median_us == pytest.approx(50, rel=0.01)
    assert actual.second.median_us == pytest.approx(80, rel=0.01)
    assert actual.ratio == pytest.approx(1.6, rel=0.01)
    fast, slow = (fake.ran.count(name) for name in ("fast", "slow"))
    measured = "".join(name[0] for name in fake.ran[fake.ran.index("slow") + 8 :])
    turns = measured.replace("f" * actual.first.operations, "F").replace("s" * actual.second.operations, "S")
    assert "FSFSFS" in turns
    assert fast > slow > 100


def test_any_number_of_candidates_are_timed_in_turn_each_warmed_before(fake):
    us = {"a": 50.0, "b": 80.0, "c": 700.0}
    timings = measure_in_turn([[operation(fake, name, time)] for name, time in us.items()], 0.02)
    for timing, time in zip(timings, us.values(), strict=True):
        assert timing.median_us == pytest.approx(time, rel=0.05)
    counts = [1 + timing.operations for timing in timings]
    turn = "".join(name * count for name, count in zip(us, counts, strict=True))
    assert turn * 3 in "".join(fake.ran)
    assert timings[2].replays > 10


def test_a_change_of_clock_between_pairs_does_not_change_the_ratio(fake):
    def slowing(name, us):
        return lambda stream: fake.work(name, us)

    launch = fake.cuGraphLaunch

    def drifting(executable, stream):
        before = fake.now_us
        result = launch(executable, stream)
        fake.now_us = before + (fake.now_us - before) * (1 + len(fake.ran) / 1e5)
        return result

    fake.cuGraphLaunch = drifting
    actual = compare([slowing("a", 50.0)], [slowing("b", 100.0)])
    assert actual.first.spread > 0.005
    assert actual.ratio == pytest.approx(2, rel=0.01)


def test_everything_is_given_back(fake):
    measure([operation(fake, "a", 5.0)])
    compare([operation(fake, "a", 5.0)], [operation(fake, "b", 5.0)])
    measure_in_turn([[operation(fake, "a", 5.0)], [operation(fake, "b", 5.0)]])
    assert not fake.alive


def test_everything_is_given_back_when_a_capture_fails(fake):
    calls = []

    def failing(stream):
        calls.append(stream)
        if len(calls) > 2:
            raise RuntimeError("not now")

    with pytest.raises(RuntimeError, match="not now"):
        measure([failing])
    assert not fake.alive
    assert fake.captured is None


def test_an_error_of_cuda_has_its_name():
    with pytest.raises(CudaError, match="cuMemAlloc: CUDA_ERROR_INVALID_VALUE"):
        cuda_driver.check(FakeDriver(), "cuMemAlloc", 0)


def test_a_driver_without_a_device_is_no_gpu():
    with pytest.raises(NoGpuError, match="CUDA_ERROR_NO_DEVICE"):
        cuda_driver.start(FakeDriver(devices=0))


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_to_itself")
def test_a_copy_is_timed_near_what_the_memory_can():
    from experiments.gpu_bench.ceilings import copy_gb_per_s
    from gpu.runtime.device_info import device_info

    assert 0.3 < copy_gb_per_s() / device_info().nominal_gb_per_s < 1.05
