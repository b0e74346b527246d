"""Entries put into their places on the device: the components are uploaded once for all layouts."""

from typing import Any

import numpy as np

from gpu.compound.component_layout import AOS, ComponentLayout
from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.outer_layout import ArrangedPattern
from gpu.measure.equality import BLOCKS
from gpu.runtime.cuda import THREADS_PER_BLOCK, cuda
from gpu.runtime.memory import empty, upload


class DeviceEntries:
    """The components of all entries on the device, in CSR order.

    Parameters
    ----------
    matrix
        The matrix.

    Attributes
    ----------
    entry
        What an entry is.
    dtype
        The type of real components.
    components
        A device array of nnz for each component.

    Raises
    ------
    OutOfDeviceMemoryError
        If the device has too little memory.
    """

    def __init__(self, matrix: CompoundMatrix) -> None:
        self.entry, self.dtype = matrix.entry, matrix.dtype
        self.components = [upload(each) for each in matrix.components]

    def reals_at(self, pattern: "DevicePattern", inner: ComponentLayout) -> Any:
        """Return the real components of all places in one array, in a layout; 0 in padding."""
        return self._at(pattern, self.entry.reals, inner, self.dtype)

    def integers_at(self, pattern: "DevicePattern") -> Any:
        """Return the integer components of all places in one array, those of an entry side by side."""
        return self._at(pattern, self.entry.integers, AOS, self.entry.integer_type)

    def _at(
        self, pattern: "DevicePattern", numbers: tuple[int, ...], layout: ComponentLayout, dtype: Any
    ) -> Any:
        places, count = pattern.host.places, len(numbers)
        length = layout.length(places, count)
        result = empty(length, dtype)
        if not length:
            return result
        inner = layout.elements or places
        for first, width in layout.parts(count):
            for k in range(width):
                component = self.components[numbers[first + k]]
                place_kernel[BLOCKS, THREADS_PER_BLOCK](
                    component, pattern.sources, length // count, places, inner, count, first, width, k, result
                )
        return result


class DevicePattern:
    """A pattern's places on the device.

    Parameters
    ----------
    host
        What `arranged` returns.

    Attributes
    ----------
    host
        As given.
    sources
        int32, one a place: the entry that stands there, -1 in padding.
    arrays
        Columns, bases, pointers, lengths and permutation, in the order of the kernel's parameters.

    Raises
    ------
    OutOfDeviceMemoryError
        If the device has too little memory.
    """

    def __init__(self, host: ArrangedPattern) -> None:
        self.host = host
        self.sources = upload(host.sources.astype(np.int32))
        self.arrays = [upload(array) for array in host.stored]


@cuda.jit
def place_kernel(component, sources, padded, places, inner, count, first, width, k, result):
    """Put one component of all entries into its places.

    Parameters
    ----------
    component
        Of the entries, in CSR order.
    sources
        int32 of `places`: the entry at each, -1 for none.
    padded, places
        Places of whole inner arrays, and of the pattern.
    inner, count
        Elements of an inner array, and components of an entry.
    first, width, k
        The part that the component belongs to, its width, and the component's number in it
        (`ComponentLayout`).
    result
        Where it goes.
    """
    place = np.int64(cuda.grid(1))
    while place < padded:
        entry = np.int64(-1)
        if place < places:
            entry = np.int64(sources[place])
        address = (place // inner) * inner * count + first * inner + (place % inner) * width + k
        if entry >= 0:
            result[address] = component[entry]
        else:
            result[address] = 0
        place += cuda.gridsize(1)
