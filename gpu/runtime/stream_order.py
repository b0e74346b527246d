"""Work of one matrix on several streams, one after the other: it shares the matrix's room and values."""

import weakref
from typing import Any

from gpu.runtime.cuda import SIMULATED
from gpu.runtime.cuda_driver import CudaError, call
from gpu.runtime.launches import handle_of

NO_TIMES = 2
"""CU_EVENT_DISABLE_TIMING."""


class StreamOrder:
    """Makes a stream wait for the work before it, if that is on another stream.

    As long as there is one stream nothing is recorded. At the first change of streams the host waits for the
    device. From then on an event is recorded after each piece of work, and the host does not wait. Work that
    is captured into a graph is left to the caller.
    """

    def __init__(self) -> None:
        self._last: int | None = None
        self._event: Any = None

    def begin(self, stream: Any) -> None:
        """Put the wait for the work before on a stream.

        Parameters
        ----------
        stream
            0, or an object of Numba or cuda.core.
        """
        if SIMULATED or self._last is None:
            return
        handle = handle_of(stream)
        if handle == self._last or _is_captured(handle):
            return
        if self._event is not None:
            call("cuStreamWaitEvent", handle, self._event, 0)
            return
        call("cuCtxSynchronize")
        self._event = call("cuEventCreate", NO_TIMES)
        weakref.finalize(self, _destroy, self._event)

    def end(self, stream: Any) -> None:
        """Note that work was put on a stream.

        Parameters
        ----------
        stream
            As of `begin`.
        """
        if SIMULATED:
            return
        handle = handle_of(stream)
        if self._event is None and handle == self._last:
            return
        if _is_captured(handle):
            return
        self._last = handle
        if self._event is not None:
            call("cuEventRecord", self._event, handle)


def _is_captured(handle: int) -> bool:
    try:
        return int(call("cuStreamIsCapturing", handle)) != 0
    except CudaError:  # the default stream, while another one is captured
        return True


def _destroy(event: Any) -> None:
    try:
        call("cuEventDestroy", event)
    except Exception:  # at the end of the process the driver may be gone
        return
