"""Launches of a kernel with everything done beforehand that can be, and overlapped with the kernel before it.

Numba takes 30 us to launch a kernel with five arrays: it looks at each argument again. Here a kernel is
compiled for its arguments once and they are packed once, so that a launch replaces the vectors and factors
and goes to the driver.

Such a launch may begin while the kernel before it on the stream still runs (programmatic dependent launch:
CUDA C++ programming guide, 4.5). So every kernel that is launched this way must call `wait_for_previous` of
`gpu.runtime.kernel_sequence` in each thread before it reads or writes what another kernel may have written:
x, y and pieces of rows, not the matrix. Then a product's launch, its pointers and its first entries hide
after the kernel before it.
"""

import ctypes
import functools
import importlib
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gpu.runtime import kernel_cache
from gpu.runtime.cuda import SIMULATED

if not SIMULATED:
    from numba.cuda import types


Place = tuple[int, int]
"""Where a vector begins on the device, and its elements."""

ALONE_THREADS = 32 if SIMULATED else 128
"""Of a block whose threads work alone."""


class Placeholder:
    """An argument that is given again at each launch."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


X, Y, ALPHA, BETA = Placeholder("x"), Placeholder("y"), Placeholder("alpha"), Placeholder("beta")


class Launch:
    """A launch that is ready but for x, y, alpha and beta.

    Parameters
    ----------
    kernel
        What `cuda.jit` makes; it must follow the rule above.
    blocks, threads
        The grid.
    arguments
        Of the kernel: device arrays of one dimension, integers (they become int64), scalars of the real
        type, and the four placeholders.
    real
        The type of x, y, alpha and beta: np.float32 or np.float64.
    shared_bytes
        Of dynamic shared memory of a block: what the kernel's ``cuda.shared.array(0, ...)`` has.
    registers
        The most of a thread; 0 leaves it to the compiler.
    beside_shared
        Whether it gives up the L1 cache, so that it may run next to blocks that have all shared memory.

    Attributes
    ----------
    at
        Puts the kernel on a stream as a call does, with the places of x and y, and the stream's handle; not
        in the simulator.
    """

    at: Callable[[Place, Place, Any, Any, int], None]

    def __init__(
        self,
        kernel: Any,
        blocks: int,
        threads: int,
        arguments: Sequence[Any],
        real: Any,
        *,
        shared_bytes: int = 0,
        registers: int = 0,
        beside_shared: bool = False,
    ) -> None:
        self._kernel, self._grid, self._arguments = kernel, (blocks, threads), tuple(arguments)
        self._shared_bytes = shared_bytes
        if not SIMULATED:
            packed = _Packed(kernel, blocks, threads, self._arguments, real, shared_bytes, registers)
            if beside_shared:
                packed.give_up_l1_cache()
            self.at = packed.launch

    def __call__(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put the kernel on a stream.

        Parameters
        ----------
        x, y
            Contiguous device vectors of Numba.
        alpha, beta
            Scalars of the real type.
        stream
            As `gpu.runtime.vectors.stream_of` returns it: 0, or an object of Numba or cuda.core.
        """
        if SIMULATED:
            given = {X: x, Y: y, ALPHA: alpha, BETA: beta}
            blocks, threads = self._grid
            self._kernel[blocks, threads, stream, self._shared_bytes](
                *(
                    given.get(each, each) if isinstance(each, Placeholder) else each
                    for each in self._arguments
                )
            )
            return
        self.at(_place_of(x), _place_of(y), alpha, beta, handle_of(stream))


def launches_of(
    kernel: Any, blocks: int, threads: int, arguments: Sequence[Any], real: Any, **how: Any
) -> list[Launch]:
    """Return the launch, or none where there are no blocks, which CUDA refuses.

    Parameters
    ----------
    kernel, blocks, threads, arguments, real, how
        As of `Launch`.
    """
    return [Launch(kernel, blocks, threads, arguments, real, **how)] if blocks else []


def enqueue(
    kernel: Any, grid: tuple[int, int], arguments: Sequence[Any], stream: Any, registers: int = 0
) -> None:
    """Put a kernel that takes no vectors on a stream.

    Parameters
    ----------
    kernel, arguments, stream, registers
        As of `Launch`.
    grid
        Blocks and threads.
    """
    run([Launch(kernel, *grid, arguments, np.float64, registers=registers)], stream)


