"""What is put on streams so that the work of one matrix stays in order."""

import pytest

from gpu.runtime import stream_order
from gpu.runtime.cuda_driver import CudaError


class Stream:
    """Stands for one of cuda.core."""

    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return 0, self.handle


A, B, CAPTURED = Stream(5), Stream(6), Stream(7)


@pytest.fixture
def calls(monkeypatch):
    recorded = []

    def call(name, *arguments):
        if name == "cuStreamIsCapturing":
            return int(arguments[0] == CAPTURED.handle)
        recorded.append((name, *arguments))
        return "event" if name == "cuEventCreate" else None

    monkeypatch.setattr(stream_order, "call", call)
    monkeypatch.setattr(stream_order, "SIMULATED", False)
    return recorded


def work(order, *streams):
    for stream in streams:
        order.begin(stream)
        order.end(stream)


def test_one_stream_costs_nothing(calls):
    order = stream_order.StreamOrder()
    work(order, A, A, CAPTURED, A)
    assert calls == []


def test_another_stream_waits_for_the_work_before(calls):
    order = stream_order.StreamOrder()
    work(order, A, B)
    created = [("cuCtxSynchronize",), ("cuEventCreate", stream_order.NO_TIMES)]
    assert calls == [*created, ("cuEventRecord", "event", 6)]
    del calls[:]
    work(order, B, 0, CAPTURED, A)
    assert calls == [
        ("cuEventRecord", "event", 6),
        ("cuStreamWaitEvent", 0, "event", 0),
        ("cuEventRecord", "event", 0),
        ("cuStreamWaitEvent", 5, "event", 0),
        ("cuEventRecord", "event", 5),
    ]


def test_the_event_is_destroyed_with_its_matrix(calls):
    order = stream_order.StreamOrder()
    work(order, A, B)
    del order
    assert calls[-1] == ("cuEventDestroy", "event")


def test_a_default_stream_that_cannot_be_asked_counts_as_captured(monkeypatch):
    def call(name, *arguments):
        raise CudaError(f"{name}: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT")

    monkeypatch.setattr(stream_order, "call", call)
    monkeypatch.setattr(stream_order, "SIMULATED", False)
    work(stream_order.StreamOrder(), A, 0)
