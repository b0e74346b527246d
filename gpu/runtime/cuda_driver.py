"""What this package needs of the CUDA driver: one device, streams, graphs and events.

All CUDA libraries of a process share the device's primary context, so that what is allocated here can be
given to Numba, cuSPARSE, CuPy or PyTorch and the other way round. The binding is NVIDIA's cuda-bindings,
which numba-cuda depends on.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from types import TracebackType
from typing import Any, Self

from vecsim.support.errors import UserError

NON_BLOCKING = 1
"""Of a stream: it does not wait for the default stream, whose use would end a capture."""
RELAXED = 2
"""Of a capture: the launching library may do what it likes meanwhile."""

NEEDED = "an NVIDIA GPU is needed"
"""What helps where there is no GPU."""

Enqueue = Callable[["Stream"], None]
"""Puts one operation on a stream and returns without waiting for it."""


class NoGpuError(UserError):
    """There is no GPU that CUDA can use here, or the packages for it are missing.

    Attributes
    ----------
    reason
        What was found, without what to do about it.
    """

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(f"{reason}: {remedy}" if remedy else reason)
        self.reason = reason


class CudaError(Exception):
    """A call of CUDA failed; the message gives the call and the error's name."""


class OutOfDeviceMemoryError(UserError):
    """The GPU has too little free memory for what was asked."""


@cache
def driver() -> Any:
    """Return the driver's interface, started, with a current context: the caller's, or that of device 0.

    Raises
    ------
    NoGpuError
        The package or the driver is missing, or there is no device.
    """
    try:
        result = importlib.import_module("cuda.bindings.driver")
    except ImportError:
        raise not_installed() from None
    start(result)
    return result


def not_installed() -> NoGpuError:
    """Return the error that says what to install."""
    return NoGpuError(
        "CUDA for Python is not installed, which the GPU part needs (pip install 'vecsim[gpu]')"
    )


def start(result: Any) -> None:
    """Start a driver interface; without a current context, make the primary one of device 0 current.

    Raises
    ------
    NoGpuError
        The driver is missing or sees no device.
    """
    try:
        check(result, "cuInit", 0)
        if int(check(result, "cuCtxGetCurrent")):
            return
        device = check(result, "cuDeviceGet", 0)
        context = check(result, "cuDevicePrimaryCtxRetain", device)
        check(result, "cuCtxSetCurrent", context)
    except CudaError as error:
        raise NoGpuError(f"no GPU was found ({error})", NEEDED) from None
    except RuntimeError:  # the binding does not find libcuda
        raise NoGpuError("no GPU was found (the NVIDIA driver is not installed)", NEEDED) from None


def check(result: Any, name: str, *arguments: Any) -> Any:
    """Call a function of a driver interface.

    Returns
    -------
    Any
        Its one result, or None.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    CudaError
        Any other failure.
    """
    status, *results = getattr(result, name)(*arguments)
    if int(status) != 0:
        error = str(getattr(status, "name", status))
        if error == "CUDA_ERROR_OUT_OF_MEMORY":
            raise OutOfDeviceMemoryError(f"the GPU has too little free memory ({name}: {error})")
        raise CudaError(f"{name}: {error}")
    return results[0] if results else None


def call(name: str, *arguments: Any) -> Any:
    """Call a function of the driver on this process's device; see `check`."""
    return check(driver(), name, *arguments)


def synchronize() -> None:
    """Wait until the device has nothing left to do."""
    call("cuCtxSynchronize")


def free_bytes() -> int:
    """Return the free memory of the device, bytes."""
    status, free, _ = driver().cuMemGetInfo()
    if int(status) != 0:
        raise CudaError(f"cuMemGetInfo: {status.name}")
    return int(free)


class Handle:
    """Something on the device that has to be given back, by `close` or at the end of a `with`."""

    def close(self) -> None:
        """Release it; a second time does nothing."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Event(Handle):
    """A moment in a stream."""

    def __init__(self) -> None:
        self._event = call("cuEventCreate", 0)

    def record(self, stream: Stream) -> None:
        """Mark the moment at which the stream has done all that it was given so far."""
        call("cuEventRecord", self._event, stream.handle)

    def microseconds_since(self, earlier: Event) -> float:
        """Wait for this moment and return the time since an earlier one, microseconds."""
        call("cuEventSynchronize", self._event)
        return float(call("cuEventElapsedTime", earlier._event, self._event)) * 1000

    def close(self) -> None:
        """Release the event."""
        if self._event is not None:
            event, self._event = self._event, None
            call("cuEventDestroy", event)


class Graph(Handle):
    """Operations captured once, to be replayed with next to no work of the host."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._executable = None
        try:
            self._executable = call("cuGraphInstantiate", graph, 0)
        except BaseException:
            self.close()
            raise

    def launch(self, stream: Stream) -> None:
        """Put all of its operations on a stream."""
        call("cuGraphLaunch", self._executable, stream.handle)

    def close(self) -> None:
        """Release the graph."""
        if self._executable is not None:
            executable, self._executable = self._executable, None
            call("cuGraphExecDestroy", executable)
        if self._graph is not None:
            graph, self._graph = self._graph, None
            call("cuGraphDestroy", graph)


class Stream(Handle):
    """A queue of operations on the device.

    Attributes
    ----------
    handle
        The driver's stream; ``int(handle)`` is its address for other libraries
        (``cuda.external_stream(stream.address)`` for Numba).
    """

    def __init__(self) -> None:
        self.handle = call("cuStreamCreate", NON_BLOCKING)

    @property
    def address(self) -> int:
        """The stream as other libraries want it."""
        return int(self.handle)

    def synchronize(self) -> None:
        """Wait until everything on the stream is done."""
        call("cuStreamSynchronize", self.handle)

    def capture(self, enqueue: Enqueue) -> Graph:
        """Capture what ``enqueue`` puts on this stream; nothing of it is done yet.

        Kernels must have been compiled and loaded before.
        """
        driver_ = driver()
        mode = driver_.CUstreamCaptureMode(RELAXED)
        call("cuStreamBeginCapture", self.handle, mode)
        try:
            enqueue(self)
        except BaseException:
            _, abandoned = driver_.cuStreamEndCapture(self.handle)
            if abandoned is not None and int(abandoned):
                driver_.cuGraphDestroy(abandoned)
            raise
        return Graph(call("cuStreamEndCapture", self.handle))

    def close(self) -> None:
        """Release the stream."""
        if self.handle is not None:
            handle, self.handle = self.handle, None
            call("cuStreamDestroy", handle)