def run(launches: Iterable[Launch], stream: Any) -> None:
    """Put launches that take no vectors on a stream, one after the other.

    Parameters
    ----------
    launches
        In their order.
    stream
        As of `Launch`.
    """
    for each in launches:
        each(None, None, 0.0, 0.0, stream)


def launch(kernel: Any, threads: int, arguments: Sequence[Any], stream: Any) -> None:
    """Put a kernel on a stream that takes no vectors and whose threads work alone.

    Parameters
    ----------
    kernel, arguments, stream
        As of `Launch`.
    threads
        How many it needs.
    """
    enqueue(kernel, blocks_of(threads), arguments, stream)


def blocks_of(threads: int) -> tuple[int, int]:
    """Return the grid of a kernel whose threads work alone: blocks, one at least, and threads of a block."""
    return max(1, -(-threads // ALONE_THREADS)), ALONE_THREADS


def compile_for(kernel: Any, arguments: Sequence[Any], real: Any, registers: int = 0) -> None:
    """Compile a kernel for a launch with arguments of these types, and launch nothing.

    Parameters
    ----------
    kernel, arguments, real, registers
        As of `Launch`; arrays may be those of the host.
    """
    if not SIMULATED:
        kernel_cache.compiled_for(kernel, _signature(arguments, real), registers)


class LaunchedInTurn:
    """A product that is kernels one after the other.

    Attributes
    ----------
    launches
        In their order.
    device_arrays
        All arrays that it keeps on the device.
    scale
        The factor of the matrix.
    """

    launches: list[Launch]
    device_arrays: list[Any]
    scale: Any = 1

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream, A with its scale.

        Parameters
        ----------
        x, y, alpha, beta, stream
            As of a `Launch`.
        """
        alpha = self.scale * alpha
        for each in self.launches:
            each(x, y, alpha, beta, stream)

    def launch_at(self, x: Place, y: Place, alpha: Any, beta: Any, stream: int) -> None:
        """Put the same on the stream of a handle.

        Parameters
        ----------
        x, y, alpha, beta, stream
            As of `Launch.at`.
        """
        alpha = self.scale * alpha
        for each in self.launches:
            each.at(x, y, alpha, beta, stream)


class _Packed:
    """The kernel's parameters in memory as the driver reads them.

    An array of Numba is seven parameters: two words that device code does not use, elements, bytes of an
    element, address, length, stride in bytes.
    """

    def __init__(
        self,
        kernel: Any,
        blocks: int,
        threads: int,
        arguments: tuple[Any, ...],
        real: Any,
        shared_bytes: int,
        registers: int,
    ) -> None:
        driver = importlib.import_module("cuda.bindings.driver")

        self._driver = driver
        real_size = np.dtype(real).itemsize
        scalar = ctypes.c_float if real is np.float32 else ctypes.c_double
        words: list[int] = []
        given: dict[Any, list[int]] = {X: [], Y: [], ALPHA: [], BETA: []}
        for argument in arguments:
            if isinstance(argument, Placeholder):
                given[argument].append(len(words))
            if argument is X or argument is Y:
                words += [0, 0, 0, real_size, 0, 0, real_size]
            elif argument is ALPHA or argument is BETA:
                words.append(0)
            elif isinstance(argument, np.floating):
                words.append(int.from_bytes(argument.tobytes().ljust(8, b"\0"), "little", signed=True))
            elif isinstance(argument, int | np.integer):
                words.append(int(argument))
            else:
                size, item = int(argument.size), int(argument.dtype.itemsize)
                words += [0, 0, size, item, address_of_array(argument), size, item]
        compiled = kernel_cache.compiled_for(kernel, _signature(arguments, real), registers)
        self._keep = compiled
        handle = compiled._codelibrary.get_cufunc().kernel.handle
        self._function = driver.CUfunction(int(handle))
        self._kernel_handle = driver.CUkernel(int(handle))
        if shared_bytes:
            _allow_shared_bytes(driver, self._kernel_handle, shared_bytes)
        self._words = (ctypes.c_int64 * len(words))(*words)
        self._x, self._y = given[X], given[Y]
        self._alpha, self._beta = (
            [scalar.from_buffer(self._words, 8 * at) for at in given[each]] for each in (ALPHA, BETA)
        )
        base = ctypes.addressof(self._words)
        self._pointers = (ctypes.c_void_p * len(words))(*(base + 8 * at for at in range(len(words))))
        self._config = _configuration(driver, blocks, threads, shared_bytes)
        self._stream = 0
        self._address = ctypes.addressof(self._pointers)
        # The driver reads the parameters during the call; two host threads must not mix theirs.
        self._lock = threading.Lock()

    def give_up_l1_cache(self) -> None:
        """Leave all memory that can be shared to blocks that run on the same multiprocessor."""
        _allow_shared_bytes(self._driver, self._kernel_handle, 0)

    def launch(self, x: Place, y: Place, alpha: Any, beta: Any, stream: int) -> None:
        """Put the kernel on the stream of this handle.

        Parameters
        ----------
        x, y
            Where the vectors are.
        alpha, beta
            Numbers.
        stream
            The driver's handle; 0 is the default stream.
        """
        words = self._words
        with self._lock:
            for at in self._x:
                words[at + 4], words[at + 2] = x
                words[at + 5] = x[1]
            for at in self._y:
                words[at + 4], words[at + 2] = y
                words[at + 5] = y[1]
            for factor in self._alpha:
                factor.value = alpha
            for factor in self._beta:
                factor.value = beta
            if stream != self._stream:
                self._config.hStream = self._stream = stream
            (status,) = self._driver.cuLaunchKernelEx(self._config, self._function, self._address, 0)
        if int(status) != 0:
            raise RuntimeError(
                f"cuLaunchKernelEx failed ({status.name}); use fewer threads or less shared memory"
            )


def address_of_array(array: Any) -> int:
    """Return where a device array lies; 0 for one without elements."""
    return int(array.device_ctypes_pointer.value or 0)


def _place_of(vector: Any) -> Place:
    """Return the place of a device vector of Numba, or of none."""
    return (0, 0) if vector is None else (address_of_array(vector), int(vector.size))


def _allow_shared_bytes(driver: Any, kernel: Any, shared_bytes: int) -> None:
    """Let a kernel have more dynamic shared memory than the 48 KiB that every kernel may.

    All memory that can be shared is taken from the L1 cache, so that as many blocks run as have room.
    """
    names = driver.CUfunction_attribute
    most = names.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    share = names.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
    status, device = driver.cuCtxGetDevice()
    for attribute, value in ((most, shared_bytes), (share, 100)):
        if int(status) == 0:
            (status,) = driver.cuKernelSetAttribute(attribute, value, kernel, device)
    if int(status) != 0:
        raise RuntimeError(
            f"{shared_bytes} bytes of shared memory are not available ({status.name}); use less"
        )


def _configuration(driver: Any, blocks: int, threads: int, shared_bytes: int) -> Any:
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = blocks, 1, 1
    config.blockDimX, config.blockDimY, config.blockDimZ = threads, 1, 1
    config.sharedMemBytes = shared_bytes
    overlap = driver.CUlaunchAttribute()
    overlap.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
    overlap.value.programmaticStreamSerializationAllowed = 1
    config.attrs = [overlap]
    config.numAttrs = 1
    return config


def _signature(arguments: Sequence[Any], real: Any) -> tuple[Any, ...]:
    """Return the types of a kernel's arguments, as Numba has them."""
    scalar = types.float32 if real is np.float32 else types.float64

    def type_of(argument: Any) -> Any:
        if argument is X or argument is Y:
            return scalar[::1]
        if isinstance(argument, Placeholder | np.floating):
            return scalar
        if isinstance(argument, int | np.integer):
            return types.int64
        return _array_type(argument.dtype)

    return tuple(map(type_of, arguments))


@functools.cache
def _array_type(dtype: Any) -> Any:
    from numba.np.numpy_support import from_dtype

    return from_dtype(dtype)[::1]


def handle_of(stream: Any) -> int:
    """Return the driver's handle of a stream, or of a handle."""
    if isinstance(stream, int) or not stream:
        return stream or 0
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    return int(stream.handle.value)
