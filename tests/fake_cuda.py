"""A driver and a cuSPARSE on the host: device memory is host memory, time is counted, not taken.

The fakes read their arguments as the documentation of CUDA and cuSPARSE lays them down, nothing else of the
package, so that a wrong order or layout gives wrong results.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum
from types import SimpleNamespace

import numpy as np


class Status(IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_NO_DEVICE = 100


OK = Status.CUDA_SUCCESS
GRAPH_GAP_US = 1.0
"""Between two replays."""
ATTRIBUTES = {
    "COMPUTE_CAPABILITY_MAJOR": 9,
    "COMPUTE_CAPABILITY_MINOR": 0,
    "MULTIPROCESSOR_COUNT": 132,
    "MAX_THREADS_PER_MULTIPROCESSOR": 2048,
    "L2_CACHE_SIZE": 60 << 20,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 228 << 10,
    "CLOCK_RATE": 1_980_000,
    "MEMORY_CLOCK_RATE": 3_201_000,
    "GLOBAL_MEMORY_BUS_WIDTH": 6144,
}


class FakeDriver:
    """The functions of cuda.bindings.driver that the package calls; each returns a status and results."""

    CUdevice_attribute = SimpleNamespace(**{f"CU_DEVICE_ATTRIBUTE_{name}": name for name in ATTRIBUTES})

    def __init__(self, *, devices: int = 1, memory: int = 1 << 30) -> None:
        self.devices = devices
        self.memory = memory
        self.allocated: dict[int, ctypes.Array] = {}
        self.alive: set[tuple[str, int]] = set()
        self.now_us = 0.0
        self.captured: list[tuple[str, float]] | None = None
        self.ran: list[str] = []
        self.graphs: dict[int, list[tuple[str, float]]] = {}
        self.times: dict[int, float] = {}
        self.context = self._number = 0

    def work(self, name: str, us: float) -> None:
        """Stand for a kernel put on a stream."""
        if self.captured is not None:
            self.captured.append((name, us))
        else:
            self._run(name, us)

    def _run(self, name: str, us: float) -> None:
        self.ran.append(name)
        self.now_us += us

    def _made(self, kind: str) -> int:
        self._number += 1
        self.alive.add((kind, self._number))
        return self._number

    def _gone(self, kind: str, number: int) -> tuple[Status]:
        self.alive.remove((kind, number))
        return (OK,)

    def CUstreamCaptureMode(self, mode):
        return mode

    def cuInit(self, flags):
        return (OK if self.devices else Status.CUDA_ERROR_NO_DEVICE,)

    def cuDeviceGet(self, number):
        return OK, number

    def cuDevicePrimaryCtxRetain(self, device):
        return OK, 1

    def cuCtxGetCurrent(self):
        return OK, self.context

    def cuCtxSetCurrent(self, context):
        self.context = context
        return (OK,)

    def cuCtxSynchronize(self):
        return (OK,)

    def cuDeviceGetName(self, length, device):
        return OK, b"Fake GPU".ljust(length, b"\0")

    def cuDeviceTotalMem(self, device):
        return OK, self.memory

    def cuDeviceGetAttribute(self, name, device):
        return OK, ATTRIBUTES[name]

    def cuDriverGetVersion(self):
        return OK, 13020

    def cuMemGetInfo(self):
        return OK, self.memory - sum(map(len, self.allocated.values())), self.memory

    def cuMemAlloc(self, nbytes):
        if nbytes > self.cuMemGetInfo()[1]:
            return Status.CUDA_ERROR_OUT_OF_MEMORY, None
        if not nbytes:
            return Status.CUDA_ERROR_INVALID_VALUE, None
        built = ctypes.create_string_buffer(nbytes)
        self.allocated[ctypes.addressof(built)] = built
        return OK, ctypes.addressof(built)

    def cuMemFree(self, address):
        del self.allocated[address]
        return (OK,)

    def cuMemcpyHtoD(self, target, source, nbytes):
        ctypes.memmove(target, source, nbytes)
        return (OK,)

    cuMemcpyDtoH = cuMemcpyHtoD

    def cuStreamCreate(self, flags):
        return OK, self._made("stream")

    def cuStreamDestroy(self, stream):
        return self._gone("stream", stream)

    def cuStreamSynchronize(self, stream):
        return (OK,)

    def cuStreamBeginCapture(self, stream, mode):
        self.captured = []
        return (OK,)

    def cuStreamEndCapture(self, stream):
        graph = self._made("graph")
        self.graphs[graph], self.captured = self.captured, None
        return OK, graph

    def cuGraphInstantiate(self, graph, flags):
        executable = self._made("executable")
        self.graphs[executable] = self.graphs[graph]
        return OK, executable

    def cuGraphLaunch(self, executable, stream):
        for name, us in self.graphs[executable]:
            self._run(name, us)
        self.now_us += GRAPH_GAP_US
        return (OK,)

    def cuGraphExecDestroy(self, executable):
        return self._gone("executable", executable)

    def cuGraphDestroy(self, graph):
        return self._gone("graph", graph)

    def cuEventCreate(self, flags):
        return OK, self._made("event")

    def cuEventRecord(self, event, stream):
        self.times[event] = self.now_us
        return (OK,)

    def cuEventSynchronize(self, event):
        return (OK,)

    def cuEventElapsedTime(self, start, end):
        return OK, (self.times[end] - self.times[start]) / 1000

    def cuEventDestroy(self, event):
        return self._gone("event", event)


class _Function:
    """A function of a C library: its argtypes can be set, and they convert what it is given."""

    def __init__(self, name, body):
        self.name, self.body, self.argtypes, self.restype = name, body, None, None

    def __call__(self, *arguments):
        assert len(arguments) == len(self.argtypes), self.name
        plain = []
        for kind, argument in zip(self.argtypes, arguments, strict=True):
            if hasattr(argument, "_obj"):  # byref
                plain.append(argument._obj)
            else:
                value = argument.value if isinstance(argument, ctypes._SimpleCData) else argument
                plain.append(kind(value).value)
        return self.body(*plain)


REAL = {0: np.float32, 1: np.float64}


class FakeCusparse:
    """The library object, on the host's memory."""

    NOT_SUPPORTED = 10

    def __init__(self, *, refuse: str = "", driver: FakeDriver | None = None) -> None:
        self.refuse = refuse
        self.driver = driver
        self.stream: int | None = None
        self.described: dict[int, object] = {}
        self.calls: list[str] = []
        self.streams: list[int] = []
        self._number = 1000

    def __getattr__(self, name):
        if not name.startswith("cusparse"):
            raise AttributeError(name)
        body = getattr(self, "_" + name.removeprefix("cusparse"))

        def called(*arguments):
            self.calls.append(name)
            return self.NOT_SUPPORTED if name == self.refuse else body(*arguments) or 0

        function = _Function(name, called if name != "cusparseGetErrorName" else body)
        setattr(self, name, function)
        return function

    def _GetErrorName(self, status):
        return b"CUSPARSE_STATUS_NOT_SUPPORTED" if status == 10 else b"CUSPARSE_STATUS_INVALID_VALUE"

    def _describe(self, out, what):
        self._number += 1
        out.value = self._number
        self.described[self._number] = what

    def _Create(self, out):
        self._describe(out, "handle")

    def _Destroy(self, handle):
        del self.described[handle]

    _DestroySpMat = _DestroyDnVec = _DestroyDnMat = _Destroy

    def _SetStream(self, handle, stream):
        assert self.described[handle] == "handle"
        self.streams.append(stream)
        self.stream = stream

    def _CreateCsr(self, out, rows, cols, nnz, offsets, columns, values, of, ci, base, kind):
        assert (of, ci, base) == (2, 2, 0)
        dense = np.zeros((rows, cols), REAL[kind])
        starts = _array(offsets, rows + 1, np.int32)
        inner, held = _array(columns, nnz, np.int32), _array(values, nnz, REAL[kind])
        for row in range(rows):
            for place in range(starts[row], starts[row + 1]):
                dense[row, inner[place]] += held[place]
        self._describe(out, dense)

    def _CreateCoo(self, out, rows, cols, nnz, row, column, values, index, base, kind):
        assert (index, base) == (2, 0)
        dense = np.zeros((rows, cols), REAL[kind])
        outer, inner = _array(row, nnz, np.int32), _array(column, nnz, np.int32)
        assert (np.diff(outer) >= 0).all()
        np.add.at(dense, (outer, inner), _array(values, nnz, REAL[kind]))
        self._describe(out, dense)

    def _CreateSlicedEll(
        self, out, rows, cols, nnz, places, size, offsets, columns, values, of, ci, base, kind
    ):
        assert (of, ci, base) == (2, 2, 0)
        dense = np.zeros((rows, cols), REAL[kind])
        slices = -(-rows // size)
        starts = _array(offsets, slices + 1, np.int32)
        inner, held = _array(columns, places, np.int32), _array(values, places, REAL[kind])
        actual = 0
        for number in range(slices):
            for place in range(starts[number], starts[number + 1]):
                if inner[place] >= 0:
                    dense[number * size + (place - starts[number]) % size, inner[place]] += held[place]
                    actual += 1
        assert (starts[-1], actual) == (places, nnz)
        self._describe(out, dense)

    def _CreateBsr(
        self, out, brows, bcols, blocks, tall, wide, offsets, columns, values, of, ci, base, kind, order
    ):
        assert (of, ci, base) == (2, 2, 0)
        dense = np.zeros((brows * tall, bcols * wide), REAL[kind])
        starts, inner = _array(offsets, brows + 1, np.int32), _array(columns, blocks, np.int32)
        held = _array(values, blocks * tall * wide, REAL[kind]).reshape(blocks, tall, wide)
        for row in range(brows):
            for place in range(starts[row], starts[row + 1]):
                block = held[place] if order == 2 else held[place].reshape(wide, tall).T
                at = row * tall, inner[place] * wide
                dense[at[0] : at[0] + tall, at[1] : at[1] + wide] += block
        self._describe(out, dense)

    def _CreateDnVec(self, out, count, values, kind):
        self._describe(out, (count, values, REAL[kind]))

    def _CreateDnMat(self, out, rows, columns, leading, values, kind, order):
        assert leading == (columns if order == 2 else rows)
        self._describe(out, (rows, columns, values, REAL[kind], order))

    def _SpMM_bufferSize(self, *arguments):
        self._dense_terms(*arguments[:10])
        arguments[10].value = 24

    def _SpMM_preprocess(self, *arguments):
        self._dense_terms(*arguments[:10])
        assert arguments[10]

    def _SpMM(self, *arguments):
        matrix, alpha, x, beta, y = self._dense_terms(*arguments[:10])
        y[:] = alpha * (matrix @ x) + (beta * y if beta else np.zeros_like(y))

    def _dense_terms(self, handle, first, second, alpha, matrix, x, beta, y, compute, algorithm):
        assert (self.described[handle], first, second) == ("handle", 0, 0)
        real, actual = REAL[compute], []
        for each in (x, y):
            rows, columns, address, kind, order = self.described[each]
            assert kind == real
            assert algorithm == {2: 6, 1: 4}[order]
            held = _array(address, rows * columns, kind)
            actual.append(held.reshape(rows, columns) if order == 2 else held.reshape(columns, rows).T)
        matrix = self.described[matrix]
        return matrix, _array(alpha, 1, real)[0], actual[0], _array(beta, 1, real)[0], actual[1]

    def _SpMV_bufferSize(self, *arguments):
        self._terms(*arguments[:9])
        arguments[9].value = 40

    def _SpMV_preprocess(self, *arguments):
        self._terms(*arguments[:9])
        assert arguments[9]

    def _SpMV(self, *arguments):
        matrix, alpha, x, beta, y = self._terms(*arguments[:9])
        before = beta * y if beta else np.zeros_like(y)
        y[:] = alpha * (matrix @ x) + before

    def _terms(self, handle, operation, alpha, matrix, x, beta, y, compute, algorithm):
        assert self.described[handle] == "handle"
        if self.stream is not None and self.driver is not None:
            assert ("stream", self.stream) in self.driver.alive, "the stream is gone"
        dense = self.described[matrix]
        dense = dense.T if operation else dense
        real = REAL[compute]
        assert dense.dtype == real
        vectors = []
        for vector, count in ((x, dense.shape[1]), (y, dense.shape[0])):
            length, address, kind = self.described[vector]
            assert (length, kind) == (count, real)
            vectors.append(_array(address, length, kind))
        return dense, _array(alpha, 1, real)[0], vectors[0], _array(beta, 1, real)[0], vectors[1]


def _array(address, count, dtype):
    """View host memory as an array."""
    if not count:
        return np.zeros(0, dtype)
    size = np.dtype(dtype).itemsize * count
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype)
